// What readers in other processes keep: see medium/reader_locks.h.
#include <algorithm>
#include <new>

#include "engine/medium/reader_locks.h"
#include "engine/pool/pool_impl.h"

namespace potoroo {

// `state`, which Keep has given, is what the root slot leads to now. The state before stays pinned
// as long as somebody reads it.
void Pool::Impl::SetDurable(State* state) {
  const uint64_t before = root_.slot().number - 1;
  if (IsRead(store->medium()->PartOf(0).fd, before, before)) {
    State* kept = states.KeepDurable();
    std::lock_guard<std::mutex> lock(kept_mutex_);
    try {
      kept_.push_back({before, kept});
    } catch (const std::bad_alloc&) {
      // Then it is kept until the pool is closed.
    }
  }
  states.SetDurable(state);
  ask_others_ = true;
  ReleaseUnread();
}

void Pool::Impl::ReleaseUnread() {
  std::lock_guard<std::mutex> lock(kept_mutex_);
  if (kept_.empty()) return;
  const int fd = store->medium()->PartOf(0).fd;
  auto unread = [&](const Kept& kept) {
    if (IsRead(fd, kept.number, kept.number)) return false;
    states.Release(kept.state);
    return true;
  };
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(), unread), kept_.end());
}

}  // namespace potoroo
