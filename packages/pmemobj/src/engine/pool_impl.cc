#include "pool_impl.h"

#include <algorithm>

#include "search.h"

namespace potoroo::engine {

Status StatusOf(Code code) {
  switch (code) {
    case Code::kOk:
      return Status::Ok();
    case Code::kNotFound:
      return Status(code, "not found");
    case Code::kNoSpace:
      return Status(code, "the pool is full");
    case Code::kCorrupt:
      return Status(code, "a page or value of the pool is damaged");
    default:
      return Status(code, "the pool is closed, or an argument is out of range");
  }
}

uint32_t MapNames::Add(Bytes name) {
  std::unique_lock<std::shared_mutex> lock(mutex_);
  auto added = numbers_.emplace(std::string(name), static_cast<uint32_t>(names_.size()));
  if (added.second) names_.emplace_back(name);
  return added.first->second;
}

bool MapNames::Find(Bytes name, uint32_t* map) const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  auto found = numbers_.find(std::string(name));
  if (found == numbers_.end()) return false;
  *map = found->second;
  return true;
}

bool MapNames::Name(uint32_t map, std::string* name) const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  if (map >= names_.size()) return false;
  *name = names_[map];
  return true;
}

}  // namespace potoroo::engine

namespace potoroo {

Pool::Impl::Impl(std::unique_ptr<Medium> medium, Durability level)
    : store(new Store(std::move(medium))),
      durability(level),
      log_(store->medium()),
      undo_(store->medium()),
      transaction_(store.get()),
      writer_(&transaction_) {}

Pool::Impl::~Impl() { StopBackground(); }

void Pool::Impl::Close() {
  StopBackground();
  std::lock_guard<std::mutex> lock(write_mutex);
  if (closed) return;
  // So that nothing is left to be done when it is opened.
  if (started_ && epoch != last_checkpoint_ && syncer.status().ok()) CheckpointNow();
  closed = true;
  store.reset();
}

Code Pool::Impl::FindRootByName(uint32_t directory, Bytes name, uint32_t* map_root) const {
  Bytes bytes;
  Code code = Lookup(*store, directory, name, &bytes);
  if (code != Code::kOk) return code;
  if (bytes.size() != sizeof(DirectoryValue)) return Code::kCorrupt;
  memcpy(map_root, bytes.data(), 4);
  return Code::kOk;
}

Code Pool::Impl::FindRoot(State* state, uint32_t map, uint32_t* map_root) const {
  std::atomic<uint64_t>& cached = state->roots[map % State::kRoots];
  uint64_t word = cached.load(std::memory_order_relaxed);
  if (word >> 32 == uint64_t{map} + 1) {
    *map_root = static_cast<uint32_t>(word);
    return Code::kOk;
  }
  std::string name;
  if (!names.Name(map, &name)) return Code::kInvalid;
  Code code = FindRootByName(state->directory, name, map_root);
  if (code == Code::kOk) {
    cached.store((uint64_t{map} + 1) << 32 | *map_root, std::memory_order_relaxed);
  }
  return code;
}

Status Pool::Impl::ListMaps(std::vector<std::string>* list) {
  list->clear();
  if (closed) return StatusOf(Code::kInvalid);
  State* state = states.Pin();
  Code code = Code::kOk;
  std::string name;
  uint32_t map_root;
  for (uint32_t map = 0; names.Name(map, &name); map++) {
    if (name == kUndoMap) continue;
    code = FindRootByName(state->directory, name, &map_root);
    if (code == Code::kOk) list->push_back(name);
    if (code == Code::kCorrupt) break;
  }
  states.Unpin(state);
  std::sort(list->begin(), list->end());
  return code == Code::kCorrupt ? StatusOf(code) : Status::Ok();
}

PoolStats Pool::Impl::Stats() {
  // What only the writer may look at is as of the last time that nobody was writing.
  if (write_mutex.try_lock()) {
    if (!closed) {
      const Medium& medium = *store->medium();
      uint64_t growth = medium.max_size() - std::min(medium.size(), medium.max_size());
      stats_.size = medium.size();
      stats_.max_size = medium.max_size();
      stats_.free = store->space()->free_bytes() + growth;
      // A part and an extent have headers of their own.
      constexpr uint64_t kHeaders = uint64_t{2} << 20;
      uint64_t grown = growth > kHeaders ? growth - kHeaders : 0;
      stats_.largest =
          std::min<uint64_t>(std::max(store->space()->largest(), grown), kMaxValueSize);
      stats_.is_pmem = medium.is_pmem();
    }
    write_mutex.unlock();
  }
  PoolStats stats = stats_;
  if (!closed) stats.used = store->space()->used() + store->objects_size();
  stats.snapshots = states.snapshots();
  stats.epoch = epoch;
  return stats;
}

}  // namespace potoroo
