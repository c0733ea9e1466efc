#ifndef POTOROO_ENGINE_POOL_SNAPSHOT_IMPL_H_
#define POTOROO_ENGINE_POOL_SNAPSHOT_IMPL_H_

#include <memory>
#include <utility>

#include "engine/pool/pool_impl.h"

namespace potoroo {

// Keeps a state pinned.
struct Snapshot::Impl {
  explicit Impl(std::shared_ptr<Pool::Impl> of) : pool(std::move(of)) {}
  ~Impl() {
    if (state == nullptr) return;
    pool->core.states.Unpin(state);
    pool->LimitDecrypted();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::unique_ptr<Impl> Again() const {
    auto again = std::make_unique<Impl>(pool);
    pool->core.states.Pin(state);
    again->state = state;
    return again;
  }

  std::shared_ptr<Pool::Impl> pool;
  engine::State* state = nullptr;  // pinned
};

}  // namespace potoroo

#endif  // POTOROO_ENGINE_POOL_SNAPSHOT_IMPL_H_
