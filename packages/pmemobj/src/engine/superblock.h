// The root object of the pool: what it is, and where its trees and its log begin.
//
//   offset  size  field
//        0     8  magic           "Potoroo" and a zero byte
//        8     4  layout_version  kLayoutVersion
//       12     4  page_size       kPageSize
//       16    16  id              random, made when the pool is
//       32    92  reserved        0
//      124     4  checksum        of the bytes before (see checksum.h)
//      128    64  roots[0]        written by checkpoints with an even number
//      192    64  roots[1]        ... and with an odd one
//      256   256  reserved        0
//
// A checkpoint writes the slot of its number; the other one keeps the checkpoint before. The valid
// slot with the higher number counts. A slot lies in one cache line, so at most one is ever torn.
#ifndef POTOROO_ENGINE_SUPERBLOCK_H_
#define POTOROO_ENGINE_SUPERBLOCK_H_

#include <cstdint>
#include <memory>
#include <type_traits>

#include "medium.h"
#include "page.h"

namespace potoroo::engine {

inline constexpr uint32_t kLayoutVersion = 2;

// One checkpoint: a commit whose trees are durable as they are. The log holds those after it.
//
//   offset  size  field
//        0     8  number        counts checkpoints from 1
//        8     8  epoch         of the commit; counts commits from 1
//       16     8  generation    of the log: changes at each opening that writes
//       24     8  log           offset of the log's first segment in the pool
//       32     4  segment_size  bytes of each of the log's two segments
//       36     4  segment       the one that begins with the commit after this one
//       40     4  directory     number of the root page of the tree of maps, 0 if there are none
//       44     4  flags         kOrderedLog
//       48     8  reserved      0
//       56     4  checksum      of the bytes before
//       60     4  reserved      0
struct RootSlot {
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
static_assert(sizeof(RootSlot) == 64 && std::is_trivially_copyable_v<RootSlot>,
              "RootSlot is on media: changing it needs a new pool layout version");

// No record of the log is written before the one before it is durable, so nothing follows a torn
// one.
inline constexpr uint32_t kOrderedLog = 1;

struct Superblock {
  char magic[8];
  uint32_t layout_version;
  uint32_t page_size;
  uint8_t id[16];
  uint8_t reserved[92];
  uint32_t checksum;
  RootSlot roots[2];
  uint8_t reserved_too[256];
};
static_assert(sizeof(Superblock) == 512 && std::is_trivially_copyable_v<Superblock>,
              "Superblock is on media: changing it needs a new pool layout version");

class Root {
 public:
  // Makes a superblock in a pool that has just been created. `first` needs a log's place.
  static Status Create(Medium* medium, const RootSlot& first, Root* root);
  // Reads it and checks it.
  static Status Open(Medium* medium, Root* root);

  // The last checkpoint.
  const RootSlot& slot() const { return slot_; }
  // Whether a slot is torn or damaged: which of both, only the trees can tell.
  bool doubtful() const { return doubtful_; }
  // Switches to the next checkpoint, durably. All that it leads to must be durable before.
  Status Switch(RootSlot next);

 private:
  Superblock* superblock() const;

  Medium* medium_ = nullptr;
  uint64_t offset_ = 0;
  RootSlot slot_{};
  bool doubtful_ = false;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SUPERBLOCK_H_
