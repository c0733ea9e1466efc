#include <algorithm>

#include "engine/base/memory.h"
#include "engine/pool/snapshot_impl.h"
#include "engine/tree/counts.h"
#include "engine/tree/search.h"

namespace potoroo {

using engine::Guarded;
using engine::kEntryBuffer;
using engine::StatusOf;

Snapshot::Snapshot(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Snapshot::~Snapshot() = default;

Status Snapshot::Get(uint32_t map, Bytes key, Bytes* value) const {
  Pool::Impl* pool = impl_->pool.get();
  return Guarded([&] {
    if (pool->core.closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
    uint32_t root;
    Code code = pool->core.FindRoot(impl_->state, map, &root);
    if (code == Code::kOk) code = Lookup(*pool->core.store, root, key, value);
    return StatusOf(code);
  });
}

Status Snapshot::Count(uint32_t map, const Bytes* from, const Bytes* to, uint64_t* count,
                       bool* known) const {
  Pool::Impl* pool = impl_->pool.get();
  *count = 0;
  *known = true;
  return Guarded([&] {
    if (pool->core.closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
    uint32_t root = 0;
    Code code = pool->core.FindRoot(impl_->state, map, &root);
    if (code == Code::kNotFound) return Status::Ok();
    if (code != Code::kOk) return StatusOf(code);
    if (from != nullptr && to != nullptr && *to <= *from) return Status::Ok();
    const engine::Store& store = *pool->core.store;
    uint64_t below = 0, all = 0;
    code = engine::CountBelow(store, root, to, &all, known);
    if (code == Code::kOk && *known && from != nullptr) {
      code = engine::CountBelow(store, root, from, &below, known);
    }
    if (code == Code::kOk && below > all) code = Code::kCorrupt;
    if (code == Code::kOk && *known) *count = all - below;
    return StatusOf(code);
  });
}

Status Snapshot::GetBuffer(uint32_t map, Bytes key, char** memory, size_t* size) const {
  Pool::Impl* pool = impl_->pool.get();
  if (pool->core.read_only) return engine::ReadOnly();
  return Guarded([&] {
    if (pool->core.closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
    uint32_t root;
    engine::PageEntry entry;
    Bytes bytes;
    Code code = pool->core.FindRoot(impl_->state, map, &root);
    if (code == Code::kOk) code = FindEntry(*pool->core.store, root, key, &entry);
    if (code != Code::kOk) return StatusOf(code);
    if (!(entry.flags & kEntryBuffer)) return Status(Code::kInvalid, "the value is not a buffer");
    if (!LoadValue(*pool->core.store, entry, &bytes)) return StatusOf(Code::kCorrupt);
    *memory = const_cast<char*>(bytes.data());
    *size = bytes.size();
    return Status::Ok();
  });
}

Status Snapshot::ListMaps(std::vector<NamedMap>* maps) const {
  Pool::Impl* pool = impl_->pool.get();
  maps->clear();
  return Guarded([&] {
    if (pool->core.closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
    for (const NamedMap& map : pool->core.names.All(impl_->state->epoch)) {
      if (map.name == engine::kUndoMap) continue;
      uint32_t root;
      Code code = pool->core.FindRootByName(impl_->state->directory, map.name, &root);
      if (code == Code::kOk) maps->push_back(map);
      if (code == Code::kCorrupt) return StatusOf(code);
    }
    std::sort(maps->begin(), maps->end(),
              [](const NamedMap& a, const NamedMap& b) { return a.name < b.name; });
    return Status::Ok();
  });
}

}  // namespace potoroo
