#include "engine/pool/pool_impl.h"

#include <algorithm>

#include "engine/base/memory.h"
#include "engine/medium/holes.h"
#include "engine/tree/search.h"

namespace potoroo::engine {

Status StatusOf(Code code) {
  static const std::string not_found = "not found", full = "the pool is full",
                           damaged = "a page or value of the pool is damaged",
                           invalid = "the pool is closed, or an argument is out of range";
  switch (code) {
    case Code::kOk:
      return Status::Ok();
    case Code::kNotFound:
      return Status(code, &not_found);
    case Code::kNoMemory:
      return NoMemory();
    case Code::kNoSpace:
      return Status(code, &full);
    case Code::kCorrupt:
      return Status(code, &damaged);
    default:
      return Status(code, &invalid);
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
  // First: a writer that came later would start again what is stopped here.
  {
    std::lock_guard<std::mutex> lock(write_mutex);
    if (closed) return Status::Ok();
    closed = true;
  }
  StopWalking();
  StopReaping();
  StopBackground();
  std::lock_guard<std::mutex> stats(stats_mutex_);
  std::lock_guard<std::mutex> lock(write_mutex);
  Status status = Guarded([this] {
    Status last = syncer.status();
    // So that nothing is left to be done when it is opened.
    if (last.ok() && started_ && epoch != last_checkpoint_) last = CheckpointNow();
    return last;
  });
  // Opening does it, then.
  if (status.code() == Code::kNoMemory) status = Guarded([this] { return syncer.WaitForAll(); });
  syncer.Leave();
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

Status Pool::Impl::Pin(State** state) {
  if (unreadable) return syncer.status();
  *state = states.Pin();
  return Status::Ok();
}

Status Pool::Impl::ListMaps(std::vector<std::string>* list) {
  list->clear();
  if (closed) return StatusOf(Code::kInvalid);
  State* state = nullptr;
  Status status = Pin(&state);
  if (!status.ok()) return status;
  status = Guarded([&] {
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

// By the writing thread, or who keeps it from writing.
void Pool::Impl::FindStats() {
  (void)Guarded([&] { return FinishOpening(false); });
  // Until it is known what is free, all counts as used.
  if (opening_ != nullptr) {
    found_used_ = opening_->walked.load(std::memory_order_acquire) ? opening_->found.used()
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
  stats_.largest = std::min<uint64_t>(std::max(store->space()->largest(), grown), kMaxValueSize);
  stats_.is_pmem = medium.lies_on_pmem();
  if (read_only_) stats_.free = stats_.largest = 0;
}

PoolStats Pool::Impl::Stats() {
  std::lock_guard<std::mutex> lock(stats_mutex_);
  // What only the writer may look at is as of the last time that nobody was writing. The first to
  // ask waits.
  std::unique_lock<std::mutex> writer(write_mutex, std::defer_lock);
  if (stats_.size == 0 ? (writer.lock(), true) : writer.try_lock()) {
    if (!closed) FindStats();
    writer.unlock();
  }
  PoolStats stats = stats_;
  stats.snapshots = states.snapshots();
  stats.epoch = epoch;
  if (read_only_) {
    stats.used = stats.size;
  } else if (store != nullptr) {  // Close takes the lock on statistics before it goes
    stats.used = store->space()->used() + store->objects_size();
    if (is_opening_) stats.used += found_used_;
  }
  return stats;
}

uint64_t Pool::Impl::BytesOnDisk() {
  std::lock_guard<std::mutex> lock(stats_mutex_);
  return store == nullptr ? 0 : engine::BytesOnDisk(*store->medium());
}

}  // namespace potoroo
