// The layout is that of libpmemobj 1.x (major version 6 of the format), all little endian:
//
//       0  pool header, 4096 bytes: begins with "PMEMOBJ" and a zero byte; version of the format
//          (4 bytes), features (3 times 4: those that may be ignored, that may not, that may for
//          reading); ids of 16 bytes: of the set, of this part, of the parts before and after, of
//          the replicas before and after; time (8); what the machine is (16: alignments of types,
//          then ELF's class, encoding, 4 zeros, machine). At 4024 its shutdown state; its last 8
//          bytes are a checksum of the first 2048
//    4096  descriptor: 1024 bytes of layout name, then 8-byte offset of the lanes, number of
//          lanes, offset of the heap; its last 8 bytes of 2048 are a checksum. At 6144 offset of
//          the root object, run number, size of the root object, conversion flags, size of the heap
//   lanes  3072 bytes each: see lane_check.h
//    heap  header of 1024 bytes (the last 8 a checksum), then zones of at most 65528 chunks of
//          256 KiB
//    zone  64 bytes: 4-byte magic, 4-byte number of chunks; 8 bytes for each of 65528 chunks:
//          type, flags, number of chunks that it stands for; then the chunks. The header of the
//          last chunk of several that are one is a footer with their number, which is never flushed
//   chunk  used: an object. Run: 16 bytes: size of a block, alignment; a bitmap; blocks, of which
//          an object takes one or several
//  object  16 bytes: size with this header, its upper 16 bits flags; type. Then the bytes
#ifndef POTOROO_ENGINE_MEDIUM_HEAP_LAYOUT_H_
#define POTOROO_ENGINE_MEDIUM_HEAP_LAYOUT_H_

#include <cstdint>

namespace potoroo::engine {

// libpmemobj's shutdown state, in its header, but not in the header's checksum: a sum over the ids
// of the devices that the parts are on, which it compares where it did not close the pool.
constexpr uint64_t kShutdownStateAt = 4024, kShutdownStateSize = 64;

constexpr uint64_t kFormatAt = 8, kFeaturesAt = 16, kIdAt = 40, kIdSize = 16, kArchitectureAt = 128;
constexpr uint32_t kFormat = 6;
// Features: one header for all parts; a checksum of 2048 bytes; a shutdown state.
constexpr uint32_t kSingleHeader = 1, kShortChecksum = 2, kShutdownState = 4;

constexpr uint64_t kDescriptorAt = 4096;
constexpr uint64_t kOffsetsAt = 5120;
constexpr uint64_t kVariableAt = 6144, kRunNumberAt = 6152, kVariableEnd = 6184;
constexpr uint64_t kFrontSize = 8192;

constexpr uint64_t kMaxLanes = 4096;

constexpr uint64_t kHeapHeader = 1024;
constexpr uint64_t kZoneHeader = 64;
constexpr uint32_t kZoneMagic = 0xC3F0A2D2;
constexpr uint64_t kMaxChunks = 65528;
constexpr uint64_t kChunkSize = 256 * 1024;
constexpr uint64_t kChunksAt = kZoneHeader + kMaxChunks * 8;
constexpr uint64_t kZoneSize = kChunksAt + kMaxChunks * kChunkSize;

enum ChunkType : uint16_t { kFooter = 1, kFree = 2, kUsed = 3, kRun = 4, kRunData = 5 };
// An object's header has 16 bytes, and not 64 or none; the bitmap of a run has the size it needs.
constexpr uint16_t kCompactHeader = 1, kFlexibleBitmap = 8;
constexpr uint64_t kRunHeader = 16;
constexpr uint64_t kFixedBitmap = 38;  // words

constexpr uint64_t kObjectHeader = 16;
constexpr int kObjectFlagsShift = 48;
constexpr uint64_t kInternalObject = 1 << 15;

struct Chunk {
  uint16_t type;
  uint16_t flags;
  uint32_t count;
};
static_assert(sizeof(Chunk) == 8, "as libpmemobj has it");

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_HEAP_LAYOUT_H_
