#include "engine/pool/figures.h"

#include <algorithm>

#include "engine/base/memory.h"
#include "engine/space/holes.h"

namespace potoroo::engine {

// Called by the writing thread, or a thread that keeps it from writing.
void Figures::Find() {
  (void)Guarded([&] { return finder_->Finish(false); });
  // Space that a checkpoint has given up since the last write counts as free.
  (void)Guarded([&] {
    reaper_->Recycle();
    return Status::Ok();
  });
  if (finder_->is_searching()) found_used_ = finder_->used();
  const Medium& medium = *core_->store->medium();
  const Space& space = *core_->store->space();
  uint64_t growth = medium.max_size() - std::min(medium.size(), medium.max_size());
  stats_.size = medium.size();
  stats_.max_size = medium.max_size();
  stats_.free = space.free_bytes() + growth;
  // A part and an extent have headers of their own.
  constexpr uint64_t kHeaders = uint64_t{2} << 20;
  uint64_t grown = growth > kHeaders ? growth - kHeaders : 0;
  stats_.largest = std::min<uint64_t>(std::max(space.largest(), grown), kMaxValueSize);
  stats_.is_pmem = medium.lies_on_pmem();
  if (core_->read_only) stats_.free = stats_.largest = 0;
}

PoolStats Figures::Stats() {
  std::lock_guard<std::mutex> lock(mutex_);
  // Figures that only the writer may read are as of the last time that no write was under way. The
  // first caller waits.
  std::unique_lock<std::mutex> writer(core_->write_mutex, std::defer_lock);
  if (stats_.size == 0 ? (writer.lock(), true) : writer.try_lock()) {
    if (!core_->closed) Find();
    writer.unlock();
  }
  PoolStats stats = stats_;
  stats.snapshots = core_->states.snapshots();
  stats.epoch = core_->epoch;
  stats.decrypted = core_->decrypted.used();
  if (core_->read_only) {
    stats.used = stats.size;
  } else if (core_->store != nullptr) {  // Close holds us before it goes
    stats.used = core_->store->space()->used() + core_->store->objects_size();
    if (finder_->is_searching_still()) stats.used += found_used_;
  }
  return stats;
}

uint64_t Figures::BytesOnDisk() {
  std::lock_guard<std::mutex> lock(mutex_);
  return core_->store == nullptr ? 0 : engine::BytesOnDisk(*core_->store->medium());
}

}  // namespace potoroo::engine
