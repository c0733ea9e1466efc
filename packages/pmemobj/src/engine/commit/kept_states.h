// Checkpoints that another process reads and that are no longer the latest: see
// medium/reader_locks.h. Their states stay pinned.
#ifndef POTOROO_ENGINE_COMMIT_KEPT_STATES_H_
#define POTOROO_ENGINE_COMMIT_KEPT_STATES_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/commit/core.h"

namespace potoroo::engine {

// Safe for all threads.
class KeptStates {
 public:
  explicit KeptStates(Core* core) : core_(core) {}

  // `state`, which States::Keep has given, is that of the checkpoint `number`, to which the root
  // leads now. The state before stays pinned as long as somebody reads it.
  void SetDurable(State* state, uint64_t number);
  void ReleaseUnread();

 private:
  struct Kept {
    uint64_t number;
    State* state;
  };

  Core* const core_;
  std::mutex mutex_;
  std::vector<Kept> kept_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_KEPT_STATES_H_
