#include "engine/pool/reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "engine/base/fault.h"
#include "engine/base/memory.h"
#include "engine/maps/map_list.h"
#include "engine/medium/pool_reader.h"
#include "engine/medium/reader_locks.h"

namespace potoroo::engine {
namespace {

// Attempts that come at once; a pause is before each later one.
constexpr int kAtOnce = 100;

Status Busy() { return Status(Code::kInUse, "another process makes checkpoints all the time"); }

// Copies the records that are there; returns where they end.
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

Status ReadAttempts::Again(Status status) {
  again_ = true;
  return status;
}

Status ReadAttempts::Doubt(const char* what) {
  again_ = ++doubts_ < kDoubts;
  return Status(Code::kCorrupt, what);
}

bool ReadAttempts::Next() {
  if (!again_ || count_ >= kAttempts) return false;
  if (count_++ >= kAtOnce || doubts_ > 0) std::this_thread::sleep_for(kPause);
  again_ = false;
  return true;
}

// Whether the latest checkpoint is one with a number from `number` to `most`.
bool Reader::IsLatest(uint64_t number, uint64_t most) const {
  if (Planted(Fault::kUnlooked)) return true;
  Root now;
  return Root::Open(core_->store->medium(), &now).ok() && now.slot().number >= number &&
         now.slot().number <= most;
}

Status Reader::PinLatest(const std::string& path) {
  const Root& root = *checkpointer_->root();
  Status status = Root::Open(core_->store->medium(), checkpointer_->root());
  if (status.code() == Code::kCorrupt) return attempts_->Doubt(status.message().c_str());
  if (!status.ok()) return status;
  if (root.outdated()) {
    return Status(Code::kOlderLayout,
                  "the pool has layout version 2, and has to be opened for writing once");
  }
  // Which of both slots counts, only all of the trees would tell.
  if (root.doubtful()) {
    return attempts_->Doubt(
        "a root slot is torn or damaged, and the pool has to be opened for writing once");
  }
  const uint64_t number = root.slot().number;
  PauseReader();
  status = LockForReader(core_->store->medium()->PartOf(0).fd, number);
  if (!status.ok()) return status;
  if (!IsLatest(number, number)) return attempts_->Again(Busy());
  // All that it refers to lies in parts that are there by now, and may not have been before.
  struct stat info;
  PoolReader reader;
  status = reader.Open(path, stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode),
                       PoolReader::For::kBeside);
  uint64_t size = 0;
  for (size_t i = 0; i < reader.files(); i++) size += reader.FileSize(i);
  if (status.ok() && size != core_->store->medium()->size()) return attempts_->Again(Busy());
  return status;
}

// Both segments, into a copy that is all zeros. The segment that is filled first is voided by the
// next checkpoint but one, and the other one by the one after that.
Status Reader::CopyLog(char* copy) const {
  const RootSlot& slot = checkpointer_->root()->slot();
  const Log& log = *checkpointer_->log();
  const uint32_t first = slot.segment;
  char* to[2] = {copy, copy + slot.segment_size};
  uint64_t used[2];
  used[first] = CopyRecords(log.Segment(first), slot, first, to[first]);
  if (!IsLatest(slot.number, slot.number)) return attempts_->Again(Busy());
  used[1 - first] = CopyRecords(log.Segment(1 - first), slot, 1 - first, to[1 - first]);
  if (!IsLatest(slot.number, slot.number + 1)) return attempts_->Again(Busy());
  // The bytes behind tell whether a record is missing; but not once another checkpoint has begun a
  // segment again.
  for (uint32_t i = 0; i < 2; i++) {
    memcpy(to[i] + used[i], log.Segment(i) + used[i], slot.segment_size - used[i]);
  }
  if (IsLatest(slot.number, slot.number)) {
    LogReader reader(to[0], to[1], slot, core_->store->cipher());
    while (reader.Next()) continue;
    if (!reader.Misses()) return Status::Ok();
    return attempts_->Doubt("a record of the log is damaged, and later ones follow it");
  }
  for (uint32_t i = 0; i < 2; i++) memset(to[i] + used[i], 0, slot.segment_size - used[i]);
  return Status::Ok();
}

Status Reader::Load(const std::string& path, Bytes key) {
  Status status = PinLatest(path);
  Root* root = checkpointer_->root();
  std::unique_ptr<Cipher> cipher;
  if (status.ok()) status = root->FindCipher(key, &cipher);
  if (status.ok()) status = committer_->UseCipher(std::move(cipher));
  if (!status.ok()) return status;
  const RootSlot& slot = root->slot();
  const LogPlace place{slot.log, slot.segment_size};
  const uint64_t size = core_->store->medium()->size();
  if (!place.IsUsable() || place.size() > size || place.offset > size - place.size()) {
    return Status(Code::kCorrupt, "the log is damaged");
  }
  checkpointer_->log()->Attach(place);
  std::unique_ptr<char, void (*)(void*)> copy(static_cast<char*>(calloc(place.size(), 1)), free);
  if (copy == nullptr) return NoMemory();
  status = CopyLog(copy.get());
  std::vector<std::string> maps;
  if (status.ok()) status = ListMaps(*core_->store, slot.directory, slot.epoch, &maps);
  if (!status.ok()) return status;
  core_->AddNames(maps);
  checkpointer_->Begin();
  LogReader reader(copy.get(), copy.get() + slot.segment_size, slot, core_->store->cipher());
  status = recovery_->ReplayAll(&reader);
  core_->syncer.SetDurable(core_->epoch);
  return status;
}

}  // namespace potoroo::engine
