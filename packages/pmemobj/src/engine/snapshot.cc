#include <algorithm>

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

Status Snapshot::GetBuffer(uint32_t map, Bytes key, char** memory, size_t* size) const {
  Pool::Impl* pool = impl_->pool.get();
  if (pool->closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
  uint32_t root;
  PageEntry entry;
  Bytes bytes;
  Code code = pool->FindRoot(impl_->state, map, &root);
  if (code == Code::kOk) code = FindEntry(*pool->store, root, key, &entry);
  if (code != Code::kOk) return StatusOf(code);
  if (!(entry.flags & kEntryBuffer)) return Status(Code::kInvalid, "the value is not a buffer");
  if (!LoadValue(*pool->store, entry, &bytes)) return StatusOf(Code::kCorrupt);
  *memory = const_cast<char*>(bytes.data());
  *size = bytes.size();
  return Status::Ok();
}

Status Snapshot::ListMaps(std::vector<NamedMap>* maps) const {
  Pool::Impl* pool = impl_->pool.get();
  maps->clear();
  if (pool->closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
  std::string name;
  for (uint32_t map = 0; pool->names.Name(map, &name); map++) {
    if (name == kUndoMap) continue;
    uint32_t root;
    Code code = pool->FindRootByName(impl_->state->directory, name, &root);
    if (code == Code::kOk) maps->push_back({name, map});
    if (code == Code::kCorrupt) return StatusOf(code);
  }
  std::sort(maps->begin(), maps->end(),
            [](const NamedMap& a, const NamedMap& b) { return a.name < b.name; });
  return Status::Ok();
}

}  // namespace potoroo
