#include "engine/pool/pool_impl.h"

#include <algorithm>

#include "engine/base/memory.h"
#include "engine/tree/search.h"

namespace potoroo::engine {

Status StatusOf(Code code) {
  switch (code) {
    case Code::kOk:
      return Status::Ok();
    case Code::kNotFound:
      return Status(code, "not found");
    case Code::kNoMemory:
      return NoMemory();
    case Code::kNoSpace:
      return Status(code, "the pool is full");
    case Code::kCorrupt:
      return Status(code, "a page or value of the pool is damaged");
    default:
      return Status(code, "the pool is closed, or an argument is out of range");
  }
}

Status ReadOnly() { return Status(Code::kReadOnly, "the pool was opened to be read only"); }

}  // namespace potoroo::engine

namespace potoroo {

Pool::Impl::Impl(std::unique_ptr<Medium> medium, const PoolOptions& options)
    : store(new Store(std::move(medium))),
      syncer(store->medium()),
      durability(options.durability),
      read_only_(store->medium()->read_only()),
      log_(store->medium()),
      undo_(store->medium()),
      transaction_(store.get()),
      writer_(&transaction_) {}

Pool::Impl::~Impl() {
  StopWalking();
  StopReaping();
  StopBackground();
}

Status Pool::Impl::Close() {
  StopWalking();
  StopReaping();
  StopBackground();
  std::lock_guard<std::mutex> lock(write_mutex);
  if (closed) return Status::Ok();
  Status status = Guarded([this] {
    Status last = syncer.status();
    // So that nothing is left to be done when it is opened.
    if (last.ok() && started_ && epoch != last_checkpoint_) last = CheckpointNow();
    return last;
  });
  // Opening does it, then.
  if (status.code() == Code::kNoMemory) status = Guarded([this] { return syncer.WaitForAll(); });
  closed = true;
  opening_.reset();
  store.reset();
  return status;
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
    return *map_root == State::kNoRoot ? Code::kNotFound : Code::kOk;
  }
  std::string name;
  Code code = names.Name(map, state->epoch, &name);
  if (code == Code::kOk) code = FindRootByName(state->directory, name, map_root);
  if (code == Code::kOk) {
    cached.store((uint64_t{map} + 1) << 32 | *map_root, std::memory_order_relaxed);
  }
  return code;
}

Status Pool::Impl::ListMaps(std::vector<std::string>* list) {
  list->clear();
  if (closed) return StatusOf(Code::kInvalid);
  State* state = states.Pin();
  Status status = Guarded([&] {
    uint32_t map_root;
    for (const NamedMap& map : names.All(state->epoch)) {
      if (map.name == kUndoMap) continue;
      Code code = FindRootByName(state->directory, map.name, &map_root);
      if (code == Code::kOk) list->push_back(map.name);
      if (code == Code::kCorrupt) return StatusOf(code);
    }
    return Status::Ok();
  });
  states.Unpin(state);
  std::sort(list->begin(), list->end());
  return status;
}

PoolStats Pool::Impl::Stats() {
  std::lock_guard<std::mutex> lock(stats_mutex_);
  // What only the writer may look at is as of the last time that nobody was writing. The first to
  // ask waits.
  std::unique_lock<std::mutex> writer(write_mutex, std::defer_lock);
  uint64_t found = 0;
  if (stats_.size == 0 || is_opening_ ? (writer.lock(), true) : writer.try_lock()) {
    if (!closed) {
      (void)Guarded([&] { return FinishOpening(false); });
      // Until it is known what is free, all counts as used.
      if (opening_ != nullptr) {
        found = opening_->walked.load(std::memory_order_acquire)
                    ? opening_->found.used()
                    : opening_->found.extents_size();
      }
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
      if (read_only_) stats_.free = stats_.largest = 0;
    }
    writer.unlock();
  }
  PoolStats stats = stats_;
  if (read_only_) stats.used = stats.size;
  if (!closed && !read_only_) stats.used = found + store->space()->used() + store->objects_size();
  stats.snapshots = states.snapshots();
  stats.epoch = epoch;
  return stats;
}

}  // namespace potoroo
