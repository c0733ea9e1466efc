// Opening a pool to be read only, while another process may write.
//
// The latest checkpoint is pinned by a lock (see medium/reader_locks.h), and what the log has since
// is done anew in memory of our own. The log is copied first. Its segments are written over as soon
// as there are later checkpoints, so whatever is read of them counts only if there were none
// meanwhile.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "engine/base/fault.h"
#include "engine/base/memory.h"
#include "engine/medium/pool_reader.h"
#include "engine/medium/reader_locks.h"
#include "engine/pool/pool_impl.h"
#include "engine/tree/map_list.h"

namespace potoroo {
namespace {

// What another process writes just now is whole within microseconds, so each is short. But it may
// make one checkpoint after the other.
constexpr int kAttempts = 1000;
// The first of them come at once.
constexpr int kAtOnce = 100;
constexpr std::chrono::milliseconds kPause{1};
// A slot that stays torn, or a record that stays missing, is damaged.
constexpr int kDoubts = 20;

Status Busy() { return Status(Code::kInUse, "another process makes checkpoints all the time"); }

// Copies the records that are there. Where they end.
uint64_t CopyRecords(const char* from, const RootSlot& slot, uint32_t segment, char* to) {
  uint64_t at = 0;
  while (slot.segment_size - at >= sizeof(LogRecord)) {
    LogRecord record;
    memcpy(&record, from + at, sizeof record);
    if (record.salt != slot.salts[segment]) break;
    if (record.size < sizeof record || record.size > slot.segment_size - at) break;
    const uint32_t size = record.size;
    memcpy(to + at, from + at, size);
    memcpy(&record, to + at, sizeof record);
    if (record.size != size || record.checksum != RecordChecksum(to + at, size)) break;
    at = std::min<uint64_t>(AfterRecord(at + size), slot.segment_size);
  }
  return at;
}

}  // namespace

// How often something may be tried yet.
struct Pool::Impl::Attempts {
  bool again = false;
  int doubts = 0;

  // What will not do this time, and may be had the next.
  Status Again(Status status) {
    again = true;
    return status;
  }
  // The same of what is damaged unless it changes.
  Status Doubt(const char* what) {
    again = ++doubts < kDoubts;
    return Status(Code::kCorrupt, what);
  }
};

Status Pool::Impl::OpenToRead(const std::string& path, const PoolOptions& options,
                              std::shared_ptr<Impl>* impl) {
  Attempts attempts;
  for (int i = 0;; i++) {
    attempts.again = false;
    std::unique_ptr<Medium> medium;
    Status status = Medium::OpenToRead(path, &medium);
    if (!status.ok()) return status;
    auto made = std::make_shared<Impl>(std::move(medium), options);
    status = made->LoadToRead(path, options.key, &attempts);
    if (status.ok()) status = made->store->medium()->status();
    if (status.ok()) *impl = std::move(made);
    if (status.ok()) return status;
    if (!attempts.again || i >= kAttempts) {
      return Status(status.code(), path + ": " + status.message());
    }
    if (i >= kAtOnce || attempts.doubts > 0) std::this_thread::sleep_for(kPause);
  }
}

// Whether the latest checkpoint is one with a number from `number` to `most`.
bool Pool::Impl::IsLatest(uint64_t number, uint64_t most) const {
  if (Planted(Fault::kUnlooked)) return true;
  engine::Root now;
  return Root::Open(store->medium(), &now).ok() && now.slot().number >= number &&
         now.slot().number <= most;
}

Status Pool::Impl::PinLatest(const std::string& path, Attempts* attempts) {
  Status status = Root::Open(store->medium(), &root_);
  if (status.code() == Code::kCorrupt) return attempts->Doubt(status.message().c_str());
  if (!status.ok()) return status;
  if (root_.outdated()) {
    return Status(Code::kLayoutVersion,
                  "the pool has layout version 2, and has to be opened for writing once");
  }
  // Which of both slots counts, only all of the trees would tell.
  if (root_.doubtful()) {
    return attempts->Doubt(
        "a root slot is torn or damaged, and the pool has to be opened for writing once");
  }
  const uint64_t number = root_.slot().number;
  PauseReader();
  status = LockForReader(store->medium()->PartOf(0).fd, number);
  if (!status.ok()) return status;
  if (!IsLatest(number, number)) return attempts->Again(Busy());
  // All that it refers to lies in parts that are there by now, and may not have been before.
  struct stat info;
  PoolReader reader;
  status = reader.Open(path, stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode),
                       PoolReader::For::kBeside);
  uint64_t size = 0;
  for (size_t i = 0; i < reader.files(); i++) size += reader.FileSize(i);
  if (status.ok() && size != store->medium()->size()) return attempts->Again(Busy());
  return status;
}

// Both segments, into a copy that is all zeros. The segment that is filled first is voided by the
// next checkpoint but one, and the other one by the one after that.
Status Pool::Impl::CopyLog(char* copy, Attempts* attempts) const {
  const RootSlot& slot = root_.slot();
  const uint32_t first = slot.segment;
  char* to[2] = {copy, copy + slot.segment_size};
  uint64_t used[2];
  used[first] = CopyRecords(log_.Segment(first), slot, first, to[first]);
  if (!IsLatest(slot.number, slot.number)) return attempts->Again(Busy());
  used[1 - first] = CopyRecords(log_.Segment(1 - first), slot, 1 - first, to[1 - first]);
  if (!IsLatest(slot.number, slot.number + 1)) return attempts->Again(Busy());
  // What lies behind tells whether a record is missing; but not once another checkpoint has begun
  // a segment again.
  for (uint32_t i = 0; i < 2; i++) {
    memcpy(to[i] + used[i], log_.Segment(i) + used[i], slot.segment_size - used[i]);
  }
  if (IsLatest(slot.number, slot.number)) {
    LogReader reader(to[0], to[1], slot, store->cipher());
    while (reader.Next()) continue;
    if (!reader.Misses()) return Status::Ok();
    return attempts->Doubt("a record of the log is damaged, and later ones follow it");
  }
  for (uint32_t i = 0; i < 2; i++) memset(to[i] + used[i], 0, slot.segment_size - used[i]);
  return Status::Ok();
}

Status Pool::Impl::LoadToRead(const std::string& path, Bytes key, Attempts* attempts) {
  Status status = PinLatest(path, attempts);
  std::unique_ptr<Cipher> cipher;
  if (status.ok()) status = root_.FindCipher(key, &cipher);
  if (status.ok()) status = UseCipher(std::move(cipher));
  if (!status.ok()) return status;
  const RootSlot& slot = root_.slot();
  const LogPlace place{slot.log, slot.segment_size};
  const uint64_t size = store->medium()->size();
  if (!place.IsUsable() || place.size() > size || place.offset > size - place.size()) {
    return Status(Code::kCorrupt, "the log is damaged");
  }
  log_.Attach(place);
  std::unique_ptr<char, void (*)(void*)> copy(static_cast<char*>(calloc(place.size(), 1)), free);
  if (copy == nullptr) return NoMemory();
  status = CopyLog(copy.get(), attempts);
  std::vector<std::string> maps;
  if (status.ok()) {
    status = engine::ListMaps(*store, slot.directory, slot.epoch, &maps);
  }
  if (!status.ok()) return status;
  AddNames(maps);
  status = Begin();
  LogReader reader(copy.get(), copy.get() + slot.segment_size, slot, store->cipher());
  if (status.ok()) status = ReplayAll(&reader);
  syncer.SetDurable(epoch);
  return status;
}

}  // namespace potoroo
