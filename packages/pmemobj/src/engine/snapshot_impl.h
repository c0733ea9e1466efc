#ifndef POTOROO_ENGINE_SNAPSHOT_IMPL_H_
#define POTOROO_ENGINE_SNAPSHOT_IMPL_H_

#include <memory>
#include <utility>

#include "pool_impl.h"

namespace potoroo {

// Keeps a state pinned.
struct Snapshot::Impl {
  // Takes over the pin.
  Impl(std::shared_ptr<Pool::Impl> of, State* pinned) : pool(std::move(of)), state(pinned) {}
  ~Impl() { pool->states.Unpin(state); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::unique_ptr<Impl> Again() const {
    pool->states.Pin(state);
    return std::make_unique<Impl>(pool, state);
  }

  std::shared_ptr<Pool::Impl> pool;
  State* state;
};

}  // namespace potoroo

#endif  // POTOROO_ENGINE_SNAPSHOT_IMPL_H_
