// Checkpoints: what was only stored becomes durable, and a crash leads back to here.
//
// On persistent memory they are made by the writing thread: it flushes a few thousand cache lines.
// Off it, by a thread of their own, while records go to the log's other segment. Under
// Durability::kRelaxed, another thread syncs the log every second, which a checkpoint may take
// longer than.
#include <chrono>

#include "engine/base/checksum.h"
#include "engine/base/fault.h"
#include "engine/base/memory.h"
#include "engine/pool/pool_impl.h"
#include "engine/space/key_slots.h"

namespace potoroo {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
// A log is big enough to spare work, and small enough to be done anew within milliseconds.
constexpr uint64_t kBigSegment = 4 * kMiB;
constexpr uint64_t kBigPool = 32 * kMiB;
// Records of batches. Each of them changes many pages, most of which the next one changes again:
// the more of them there are between two checkpoints, the less is written.
constexpr uint64_t kBatchRecord = 16 * 1024;
// Under Durability::kRelaxed, what a power cut may take.
constexpr std::chrono::seconds kRelaxedDelay{1};

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

// Before anything is read or written.
Status Pool::Impl::UseCipher(std::unique_ptr<Cipher> cipher) {
  if (cipher == nullptr) return Status::Ok();
  Status status = store->SetCipher(std::move(cipher));
  record_.set_cipher(store->cipher());
  return status;
}

Status Pool::Impl::Create(Bytes key) {
  std::unique_ptr<Cipher> cipher;
  Status status = key.empty() ? Status::Ok() : NewDataKey(&cipher);
  if (status.ok()) status = UseCipher(std::move(cipher));
  if (!status.ok()) return status;
  // Nothing is in use yet, but the log.
  Medium* medium = store->medium();
  uint64_t size = medium->size() < 2 * kBigPool ? kLeastSegment : kBigSegment;
  LogPlace place = Log::Allocate(medium, store->space(), size);
  if (place.offset == 0) return StatusOf(Code::kNoSpace);
  RootSlot first{};
  first.log = place.offset;
  first.segment_size = place.segment_size;
  log_.Attach(place);
  return Root::Create(medium, store->space(), first, store->cipher(), key, &root_);
}

// So that a record of so many bytes fits.
Status Pool::Impl::MakeRoom(uint64_t record) {
  if (started_ && log_.HasRoom(record)) return Status::Ok();
  takes_batches_ = takes_batches_ || (started_ && record >= kBatchRecord);
  if (!started_ || store->medium()->is_pmem() || WantsBiggerLog()) return CheckpointNow();
  return CheckpointInBackground();
}

// Batches have one in a small pool too, if that may become a big one.
bool Pool::Impl::WantsBiggerLog() const {
  if (opening_ != nullptr || log_.place().segment_size >= kBigSegment) return false;
  const uint64_t size = store->space()->extents_size();
  // Unless there was no room for it, when the pool was as big as now.
  if (size == log_refused_at_) return false;
  return size >= kBigPool || (takes_batches_ && store->medium()->max_size() >= 2 * kBigPool);
}

// Finds what has to be made durable, and what the root slot will be. Only one checkpoint at a time.
// kNoSpace: there is no room for the superblock of this layout version, and nothing was taken.
//
// Checksums are made here, by the writing thread: a page that only a snapshot needs may be freed,
// and hold something else, before the thread of checkpoints comes to it.
//
// So is what a page of a pool that is encrypted has in its file. What has been taken here must
// become durable, whatever happens then.
Status Pool::Impl::Freeze(uint64_t at, uint32_t directory, Frozen* frozen) {
  // Every checkpoint comes by here.
  Status status = root_.Prepare(store->space());
  if (!status.ok()) return status;
  const size_t count = store->space()->CountDirty();
  frozen->dirty.reserve(count);
  if (!store->medium()->is_pmem()) frozen->ranges.reserve(count);
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
  store->space()->TakeDirty(&frozen->dirty);
  status = Guarded([&] { return SealDirty(frozen); });
  if (!status.ok()) syncer.Fail(status);
  return status;
}

Status Pool::Impl::SealDirty(Frozen* frozen) {
  for (Space::Dirty& dirty : frozen->dirty) {
    if (dirty.size != 0) continue;
    dirty.size = SealPage(store->PlainAt(dirty.offset));
    if (store->cipher() == nullptr) continue;
    if (!store->SealPage(dirty.offset)) return Status(Code::kIo, "OpenSSL failed to encrypt");
    dirty.size = kPageSize;
  }
  return Status::Ok();
}

// Safe beside the writing thread: nothing that was frozen changes.
Status Pool::Impl::MakeDurable(Frozen* frozen) {
  Medium* medium = store->medium();
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
    syncer.SetDurable(frozen->next.epoch);
  } else {
    syncer.Fail(status);
  }
  return status;
}

