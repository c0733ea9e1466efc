// Space that no state needs any longer.
#ifndef POTOROO_ENGINE_COMMIT_REAPER_H_
#define POTOROO_ENGINE_COMMIT_REAPER_H_

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "engine/commit/core.h"

namespace potoroo::engine {

// Used by the writing thread, except where a comment says otherwise.
class Reaper {
 public:
  explicit Reaper(Core* core) : core_(core) {}

  // Items to be freed: States gives them.
  std::vector<Item>* free() { return &free_; }
  // Frees what is given up so far; the second with States held.
  void Recycle();
  void Recycle(const States::Lock& lock);
  // Frees the items, and begins with the trees. Without memory, trees wait until the next time.
  void RecycleTaken();
  // Whether there are trees to be walked and freed.
  bool has_trees() const { return !doomed_.empty(); }
  // Frees pages, values and keys of trees, some `limit` of them. The trees are as they were: what
  // is not freed yet is not written over. False where there is no memory to go on.
  bool Reap(size_t limit);
  // Frees all of it, for a caller who waits; others may write meanwhile. Takes the write_mutex.
  void ReapAll();
  // Ends the thread. Without the write_mutex.
  void Stop();

 private:
  size_t ReapPage(const char* data);
  void Start();
  void Run();

  Core* const core_;
  std::vector<Item> free_;
  std::vector<uint32_t> doomed_;  // pages of trees that no state needs
  std::thread thread_;
  std::atomic<bool> running_{false}, stop_{false};
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_REAPER_H_
