#include "engine/commit/kept_states.h"

#include <algorithm>
#include <new>

#include "engine/medium/reader_locks.h"

namespace potoroo::engine {

void KeptStates::SetDurable(State* state, uint64_t number) {
  const uint64_t before = number - 1;
  if (IsRead(core_->store->medium()->PartOf(0).fd, before, before)) {
    State* kept = core_->states.KeepDurable();
    std::lock_guard<std::mutex> lock(mutex_);
    try {
      kept_.push_back({before, kept});
    } catch (const std::bad_alloc&) {
      // Then it is kept until the pool is closed.
    }
  }
  core_->states.SetDurable(state);
  ReleaseUnread();
}

void KeptStates::ReleaseUnread() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (kept_.empty()) return;
  const int fd = core_->store->medium()->PartOf(0).fd;
  auto unread = [&](const Kept& kept) {
    if (IsRead(fd, kept.number, kept.number)) return false;
    core_->states.Release(kept.state);
    return true;
  };
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(), unread), kept_.end());
}

}  // namespace potoroo::engine
