// Finds the free space when a pool is opened.
//
// Only the trees of the last checkpoint say that, and to walk them all takes the longer the more
// there is. So a big pool is open before: its extents can be read, but nothing there is taken or
// given up, and what is written goes to extents of its own, until the trees were walked by a
// thread. The state of the opening stays pinned meanwhile. When the walk is done, the next write
// makes one space of both. A write that finds no space waits for that. Only then may the pool grow,
// so that to open and close it again and again makes it no bigger.
//
// Readers in other processes may still read checkpoints of earlier openings, of which nothing is
// known here: then all that was there stays as it is until they are gone, and the pool may grow at
// once.
#ifndef POTOROO_ENGINE_COMMIT_SPACE_FINDER_H_
#define POTOROO_ENGINE_COMMIT_SPACE_FINDER_H_

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "engine/commit/core.h"
#include "engine/space/superblock.h"
#include "engine/tree/walk.h"

namespace potoroo::engine {

// Used by the writing thread, except where a comment says otherwise.
class SpaceFinder {
 public:
  explicit SpaceFinder(Core* core) : core_(core) {}

  // Finds the extents and big values of a pool, before anything is read. kCorrupt, kInUse.
  Status Begin(const Root& root);
  // Keeps the latest state, which is that of the last checkpoint, until the free space is known.
  void Keep();
  // Walks the trees of that state: now, or by a thread.
  Status WalkAtOnce();
  Status WalkInBackground();
  const std::vector<Walk::Buffer>& buffers() const { return search_->walk.buffers(); }
  // Makes what was found a part of the space, if it is known and may be used; `wait`: until it is
  // known. kCorrupt, kNoSpace.
  Status Finish(bool wait);
  // Ends the walk. Without the write_mutex, which it takes.
  void Stop();
  // Forgets what was found: the pool is closed.
  void Reset() { search_.reset(); }

  // Whether some of the space is still to be found, or may not be used yet. The second: for any
  // thread.
  bool is_searching() const { return search_ != nullptr; }
  bool is_searching_still() const { return is_searching_; }
  // Whether a walk is under way.
  bool is_walking() const {
    return search_ != nullptr && !search_->walked.load(std::memory_order_acquire);
  }
  // Bytes of what was found that are in use. Until it is known what is free, all counts as used.
  uint64_t used() const {
    return is_walking() ? search_->found.extents_size() : search_->found.used();
  }
  // There is a new checkpoint: so it is worth asking again if somebody still reads what was there
  // before this opening. From any thread.
  void AskAgain() { ask_others_ = true; }

 private:
  struct Search {
    Search(Store* store, const RootSlot& slot, bool thorough)
        : found(store->medium()), walk(store, &found, slot.epoch, thorough), number(slot.number) {}
    Space found;
    Walk walk;
    const uint64_t number;  // of the checkpoint
    State* state = nullptr;
    Status status;  // of the walk, once it has `walked`
    std::atomic<bool> walked{false};
    std::thread thread;
  };
  Status FindObjects();
  bool IsReadByOthers() const;
  Status FinishNow(bool wait);

  Core* const core_;
  std::unique_ptr<Search> search_;
  std::atomic<bool> is_searching_{false};
  std::atomic<bool> ask_others_{true};
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_SPACE_FINDER_H_
