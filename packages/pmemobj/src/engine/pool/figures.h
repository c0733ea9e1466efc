// Figures about an open pool.
#ifndef POTOROO_ENGINE_POOL_FIGURES_H_
#define POTOROO_ENGINE_POOL_FIGURES_H_

#include <cstdint>
#include <mutex>

#include "engine/commit/core.h"
#include "engine/commit/reaper.h"
#include "engine/commit/space_finder.h"

namespace potoroo::engine {

// Safe for all threads.
class Figures {
 public:
  Figures(Core* core, SpaceFinder* finder, Reaper* reaper)
      : core_(core), finder_(finder), reaper_(reaper) {}

  PoolStats Stats();
  uint64_t BytesOnDisk();
  // Keeps others from asking, while the store goes. Before the write_mutex is taken.
  std::unique_lock<std::mutex> Hold() { return std::unique_lock<std::mutex>(mutex_); }

 private:
  void Find();

  Core* const core_;
  SpaceFinder* const finder_;
  Reaper* const reaper_;
  std::mutex mutex_;  // taken before the write_mutex, where both are
  PoolStats stats_{};
  uint64_t found_used_ = 0;  // of what the opening under way has found
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_POOL_FIGURES_H_
