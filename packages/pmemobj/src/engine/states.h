// The commits that somebody may still read: the latest, and those that snapshots pin.
#ifndef POTOROO_ENGINE_STATES_H_
#define POTOROO_ENGINE_STATES_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "transaction.h"

namespace potoroo::engine {

struct State {
  uint64_t epoch = 0;
  uint32_t directory = 0;
  uint64_t pins = 0;
  // What later commits gave up while this was the last state that needed it.
  std::vector<Item> parked;
  // Roots of maps that were looked up: (map + 1) << 32 | root.
  static constexpr size_t kRoots = 16;
  std::atomic<uint64_t> roots[kRoots] = {};
};

// Safe for all threads.
class States {
 public:
  void Reset(uint64_t epoch, uint32_t directory);
  // The latest state.
  State* Pin();
  void Pin(State* state);
  void Unpin(State* state);
  // A commit is durable and becomes the latest. What it gave up that no state needs goes to
  // `free`, with what released snapshots left since the last time; the rest is parked.
  void Publish(uint64_t epoch, uint32_t directory, const std::vector<Item>& retired,
               std::vector<Item>* free);
  void TakeFree(std::vector<Item>* free);
  uint64_t snapshots() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<State>> live_;  // ascending; the last is the latest
  std::vector<Item> free_;
  uint64_t pins_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_STATES_H_
