// The commits that somebody may still read: the latest, those that snapshots pin, and the one that
// a crash leads back to.
#ifndef POTOROO_ENGINE_COMMIT_STATES_H_
#define POTOROO_ENGINE_COMMIT_STATES_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/tree/transaction.h"

namespace potoroo::engine {

struct State {
  uint64_t epoch = 0;
  uint32_t directory = 0;
  uint64_t pins = 0;
  // Items that later commits gave up while this was the last state that needed them.
  std::vector<Item> parked;
  // Roots of maps that were looked up: (map + 1) << 32 | root.
  static constexpr size_t kRoots = 16;
  std::atomic<uint64_t> roots[kRoots] = {};

  static constexpr uint32_t kNoRoot = ~uint32_t{0};  // of a map that was dropped
  static uint64_t RootWord(uint32_t map, uint32_t root) { return (uint64_t{map} + 1) << 32 | root; }
};

// Safe for all threads. A holder of Lock() holds up all that pin or let go of a state: a commit
// that changes pages in place does so meanwhile, and calls only what takes the lock as an argument.
class States {
 public:
  using Lock = std::unique_lock<std::mutex>;
  Lock Hold() { return Lock(mutex_); }

  // The only state, which a crash leads back to.
  void Reset(uint64_t epoch, uint32_t directory);
  // The latest state, for a snapshot; or the one that is held up to readers.
  State* Pin();
  void Pin(State* state);
  void Unpin(State* state);
  // Pins the latest state for the engine's own purposes: not counted as a snapshot.
  State* Keep();
  // The one that a crash leads back to.
  State* KeepDurable();
  void Release(State* state);
  // The epoch of the latest state that somebody pins: pages that are younger are nobody's.
  uint64_t LastPinned(const Lock&) const;
  // Takes the memory that Publish needs, for a commit that gave up `retired` items. The latest
  // state has to stay pinned, or the lock held, until then.
  void Prepare(const Lock&, size_t retired, std::vector<Item>* free);
  // A commit becomes the latest state; `roots` are the RootWords of the maps that it changed. Space
  // that it gave up and no state needs goes to `free`; the rest is parked. Cannot fail.
  void Publish(const Lock&, uint64_t epoch, uint32_t directory, const std::vector<uint64_t>& roots,
               const std::vector<Item>& retired, std::vector<Item>* free);
  // `state`, which Keep has given, takes the place of the one that a crash led back to.
  void SetDurable(State* state);
  // Holds the latest state up to readers, until ShowLatest. A state that is published meanwhile is
  // not seen.
  void HoldView();
  void ShowLatest();
  // Makes what was there in an earlier commit the latest state again. With the view held.
  void GoBack(uint64_t epoch, uint32_t directory, std::vector<Item>* free);
  // Takes the items that released states left; without memory for them, a later call does.
  void TakeFree(const Lock&, std::vector<Item>* free);
  uint64_t snapshots() const;
  uint64_t snapshots(const Lock&) const { return snapshots_; }

 private:
  void Drop(State* state);
  bool Remove(size_t index);
  void RemoveUnpinned();

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<State>> live_;  // ascending; the last is the latest
  std::unique_ptr<State> next_;               // see Prepare
  State* durable_ = nullptr;
  State* shown_ = nullptr;  // held up to readers, pinned
  bool undropped_ = false;  // states that nobody pins are live, for want of memory
  std::vector<Item> free_;
  uint64_t snapshots_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_STATES_H_
