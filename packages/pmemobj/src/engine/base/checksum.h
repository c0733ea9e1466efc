// The checksum of everything on media: CRC-32C in four interleaved lanes.
//
// The bytes are taken as little endian 8-byte words; word i goes to lane i % 4 as long as 32 bytes
// are left; the rest (fewer than 32 bytes) goes to lane 0, word by word, then byte by byte. Lane n
// starts at ~n. The lanes a, b, c, d make the result
//
//   x = (a + b * 2^32) * 0x9e3779b97f4a7c15;  x ^= x >> 32;
//   x = (x + c + d * 2^32) * 0xd6e8feb86659fd93;  x ^= x >> 32;
//   x = x * 0x9e3779b97f4a7c15;  the upper 32 bits of x
//
// Four lanes keep the processor's CRC unit busy: 1 KiB takes some 60 ns, in one lane 170. They are
// not joined by another CRC, because CRCs are linear: the same change in neighbouring words, such
// as a run of equal bytes overwritten with zeros, would cancel out.
#ifndef POTOROO_ENGINE_BASE_CHECKSUM_H_
#define POTOROO_ENGINE_BASE_CHECKSUM_H_

#include <cstddef>
#include <cstdint>
#include <functional>

namespace potoroo::engine {

uint32_t Checksum(const void* data, size_t size);
// Computes the same on a processor without the instructions for it.
uint32_t PortableChecksum(const void* data, size_t size);

// Computes the same of `size` bytes that come piece by piece into a buffer, whose size is a
// multiple of 32. False if `read` gives false.
using ReadPiece = std::function<bool(uint64_t from, char* to, size_t size)>;
bool ChecksumOfPieces(uint64_t size, char* buffer, size_t buffer_size, const ReadPiece& read,
                      uint32_t* checksum);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_BASE_CHECKSUM_H_
