// Checkpoints: what was only stored becomes durable, and a crash leads back to here.
//
// On persistent memory they are made by the writing thread: it flushes a few thousand cache lines.
// Off it, by a thread of their own, while records go to the log's other segment.
#ifndef POTOROO_ENGINE_COMMIT_CHECKPOINTER_H_
#define POTOROO_ENGINE_COMMIT_CHECKPOINTER_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/commit/core.h"
#include "engine/commit/kept_states.h"
#include "engine/commit/reaper.h"
#include "engine/commit/space_finder.h"
#include "engine/log/log.h"
#include "engine/space/superblock.h"

namespace potoroo::engine {

// Owns the root, which names the last checkpoint, and the log since then. Used by the writing
// thread, except where a comment says otherwise.
class Checkpointer {
 public:
  Checkpointer(Core* core, SpaceFinder* finder, Reaper* reaper)
      : core_(core), finder_(finder), reaper_(reaper), kept_(core), log_(core->store->medium()) {}

  // Makes the superblock and the log of a pool that has just been created.
  Status Create(Bytes key);
  // Begins from the last checkpoint of the root, with its log.
  void Begin();
  Root* root() { return &root_; }
  Log* log() { return &log_; }

  // Makes room for a record of `record` bytes in the log: by a checkpoint, if need be.
  Status MakeRoom(uint64_t record);
  // Makes a checkpoint of the latest commit, durably.
  Status Run();
  // The same, on a thread where it takes long. Not `*begun`: one is under way.
  Status Begin(bool* begun);
  // The same, of a commit on its way, which then goes without the log. Once it is the latest one,
  // SetLatestDurable has to be called.
  Status RunFor(uint64_t epoch, uint32_t directory);
  void SetLatestDurable() { SetDurable(core_->states.Keep()); }
  // Waits for the thread. Whether there was anything to wait for.
  bool Wait();
  // Ends the thread. Without the write_mutex.
  void Stop();
  // Gives up older checkpoints that other processes no longer read.
  void ReleaseUnread() { kept_.ReleaseUnread(); }

  // Whether the log takes records of this opening.
  bool started() const { return started_; }
  // Whether there were commits since the last checkpoint began.
  bool is_behind() const { return core_->epoch != last_epoch_; }
  // The salt of undo entries of this opening, once it has `started`.
  uint64_t undo_salt() const { return undo_salt_; }

 private:
  // A state on its way to being the one that a crash leads back to.
  struct Frozen {
    std::vector<Space::Dirty> dirty;
    std::vector<Medium::Range> ranges;  // room for them
    RootSlot next;
    State* state = nullptr;
  };
  Status Freeze(uint64_t epoch, uint32_t directory, Frozen* frozen);
  Status SealDirty(Frozen* frozen);
  Status MakeDurable(Frozen* frozen);
  void SetDurable(State* state);
  void StartLog(const RootSlot& slot);
  bool WantsBiggerLog() const;
  bool is_running();
  Status RunQuickly();
  Status RunInBackground();
  void RunThread();

  Core* const core_;
  SpaceFinder* const finder_;
  Reaper* const reaper_;
  KeptStates kept_;
  Root root_;
  Log log_;
  uint64_t last_epoch_ = 0;      // of the last checkpoint
  uint64_t undo_salt_ = 0;       // of the entries of this opening
  bool started_ = false;         // the log takes records of this opening
  bool takes_batches_ = false;   // records that are long have filled it
  uint64_t log_refused_at_ = 0;  // bytes of extents when there was no room for a bigger one

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::unique_ptr<Frozen> frozen_;  // there is one as long as it is under way
  bool stop_ = false;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_CHECKPOINTER_H_
