// The superblock of layout version 2, which is read and not written; but its head is the signpost
// of later ones.
//
// All of it was one object of 512 bytes: the head, and two root slots of 64 bytes.
#ifndef POTOROO_ENGINE_SPACE_SUPERBLOCK_V2_H_
#define POTOROO_ENGINE_SPACE_SUPERBLOCK_V2_H_

#include <cstdint>

#include "engine/space/superblock.h"

namespace potoroo::engine {

inline constexpr uint32_t kLayoutVersion2 = 2;

//   offset  size  field
//        0     8  magic           "Potoroo" and a zero byte
//        8     4  layout_version  of the pool
//       12     4  page_size       kPageSize
//       16    16  id              random, made when the pool is
//       32    92  reserved        0
//      124     4  checksum        of the bytes before
struct Signpost {
  char magic[8];
  uint32_t layout_version;
  uint32_t page_size;
  uint8_t id[16];
  uint8_t reserved[92];
  uint32_t checksum;
};
static_assert(sizeof(Signpost) == 128, "Signpost is on media");

//   offset  size  field
//        0     8  number        counts checkpoints from 1
//        8     8  epoch         of the commit
//       16     8  generation    in the place of all salts: one more at each opening that wrote
//       24     8  log           offset of the log's first segment in the pool
//       32     4  segment_size  bytes of each of the log's two segments
//       36     4  segment       the one that begins with the commit after this one
//       40     4  directory     number of the root page of the tree of maps
//       44     4  flags         not used any longer
//       48     8  reserved      0
//       56     4  checksum      of the bytes before
//       60     4  reserved      0
struct RootSlotV2 {
  uint64_t number;
  uint64_t epoch;
  uint64_t generation;
  uint64_t log;
  uint32_t segment_size;
  uint32_t segment;
  uint32_t directory;
  uint32_t flags;
  uint64_t reserved;
  uint32_t checksum;
  uint32_t reserved_too;
};
static_assert(sizeof(RootSlotV2) == 64, "RootSlotV2 is on media");

uint32_t ChecksumOf(const Signpost& post);
uint32_t ChecksumOf(const RootSlotV2& slot);

// Fills in what a root object of layout version 2 says: its slots as those of this version.
void ViewRootV2(uint64_t offset, const Signpost& post, const ReadBytes& read, RootView* view);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SPACE_SUPERBLOCK_V2_H_
