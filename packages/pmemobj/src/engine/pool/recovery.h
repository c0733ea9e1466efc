// Recovery: the state of the last checkpoint, and then what the log has. For an opening; and for a
// pool whose log cannot be written any more, to take back what is not durable.
#ifndef POTOROO_ENGINE_POOL_RECOVERY_H_
#define POTOROO_ENGINE_POOL_RECOVERY_H_

#include <atomic>
#include <string>
#include <vector>

#include "engine/commit/checkpointer.h"
#include "engine/commit/committer.h"
#include "engine/commit/core.h"
#include "engine/commit/space_finder.h"
#include "engine/log/log_reader.h"
#include "engine/pool/buffers.h"

namespace potoroo::engine {

// Pools with extents of fewer bytes are walked before they are opened. Tests set it.
inline std::atomic<uint64_t> walked_at_once{uint64_t{64} << 20};

// Used by the writing thread, except where a comment says otherwise.
class Recovery {
 public:
  Recovery(Core* core, SpaceFinder* finder, Checkpointer* checkpointer, Committer* committer,
           Buffers* buffers)
      : core_(core),
        finder_(finder),
        checkpointer_(checkpointer),
        committer_(committer),
        buffers_(buffers) {}

  // Opens a pool to be written: rebuilds the space from the trees of the last checkpoint, and
  // replays the log.
  Status Load(Bytes key);
  // Applies all records of a log.
  Status ReplayAll(LogReader* reader);

  // Once the log has failed, no refused commit may be seen: the durable state becomes the latest
  // one again, by replaying in memory the log since the last checkpoint. Readers have the state of
  // before until then. Nothing is written any more, so no failure can come of that.
  //
  // Call it after each failure. Under kRelaxed, acknowledged commits stay.
  void GoBack();
  // Whether it has done so: then everything there is is durable.
  bool went_back() const { return went_back_; }
  // Whether the durable state cannot be shown either. From any thread.
  bool unreadable() const { return unreadable_; }

 private:
  Status FindSpace(const std::vector<std::string>& maps);
  Status GoBackToDurable();
  Status Replay();
  Status ReplayRecord(LogReader* reader, bool goes_back);

  Core* const core_;
  SpaceFinder* const finder_;
  Checkpointer* const checkpointer_;
  Committer* const committer_;
  Buffers* const buffers_;
  bool went_back_ = false;
  std::atomic<bool> unreadable_{false};
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_POOL_RECOVERY_H_
