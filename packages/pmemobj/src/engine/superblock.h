// The root object of the pool: what it is, and the root of all trees.
//
//   offset  size  field
//        0     8  magic           "Potoroo" and a zero byte
//        8     4  layout_version  kLayoutVersion
//       12     4  page_size       kPageSize
//       16    16  id              random, made when the pool is
//       32    16  boot_id         reserved for relaxed durability, 0
//       48    76  reserved        0
//      124     4  checksum        of the bytes before (see checksum.h)
//      128    64  roots[0]        written by commits with an even epoch
//      192    64  roots[1]        ... and with an odd one
//      256   256  reserved        for the segments of a redo log, 0
//
// A commit writes the slot of its epoch; the other one keeps the commit before. The valid slot
// with the higher epoch counts. A slot lies in one cache line, so at most one is ever torn.
#ifndef POTOROO_ENGINE_SUPERBLOCK_H_
#define POTOROO_ENGINE_SUPERBLOCK_H_

#include <cstdint>
#include <memory>
#include <type_traits>

#include "medium.h"
#include "page.h"

namespace potoroo::engine {

inline constexpr uint32_t kLayoutVersion = 1;

// One commit.
//
//   offset  size  field
//        0     8  epoch      counts commits from 1
//        8     4  directory  number of the root page of the tree of maps, 0 if there are none
//       12    44  reserved   0
//       56     4  checksum   of the bytes before
//       60     4  reserved   0
struct RootSlot {
  uint64_t epoch;
  uint32_t directory;
  uint8_t reserved[44];
  uint32_t checksum;
  uint32_t reserved_too;
};
static_assert(sizeof(RootSlot) == 64 && std::is_trivially_copyable_v<RootSlot>,
              "RootSlot is on media: changing it needs a new pool layout version");

struct Superblock {
  char magic[8];
  uint32_t layout_version;
  uint32_t page_size;
  uint8_t id[16];
  uint8_t boot_id[16];
  uint8_t reserved[76];
  uint32_t checksum;
  RootSlot roots[2];
  uint8_t reserved_log[256];
};
static_assert(sizeof(Superblock) == 512 && std::is_trivially_copyable_v<Superblock>,
              "Superblock is on media: changing it needs a new pool layout version");

class Root {
 public:
  // Makes a superblock in a pool that has just been created.
  static Status Create(Medium* medium, Root* root);
  // Reads it and checks it.
  static Status Open(Medium* medium, Root* root);

  uint64_t epoch() const { return epoch_; }
  uint32_t directory() const { return directory_; }
  // Switches to the next epoch, durably. All that `directory` leads to must be durable before.
  void Switch(uint32_t directory);

 private:
  Superblock* superblock() const;

  Medium* medium_ = nullptr;
  uint64_t offset_ = 0;
  uint64_t epoch_ = 0;
  uint32_t directory_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SUPERBLOCK_H_