// Records go to the segment that a checkpoint names.
void Pool::Impl::StartLog(const RootSlot& slot) {
  log_.Start(slot.segment, slot.salts[slot.segment]);
  undo_salt_ = slot.undo_salt;
  last_checkpoint_ = slot.epoch;
  started_ = true;
}

Status Pool::Impl::CheckpointNow() {
  WaitForBackground();
  LogPlace place;
  if (WantsBiggerLog()) {
    place = Log::Allocate(store->medium(), store->space(), kBigSegment);
    if (place.offset == 0) log_refused_at_ = store->space()->extents_size();
  }
  Frozen frozen;
  Status status = Guarded([&] { return Freeze(epoch, directory_, &frozen); });
  if (!status.ok()) {
    if (place.offset != 0) store->space()->FreeRun(place.offset, place.size());
    return status;
  }
  if (place.offset != 0) {
    frozen.next.log = place.offset;
    frozen.next.segment_size = place.segment_size;
  }
  status = MakeDurable(&frozen);
  if (!status.ok()) return status;
  SetDurable(states.Keep());
  if (place.offset != 0) {
    PauseLogMove();
    if (!Planted(Fault::kLogMove)) syncer.Drain();
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
  NeedBackground();
  auto frozen = std::make_unique<Frozen>();
  status = Freeze(epoch, directory_, frozen.get());
  if (!status.ok()) return status;
  frozen->state = states.Keep();
  StartLog(frozen->next);
  {
    std::lock_guard<std::mutex> lock(background_mutex_);
    frozen_ = std::move(frozen);
  }
  background_work_.notify_all();
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
  background_work_.notify_all();
  if (background_.joinable()) background_.join();
  if (flusher_.joinable()) flusher_.join();
}

void Pool::Impl::RunBackground() {
  std::unique_lock<std::mutex> lock(background_mutex_);
  for (;;) {
    background_work_.wait(lock, [&] { return background_stop_ || frozen_ != nullptr; });
    Frozen* frozen = frozen_.get();
    if (frozen == nullptr) return;
    lock.unlock();
    if (MakeDurable(frozen).ok()) {
      SetDurable(frozen->state);
    } else {
      states.Release(frozen->state);
    }
    lock.lock();
    frozen_.reset();
    background_done_.notify_all();
  }
}

void Pool::Impl::NeedFlusher() {
  if (!flusher_.joinable()) flusher_ = std::thread([this] { RunFlusher(); });
}

// A second from the start of one sync to that of the next.
void Pool::Impl::RunFlusher() {
  std::unique_lock<std::mutex> lock(background_mutex_);
  while (!background_stop_) {
    const auto next = std::chrono::steady_clock::now() + kRelaxedDelay;
    lock.unlock();
    // It keeps a failure for all who ask later.
    (void)Guarded([&] { return syncer.WaitForAll(); });
    lock.lock();
    background_work_.wait_until(lock, next, [&] { return background_stop_; });
  }
}

Status Pool::Impl::Sync(uint64_t commit) {
  return durability == Durability::kRelaxed ? syncer.status() : SyncStrictly(commit);
}

Status Pool::Impl::SyncStrictly(uint64_t commit) {
  if (syncer.IsDurable(commit)) return Status::Ok();
  Status status = syncer.Wait(commit);
  if (status.ok()) return status;
  std::lock_guard<std::mutex> lock(write_mutex);
  GoBack();
  // By a write that was under way when another failed.
  return syncer.IsDurable(commit) ? Status::Ok() : status;
}

Status Pool::Impl::Checkpoint() {
  if (read_only_) return ReadOnly();
  std::unique_lock<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  Status status = syncer.status();
  if (status.ok()) status = FinishOpening(true);
  if (!status.ok()) return status;
  bool done = epoch == last_checkpoint_ && !WaitForBackground();
  ReleaseUnread();
  if (status.ok() && !done) status = CheckpointNow();
  lock.unlock();
  if (status.ok()) ReapAll();
  return status;
}

Status Pool::Impl::RotateKey(Bytes key) {
  if (read_only_) return ReadOnly();
  std::lock_guard<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  if (key.size() != kKeySize) return Status(Code::kInvalid, "a key has 32 bytes");
  if (store->cipher() == nullptr) return Status(Code::kNotEncrypted, "the pool is not encrypted");
  Status status = syncer.status();
  if (status.ok()) status = root_.Rotate(*store->cipher(), key);
  return status;
}

Status Pool::Impl::Flush() {
  Status status = syncer.WaitForAll();
  if (status.ok()) status = syncer.status();
  if (status.ok()) return status;
  std::lock_guard<std::mutex> lock(write_mutex);
  GoBack();
  return status;
}

}  // namespace potoroo
