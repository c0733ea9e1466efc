// The identity of a pool, and the places at which its trees and its log begin.
//
// The root object of libpmemobj, 512 bytes:
//
//   offset  size  field
//        0   128  signpost     the head of a superblock of layout version 2: it says to engines
//        that
//                              know no later one which version this is
//      128   128  not used     the root slots of layout version 2
//      256    16  pointers[0]  to the superblock's block
//      384    16  pointers[1]  the same again
//
// The superblock's block, a run of one block of an extent:
//
//        0  4096  superblock
//     4096   256  roots[0]     written by checkpoints with an even number
//     8192   256  roots[1]     ... and with an odd one
//    12288  4096  key slots    of a pool that is encrypted, else not used: see key_slots.h
//
// A checkpoint writes the slot of its number; the other one keeps the checkpoint before. The sound
// slot with the higher number counts. Each has a page of its own, so that a write that is torn, or
// a sector that is lost, takes one of them at most.
#ifndef POTOROO_ENGINE_SPACE_SUPERBLOCK_H_
#define POTOROO_ENGINE_SPACE_SUPERBLOCK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include "engine/base/cipher.h"
#include "engine/base/page.h"
#include "engine/medium/medium.h"
#include "engine/space/space.h"

namespace potoroo::engine {

inline constexpr uint32_t kLayoutVersion = 3;
inline constexpr char kSuperblockMagic[8] = "Potoroo";

// Numbers on media have the least significant byte first.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "pools are little endian");

// One checkpoint: a commit whose trees are durable as they are. The log holds those after it.
//
//   offset  size  field
//        0     8  number        counts checkpoints from 1
//        8     8  epoch         of the commit; counts commits from 1
//       16    16  salts[2]      of the records in each of the log's segments: see log.h
//       32     8  undo_salt     of the entries of the undo area: see undo.h
//       40     8  log           offset of the log's first segment in the pool
//       48     4  segment_size  bytes of each of the log's two segments
//       52     4  segment       the one that begins with the commit after this one
//       56     4  directory     number of the root page of the tree of maps, 0 if there are none
//       60   192  reserved      0
//      252     4  checksum      of the bytes before (see checksum.h)
struct RootSlot {
  uint64_t number;
  uint64_t epoch;
  uint64_t salts[2];
  uint64_t undo_salt;
  uint64_t log;
  uint32_t segment_size;
  uint32_t segment;
  uint32_t directory;
  uint8_t reserved[192];
  uint32_t checksum;
};
static_assert(sizeof(RootSlot) == 256 && std::is_trivially_copyable_v<RootSlot>,
              "RootSlot is on media: changing it needs a new pool layout version");

//   offset  size  field
//        0     8  magic           "Potoroo" and a zero byte
//        8     4  layout_version  kLayoutVersion
//       12     4  page_size       kPageSize
//       16    16  id              random, made when the pool is
//       32     8  required        features that an engine must know to open the pool, a bit each
//       40     8  optional        features that it need not know
//       48     8  upgraded        epoch of the commit that the pool had when it was brought up from
//                                 layout version 2; 0 if it was made in this one
//       56  4036  reserved        0
//     4092     4  checksum        of the bytes before
struct Superblock {
  char magic[8];
  uint32_t layout_version;
  uint32_t page_size;
  uint8_t id[16];
  uint64_t required;
  uint64_t optional;
  uint64_t upgraded;
  uint8_t reserved[4036];
  uint32_t checksum;
};
static_assert(sizeof(Superblock) == 4096 && std::is_trivially_copyable_v<Superblock>,
              "Superblock is on media: changing it needs a new pool layout version");

// All features that this engine knows.
inline constexpr uint64_t kEncryptedFeature = 1;  // pages, values and records: see cipher.h
inline constexpr uint64_t kKnownFeatures = kEncryptedFeature;

//   offset  size  field
//        0     8  place     of the superblock's block
//        8     4  reserved  0
//       12     4  checksum  of the bytes before
struct RootPointer {
  uint64_t place;
  uint32_t reserved;
  uint32_t checksum;
};
static_assert(sizeof(RootPointer) == 16, "RootPointer is on media");

inline constexpr uint64_t kRootSize = 512;
inline constexpr uint64_t kPointersAt[2] = {256, 384};
inline constexpr uint64_t kSuperblockPage = 4096;

// Returns the place of a root slot of the superblock's block at `place`.
inline uint64_t RootSlotAt(uint64_t place, uint64_t index) {
  return place + (1 + index) * kSuperblockPage;
}
uint32_t ChecksumOf(const RootPointer& pointer);
uint32_t ChecksumOf(const Superblock& block);
uint32_t ChecksumOf(const RootSlot& slot);

// The statements of a root object, of this layout version or of the one before.
struct RootView {
  enum class Slot { kEmpty, kSound, kDamaged };
  bool found = false;  // else there is no sound superblock
  bool whole = false;  // whether the signpost and both pointers say so too
  uint64_t place = 0;  // of the superblock's block; 0: layout version 2 has none
  Superblock block{};  // its layout version is that of the pool
  Slot states[2] = {Slot::kEmpty, Slot::kEmpty};
  uint64_t places[2] = {0, 0};  // of the slots
  RootSlot latest{};            // the slot that counts; its number is 0 where none is sound

