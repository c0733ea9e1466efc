// Checkpoints: what was only stored becomes durable, and a crash leads back to here.
//
// On persistent memory they are made by the writing thread: it flushes a few thousand cache lines.
// Off it, by a thread of their own, while records go to the log's other segment.
#include <chrono>

#include "checksum.h"
#include "fault.h"
#include "pool_impl.h"

namespace potoroo {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
// A log is big enough to spare work, and small enough to be done anew within milliseconds.
constexpr uint64_t kBigSegment = 4 * kMiB;
constexpr uint64_t kBigPool = 32 * kMiB;
// Under Durability::kRelaxed, what a power cut may take.
constexpr std::chrono::seconds kRelaxedDelay{1};

// Gives the page its checksum. Its bytes in use.
uint32_t SealPage(char* page) {
  PageHeader header;
  memcpy(&header, page, sizeof header);
  header.checksum = Checksum(page + 4, header.size - 4);
  memcpy(page, &header.checksum, 4);
  return header.size;
}

}  // namespace

Status Pool::Impl::Create() {
  // Nothing is in use yet, but the log.
  Medium* medium = store->medium();
  uint64_t size = medium->size() < 2 * kBigPool ? kLeastSegment : kBigSegment;
  LogPlace place = Log::Allocate(medium, store->space(), size);
  if (place.offset == 0) return StatusOf(Code::kNoSpace);
  RootSlot first{};
  first.generation = 1;
  first.log = place.offset;
  first.segment_size = place.segment_size;
  log_.Attach(place);
  return Root::Create(medium, first, &root_);
}

// So that a record of so many bytes fits.
Status Pool::Impl::MakeRoom(uint64_t record) {
  if (started_ && log_.HasRoom(record)) return Status::Ok();
  if (!started_ || store->medium()->is_pmem() || WantsBiggerLog()) return CheckpointNow();
  return CheckpointInBackground();
}

bool Pool::Impl::WantsBiggerLog() const {
  return log_.place().segment_size < kBigSegment && store->space()->extents_size() >= kBigPool;
}

// What has to be made durable, and what the root slot will be. Only one checkpoint at a time.
//
// Checksums are made here, by the writing thread: a page that only a snapshot needs may be freed,
// and hold something else, before the thread of checkpoints comes to it.
void Pool::Impl::Freeze(uint64_t at, uint32_t directory, Frozen* frozen) {
  store->space()->TakeDirty(&frozen->dirty);
  for (Space::Dirty& dirty : frozen->dirty) {
    if (dirty.size == 0) dirty.size = SealPage(store->medium()->At(dirty.offset));
  }
  RootSlot& next = frozen->next;
  next = RootSlot{};
  next.epoch = at;
  next.directory = directory;
  next.generation = root_.slot().generation + (started_ ? 0 : 1);
  next.log = log_.place().offset;
  next.segment_size = log_.place().segment_size;
  next.segment = 1 - (started_ ? log_.segment() : root_.slot().segment);
  next.flags = store->medium()->is_pmem() ? kOrderedLog : 0;
}

// Safe beside the writing thread: nothing that was frozen changes.
Status Pool::Impl::MakeDurable(Frozen* frozen) {
  Medium* medium = store->medium();
  std::vector<Medium::Range> ranges;
  for (const Space::Dirty& dirty : frozen->dirty) {
    if (Planted(Fault::kCheckpointFlush) && &dirty == &frozen->dirty.front()) continue;
    char* start = medium->At(dirty.offset);
    if (medium->is_pmem()) {
      medium->Flush(start, dirty.size);
    } else {
      ranges.emplace_back(start, start + dirty.size);
    }
  }
  Status status;
  if (!Planted(Fault::kCheckpointFence)) {
    status = medium->is_pmem() ? medium->Fence() : Medium::SyncAll(&ranges);
  }
  if (status.ok()) status = root_.Switch(frozen->next);
  if (status.ok()) {
    syncer.SetDurable(frozen->next.epoch);
  } else {
    syncer.Fail(status);
  }
  return status;
}

// Records go to the segment that a checkpoint names.
void Pool::Impl::StartLog(const RootSlot& slot) {
  log_.Start(slot.segment, slot.generation);
  last_checkpoint_ = slot.epoch;
  started_ = true;
}

Status Pool::Impl::CheckpointNow() {
  WaitForBackground();
  Frozen frozen;
  Freeze(epoch, directory_, &frozen);
  LogPlace place;
  if (WantsBiggerLog()) place = Log::Allocate(store->medium(), store->space(), kBigSegment);
  if (place.offset != 0) {
    frozen.next.log = place.offset;
    frozen.next.segment_size = place.segment_size;
  }
  Status status = MakeDurable(&frozen);
  if (!status.ok()) return status;
  states.SetDurable(states.Keep());
  if (place.offset != 0) {
    store->space()->FreeRun(log_.place().offset, log_.place().size());
    log_.Attach(place);
  }
  StartLog(frozen.next);
  Recycle();
  return status;
}

Status Pool::Impl::CheckpointInBackground() {
  WaitForBackground();
  Status status = syncer.status();
  if (!status.ok()) return status;
  auto frozen = std::make_unique<Frozen>();
  Freeze(epoch, directory_, frozen.get());
  frozen->state = states.Keep();
  StartLog(frozen->next);
  {
    std::lock_guard<std::mutex> lock(background_mutex_);
    frozen_ = std::move(frozen);
  }
  NeedBackground();
  background_work_.notify_one();
  return status;
}

// Whether there was anything to wait for.
bool Pool::Impl::WaitForBackground() {
  std::unique_lock<std::mutex> lock(background_mutex_);
  if (frozen_ == nullptr) return false;
  background_done_.wait(lock, [&] { return frozen_ == nullptr; });
  return true;
}

void Pool::Impl::NeedBackground() {
  if (!background_.joinable()) background_ = std::thread([this] { RunBackground(); });
}

void Pool::Impl::StopBackground() {
  {
    std::lock_guard<std::mutex> lock(background_mutex_);
    background_stop_ = true;
  }
  background_work_.notify_one();
  if (background_.joinable()) background_.join();
}

// Checkpoints; and under Durability::kRelaxed, what has been written in the last second.
void Pool::Impl::RunBackground() {
  std::unique_lock<std::mutex> lock(background_mutex_);
  while (!background_stop_ || frozen_ != nullptr) {
    auto wanted = [&] { return background_stop_ || frozen_ != nullptr; };
    if (durability == Durability::kRelaxed) {
      background_work_.wait_for(lock, kRelaxedDelay, wanted);
    } else {
      background_work_.wait(lock, wanted);
    }
    Frozen* frozen = frozen_.get();
    lock.unlock();
    if (frozen == nullptr) {
      syncer.WaitForAll();
    } else if (MakeDurable(frozen).ok()) {
      states.SetDurable(frozen->state);
    } else {
      states.Release(frozen->state);
    }
    lock.lock();
    if (frozen == nullptr) continue;
    frozen_.reset();
    background_done_.notify_all();
  }
}

Status Pool::Impl::Sync(uint64_t commit) {
  return durability == Durability::kRelaxed ? syncer.status() : syncer.Wait(commit);
}

Status Pool::Impl::Checkpoint() {
  std::lock_guard<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  Status status = syncer.status();
  if (!status.ok() || (epoch == last_checkpoint_ && !WaitForBackground())) return status;
  return CheckpointNow();
}

Status Pool::Impl::Flush() { return syncer.WaitForAll(); }

}  // namespace potoroo
