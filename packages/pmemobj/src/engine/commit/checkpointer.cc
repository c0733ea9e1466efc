#include "engine/commit/checkpointer.h"

#include "engine/base/checksum.h"
#include "engine/base/fault.h"
#include "engine/base/memory.h"

namespace potoroo::engine {
namespace {

// A log is big enough to spare work, and small enough to be replayed within milliseconds.
constexpr uint64_t kBigSegment = 4 * kMiB;
constexpr uint64_t kBigPool = 32 * kMiB;
// Records of batches. Each of them changes many pages, most of which the next one changes again:
// the more of them there are between two checkpoints, the less is written.
constexpr uint64_t kBatchRecord = 16 * 1024;

// Gives the page its checksum. Its bytes in use.
uint32_t SealPage(char* page) {
  PageHeader header;
  memcpy(&header, page, sizeof header);
  // Its memory was lost (see mapping.h): so no checkpoint will lead here.
  if (header.size < sizeof header || header.size > kPageSize) return kPageSize;
  header.checksum = Checksum(page + 4, header.size - 4);
  memcpy(page, &header.checksum, 4);
  return header.size;
}

}  // namespace

Status Checkpointer::Create(Bytes key) {
  // Nothing is in use yet, but the log.
  Medium* medium = core_->store->medium();
  uint64_t size = medium->size() < 2 * kBigPool ? kLeastSegment : kBigSegment;
  LogPlace place = Log::Allocate(medium, core_->store->space(), size);
  if (place.offset == 0) return StatusOf(Code::kNoSpace);
  RootSlot first{};
  first.log = place.offset;
  first.segment_size = place.segment_size;
  return Root::Create(medium, core_->store->space(), first, core_->store->cipher(), key, &root_);
}

void Checkpointer::Begin() {
  const RootSlot& slot = root_.slot();
  log_.Attach({slot.log, slot.segment_size});
  core_->Begin(slot.epoch, slot.directory);
  last_epoch_ = slot.epoch;
}

Status Checkpointer::MakeRoom(uint64_t record) {
  if (started_ && log_.HasRoom(record)) return Status::Ok();
  takes_batches_ = takes_batches_ || (started_ && record >= kBatchRecord);
  return RunQuickly();
}

Status Checkpointer::RunQuickly() {
  if (!started_ || core_->store->medium()->is_pmem() || WantsBiggerLog()) return Run();
  return RunInBackground();
}

Status Checkpointer::Begin(bool* begun) {
  *begun = !is_running();
  return *begun && is_behind() ? RunQuickly() : Status::Ok();
}

// Batches have one in a small pool too, if that may become a big one.
bool Checkpointer::WantsBiggerLog() const {
  if (finder_->is_searching() || log_.place().segment_size >= kBigSegment) return false;
  const uint64_t size = core_->store->space()->extents_size();
  // Unless there was no room for it, when the pool was as big as now.
  if (size == log_refused_at_) return false;
  return size >= kBigPool || (takes_batches_ && core_->store->medium()->max_size() >= 2 * kBigPool);
}

// Finds what has to be made durable, and what the root slot will be. Only one checkpoint at a time.
// kNoSpace: there is no room for the superblock of this layout version, and nothing was taken.
//
// Checksums are made here, by the writing thread: a page that only a snapshot needs may be freed,
// and hold something else, before the thread of checkpoints comes to it.
//
// So are the bytes of an encrypted page in its file. States taken here must become durable,
// whatever happens then.
Status Checkpointer::Freeze(uint64_t at, uint32_t directory, Frozen* frozen) {
  // Every checkpoint comes by here.
  Status status = root_.Prepare(core_->store->space());
  if (!status.ok()) return status;
  const size_t count = core_->store->space()->CountDirty();
  frozen->dirty.reserve(count);
  if (!core_->store->medium()->is_pmem()) frozen->ranges.reserve(count);
  RootSlot& next = frozen->next;
  next = RootSlot{};
  next.epoch = at;
  next.directory = directory;
  next.log = log_.place().offset;
  next.segment_size = log_.place().segment_size;
  const RootSlot& now = root_.slot();
  next.segment = 1 - (started_ ? log_.segment() : now.segment);
  // Records go to the segment before this slot is durable, so the slot before has its salt already.
  // But the first of an opening: what an earlier one has left there may not count.
  next.salts[next.segment] = started_ ? now.salts[next.segment] : NewSalt();
  next.salts[1 - next.segment] = NewSalt();
  next.undo_salt = started_ ? now.undo_salt : NewSalt();
  core_->store->space()->TakeDirty(&frozen->dirty);
  status = Guarded([&] { return SealDirty(frozen); });
  if (!status.ok()) core_->syncer.Fail(status);
  return status;
}

Status Checkpointer::SealDirty(Frozen* frozen) {
  for (Space::Dirty& dirty : frozen->dirty) {
    if (dirty.size != 0) continue;
    dirty.size = SealPage(core_->store->PlainAt(dirty.offset));
    if (core_->store->cipher() == nullptr) continue;
    if (!core_->store->SealPage(dirty.offset))
      return Status(Code::kIo, "OpenSSL failed to encrypt");
    dirty.size = kPageSize;
  }
  return Status::Ok();
}

// Safe beside the writing thread: nothing that was frozen changes.
Status Checkpointer::MakeDurable(Frozen* frozen) {
  Medium* medium = core_->store->medium();
  std::vector<Medium::Range>& ranges = frozen->ranges;
  for (const Space::Dirty& dirty : frozen->dirty) {
    if (Planted(Fault::kCheckpointFlush) && &dirty == &frozen->dirty.front()) continue;
    char* start = medium->At(dirty.offset);
    if (medium->is_pmem()) {
      medium->Flush(start, dirty.size);
    } else {
      ranges.emplace_back(start, start + dirty.size);
    }
  }
  Status status = Guarded([&] {
    Status synced;
    if (!Planted(Fault::kCheckpointFence)) {
      synced = medium->is_pmem() ? medium->Fence() : Medium::SyncAll(&ranges);
    }
    if (synced.ok()) synced = medium->CheckThere();
    return synced.ok() ? root_.Switch(frozen->next) : synced;
  });
  // There was none for the words.
  if (status.code() == Code::kNoMemory) status = WriteFailed();
  if (status.ok()) {
    core_->syncer.SetDurable(frozen->next.epoch);
  } else {
    core_->syncer.Fail(status);
  }
  return status;
}

// Records go to the segment that a checkpoint names.
void Checkpointer::StartLog(const RootSlot& slot) {
  log_.Start(slot.segment, slot.salts[slot.segment]);
  undo_salt_ = slot.undo_salt;
  last_epoch_ = slot.epoch;
  started_ = true;
}

Status Checkpointer::Run() {
  Wait();
  LogPlace place;
  if (WantsBiggerLog()) {
    place = Log::Allocate(core_->store->medium(), core_->store->space(), kBigSegment);
    if (place.offset == 0) log_refused_at_ = core_->store->space()->extents_size();
  }
  Frozen frozen;
  Status status = Guarded([&] { return Freeze(core_->epoch, core_->directory, &frozen); });
  if (!status.ok()) {
    if (place.offset != 0) core_->store->space()->FreeRun(place.offset, place.size());
    return status;
  }
  if (place.offset != 0) {
    frozen.next.log = place.offset;
    frozen.next.segment_size = place.segment_size;
  }
  status = MakeDurable(&frozen);
  if (!status.ok()) return status;
  SetDurable(core_->states.Keep());
  if (place.offset != 0) {
    PauseLogMove();
    if (!Planted(Fault::kLogMove)) core_->syncer.Drain();
    core_->store->space()->FreeRun(log_.place().offset, log_.place().size());
    log_.Attach(place);
  }
  StartLog(frozen.next);
  reaper_->Recycle();
  return status;
}

Status Checkpointer::RunFor(uint64_t epoch, uint32_t directory) {
  Wait();
  Frozen frozen;
  Status status = Freeze(epoch, directory, &frozen);
  if (status.ok()) status = MakeDurable(&frozen);
  if (status.ok()) StartLog(frozen.next);
  return status;
}

Status Checkpointer::RunInBackground() {
  Wait();
  Status status = core_->syncer.status();
  if (!status.ok()) return status;
  if (!thread_.joinable()) thread_ = std::thread([this] { RunThread(); });
  auto frozen = std::make_unique<Frozen>();
  status = Freeze(core_->epoch, core_->directory, frozen.get());
  if (!status.ok()) return status;
  frozen->state = core_->states.Keep();
  StartLog(frozen->next);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    frozen_ = std::move(frozen);
  }
  work_.notify_all();
  return status;
}

// There may be nobody left who reads what an earlier opening has left.
void Checkpointer::SetDurable(State* state) {
  kept_.SetDurable(state, root_.slot().number);
  finder_->AskAgain();
}

bool Checkpointer::is_running() {
  std::lock_guard<std::mutex> lock(mutex_);
  return frozen_ != nullptr;
}

bool Checkpointer::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (frozen_ == nullptr) return false;
  done_.wait(lock, [&] { return frozen_ == nullptr; });
  return true;
}

void Checkpointer::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Checkpointer::RunThread() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stop_ || frozen_ != nullptr; });
    Frozen* frozen = frozen_.get();
    if (frozen == nullptr) return;
    lock.unlock();
    if (MakeDurable(frozen).ok()) {
      SetDurable(frozen->state);
    } else {
      core_->states.Release(frozen->state);
    }
    lock.lock();
    frozen_.reset();
    done_.notify_all();
  }
}

}  // namespace potoroo::engine