  bool Has(Slot state) const { return states[0] == state || states[1] == state; }
};

// `read` gives false where the pool has no such bytes.
using ReadBytes = std::function<bool(uint64_t offset, void* to, uint64_t size)>;
RootView ViewRoot(uint64_t offset, uint64_t size, const ReadBytes& read);
// Whether this engine may use a pool with that superblock. kLayoutVersion.
Status CheckVersion(const Superblock& block);

// It cannot be guessed, so bytes that were stored before it was made do not hold it.
uint64_t NewSalt();

class Root {
 public:
  // Makes a superblock in a pool that has just been created. `first` needs a log's place. `cipher`:
  // that of a pool that is to be encrypted, for which `key` is asked at each opening; or nullptr.
  static Status Create(Medium* medium, Space* space, const RootSlot& first, const Cipher* cipher,
                       Bytes key, Root* root);
  // Reads it and checks it.
  static Status Open(Medium* medium, Root* root);

  // Checks the caller's key. Without encryption, `cipher` stays empty. See key_slots.h.
  Status FindCipher(Bytes key, std::unique_ptr<Cipher>* cipher) const;
  // Makes the pool ask for that key from now on. One of both opens it at each moment.
  Status Rotate(const Cipher& cipher, Bytes key);
  // Makes the key that has opened the pool the only one: a rotation may have been cut off.
  Status SettleKeys(const Cipher& cipher, Bytes key);

  // The last checkpoint.
  const RootSlot& slot() const { return slot_; }
  // Whether a slot is torn or damaged: which of both, only the trees can tell.
  bool doubtful() const { return doubtful_; }
  // Layout version 2, which the first checkpoint brings up.
  bool outdated() const { return block_.layout_version != kLayoutVersion; }
  // Place of the superblock's block, 0 if there is none yet.
  uint64_t place() const { return place_; }
  // Before a checkpoint: makes room for a superblock of this layout version, to which the first
  // checkpoint of an opening brings the pool up. kNoSpace.
  Status Prepare(Space* space);
  // Switches to the next checkpoint, durably. All that it leads to must be durable before. kIo: it
  // was not prepared, and nothing is written.
  Status Switch(RootSlot next);

 private:
  Status Write(uint64_t at, const void* bytes, uint64_t size);
  ReadBytes Reader() const;
  Status WriteSlot(const RootSlot& slot);
  Status WriteSuperblock();
  Status WriteRootObject();
  Status Upgrade(const RootSlot& next);

  Medium* medium_ = nullptr;
  uint64_t offset_ = 0;
  uint64_t place_ = 0;
  Superblock block_{};
  RootSlot slot_{};
  bool doubtful_ = false;
  bool whole_ = false;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SPACE_SUPERBLOCK_H_
