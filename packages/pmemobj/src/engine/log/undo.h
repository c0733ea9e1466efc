// The undo area: what ranges of buffers held before the transaction under way changed them.
//
// It is a buffer itself, the value of the key "area" in the map "\0undo". There, the value of the
// key "committed" (8 bytes) is the number of the last transaction that was committed. The area has
// entries from its start on, each at the next multiple of 64 bytes:
//
//   offset  size  field
//        0     4  checksum     of the bytes 4 to 40 + size (see checksum.h)
//        4     4  size         bytes that were saved, at least 1
//        8     8  place        where in the pool they lay
//       16     8  salt         of this opening: see RootSlot
//       24     8  transaction  counts from 1 those that were committed, and this one
//       32     4  number       counts the entries of the transaction, those restored since too
//       36     4  reserved     0
//       40  size  bytes
//
// An entry counts if its checksum is right, its salt is that of the root slot, its
// transaction is above the last committed one, and it is the first, or of the same transaction as
// the one before and of a higher number. So what earlier transactions have left does not count:
// those that were committed, and those of earlier openings, as the first entry of an opening waits
// until its salt is durable. To give up entries, the first 8 bytes of each become 0, durably.
//
// An entry is durable before the next one is made. So where one follows what does not count, and
// was not given up, the area is damaged.
#ifndef POTOROO_ENGINE_LOG_UNDO_H_
#define POTOROO_ENGINE_LOG_UNDO_H_

#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/engine.h"
#include "engine/medium/medium.h"

namespace potoroo::engine {

inline constexpr Bytes kUndoMap{"\0undo", 5};
inline constexpr Bytes kUndoArea = "area";
inline constexpr Bytes kUndoCommitted = "committed";

struct UndoEntry {
  uint32_t checksum;
  uint32_t size;
  uint64_t place;
  uint64_t salt;
  uint64_t transaction;
  uint32_t number;
  uint32_t reserved;
};
static_assert(sizeof(UndoEntry) == 40 && std::is_trivially_copyable_v<UndoEntry>,
              "UndoEntry is on media: changing it needs a new pool layout version");

// The entry at `at` of an area, if it counts: see above. `before` is nullptr for the first one.
bool LoadUndoEntry(Bytes area, uint64_t at, uint64_t salt, uint64_t committed,
                   const UndoEntry* before, UndoEntry* entry);
// Whether one follows that says that the entry at `at` is missing. `before`: the last one that
// counts.
bool MissesUndoEntry(Bytes area, uint64_t at, uint64_t salt, uint64_t committed,
                     const UndoEntry* before);
// Returns where the next entry begins.
uint64_t AfterUndoEntry(uint64_t at, uint64_t size);

// Only the thread that changes buffers uses it, except where a comment says otherwise.
class Undo {
 public:
  // A range that is saved.
  struct Saved {
    uint64_t place;
    uint32_t size;
    uint64_t entry;  // where in the area
  };

  explicit Undo(Medium* medium) : medium_(medium) {}

  // The area, with the entries so far, and the last transaction that was committed.
  void Attach(char* area, uint64_t size, uint64_t committed);
  void SetCommitted(uint64_t committed) { transaction_ = committed + 1; }
  bool attached() const { return area_ != nullptr; }
  uint64_t transaction() const { return transaction_; }
  const std::vector<Saved>& saved() const { return saved_; }
  // Whether a saved range lies, in part at least, at these bytes of the pool.
  bool HasSavedIn(uint64_t offset, uint64_t size) const;
  // The used part of the area, and its size with one more entry.
  Bytes used() const { return {area_, used_}; }
  uint64_t SizeWith(uint64_t size) const;
  bool HasRoom(uint64_t size) const { return attached() && SizeWith(size) <= size_; }

  // On persistent memory the entry is durable when this returns; otherwise `from` and `to` say what
  // has to be synced.
  void Append(const char* bytes, uint64_t size, uint64_t salt, const char** from, const char** to);
  // Makes durable what is in the saved ranges now.
  Status FlushSaved() const;
  // Brings back what all but the first `count` entries hold, the latest first, and then gives those
  // up. Durable when it returns.
  Status Restore(uint64_t count);
  // The transaction is over: its entries do not count any more.
  void Commit();

  // Finds the entries that count where a pool is opened: see above. False where one is missing.
  bool Read(uint64_t salt);

 private:
  Medium* medium_;
  char* area_ = nullptr;
  uint64_t size_ = 0, used_ = 0;
  uint64_t transaction_ = 1;
  uint32_t number_ = 0;  // of the next entry
  std::vector<Saved> saved_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_LOG_UNDO_H_
