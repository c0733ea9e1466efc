#include "search.h"
#include "snapshot_impl.h"

namespace potoroo {

Snapshot::Snapshot(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Snapshot::~Snapshot() = default;

Status Snapshot::Get(uint32_t map, Bytes key, Bytes* value) const {
  Pool::Impl* pool = impl_->pool.get();
  if (pool->closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
  uint32_t root;
  Code code = pool->FindRoot(impl_->state, map, &root);
  if (code == Code::kOk) code = Lookup(*pool->store, root, key, value);
  return StatusOf(code);
}

}  // namespace potoroo
