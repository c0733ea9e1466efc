// The checksum of everything on media: CRC-32C in four interleaved lanes.
//
// The bytes are taken as little endian 8-byte words; word i goes to lane i % 4 as long as 32 bytes
// are left; what follows (fewer than 32 bytes) goes to lane 0 word by word, then byte by byte. Lane
// n starts at ~n. The result is the CRC-32C, started at lane 0, of the lanes 1, 2, 3 as 4-byte
// little endian words. Four lanes keep the processor's CRC unit busy: 1 KiB takes some 60 ns, in
// one lane 170.
#ifndef POTOROO_ENGINE_CHECKSUM_H_
#define POTOROO_ENGINE_CHECKSUM_H_

#include <cstddef>
#include <cstdint>

namespace potoroo::engine {

uint32_t Checksum(const void* data, size_t size);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_CHECKSUM_H_
