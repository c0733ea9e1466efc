#include "engine/pool/buffers.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "engine/base/fault.h"
#include "engine/tree/search.h"

namespace potoroo::engine {
namespace {

// Bytes of the undo area when it is made.
constexpr uint64_t kLeastUndo = 64 * 1024;

// Bytes of a buffer of which a draft is made; a smaller one is saved in less time.
constexpr size_t kLeastDraft = 256 * 1024;

bool Before(const Walk::Buffer& a, const Walk::Buffer& b) { return a.offset < b.offset; }

// Whether a range lies in one of the buffers, which are sorted.
bool InOne(const std::vector<Walk::Buffer>& buffers, const Undo::Saved& saved) {
  const Walk::Buffer at{saved.place, 0};
  auto buffer = std::upper_bound(buffers.begin(), buffers.end(), at, Before);
  if (buffer == buffers.begin()) return false;
  --buffer;
  uint64_t into = saved.place - buffer->offset;
  return into <= buffer->size && saved.size <= buffer->size - into;
}

}  // namespace

bool Buffers::InPool(const char* from, size_t size) const {
  uint64_t offset = core_->store->medium()->OffsetOf(from), limit = core_->store->space()->limit();
  return offset < limit && size <= limit - offset;
}

Status Buffers::Flush(const char* from, size_t size) {
  if (core_->read_only) return ReadOnly();
  if (core_->closed.load(std::memory_order_acquire) || !InPool(from, size)) {
    return StatusOf(Code::kInvalid);
  }
  Status status = core_->syncer.status();
  if (!status.ok() || size == 0) return status;
  status = core_->store->medium()->Persist(from, size);
  if (!status.ok()) core_->syncer.Fail(status);
  return status;
}

Status Buffers::Save(const char* from, size_t size) {
  if (core_->read_only) return ReadOnly();
  std::unique_lock<std::mutex> lock(core_->write_mutex);
  if (core_->closed || !InPool(from, size)) return StatusOf(Code::kInvalid);
  if (core_->store->cipher() != nullptr)
    return Status(Code::kEncrypted, "a pool that is encrypted has no buffers");
  Status status = core_->syncer.status();
  if (!status.ok() || size == 0) return status;
  if (!checkpointer_->started() || !undo_->HasRoom(size)) status = MakeUndoRoom(size);
  if (!status.ok()) return status;
  const char *entry, *end;
  undo_->Append(from, size, checkpointer_->undo_salt(), &entry, &end);
  if (core_->store->medium()->is_pmem()) return core_->store->medium()->status();
  lock.unlock();
  if (!Planted(Fault::kUndoFence)) status = Medium::Sync(entry, end);
  if (!status.ok()) core_->syncer.Fail(status);
  return status;
}

// The area that the pool has, if it has one.
Status Buffers::FindUndo() {
  uint32_t root;
  PageEntry entry{};
  Bytes area, committed;
  Code code = core_->FindRootByName(core_->directory, kUndoMap, &root);
  if (code == Code::kOk) code = FindEntry(*core_->store, root, kUndoArea, &entry);
  if (code == Code::kNotFound) return Status::Ok();
  if (code != Code::kOk || !(entry.flags & kEntryBuffer) ||
      !LoadValue(*core_->store, entry, &area)) {
    return StatusOf(Code::kCorrupt);
  }
  code = Lookup(*core_->store, root, kUndoCommitted, &committed);
  uint64_t number = 0;
  if (code == Code::kOk && committed.size() == sizeof number) {
    memcpy(&number, committed.data(), sizeof number);
  } else if (code != Code::kNotFound) {
    return StatusOf(Code::kCorrupt);
  }
  core_->undo_map = core_->names.Add(kUndoMap, core_->epoch);
  undo_->Attach(const_cast<char*>(area.data()), area.size(), number);
  return Status::Ok();
}

Status Buffers::MakeUndoRoom(size_t size) {
  Status status = undo_->attached() ? Status::Ok() : FindUndo();
  // The salt that entries have must be durable before they are.
  if (status.ok() && !checkpointer_->started()) status = checkpointer_->Run();
  if (!status.ok() || undo_->HasRoom(size)) return status;
  return GrowUndo(size);
}

// Moves to a bigger area, which has the entries so far: a crash may lead back to either of both.
Status Buffers::GrowUndo(size_t size) {
  Bytes used = undo_->used();
  uint64_t bigger = std::max(kLeastUndo, 2 * undo_->SizeWith(size));
  if (bigger > kMaxValueSize) bigger = undo_->SizeWith(size);
  if (bigger > kMaxValueSize) return StatusOf(Code::kNoSpace);
  std::unique_ptr<char[]> bytes(new char[bigger]);
  if (!used.empty()) memcpy(bytes.get(), used.data(), used.size());
  memset(bytes.get() + used.size(), 0, bigger - used.size());
  uint32_t root;
  Code code = core_->FindRootByName(core_->directory, kUndoMap, &root);
  Status status = code == Code::kNotFound ? committer_->CreateMap(kUndoMap) : StatusOf(code);
  if (!status.ok()) return status;
  core_->undo_map = core_->names.Add(kUndoMap, core_->epoch);
  Operation put{Operation::Kind::kPutBuffer, core_->undo_map, kUndoArea, {bytes.get(), bigger}};
  CommitMode mode;
  mode.logged = false;
  status = committer_->Write(mode, &put, 1);
  return status.ok() ? FindUndo() : status;
}

Status Buffers::Restore(size_t count) {
  if (core_->read_only) return ReadOnly();
  std::lock_guard<std::mutex> lock(core_->write_mutex);
  if (core_->closed) return StatusOf(Code::kInvalid);
  Status status = undo_->Restore(count);
  if (!status.ok()) core_->syncer.Fail(status);
  return status;
}

Status Buffers::Draft(char* from, size_t size) {
  if (size < kLeastDraft) return Save(from, size);
  constexpr uintptr_t kPage = 4096;
  const uintptr_t start = reinterpret_cast<uintptr_t>(from);
  const size_t before = static_cast<size_t>((kPage - start % kPage) % kPage);
  const size_t after = static_cast<size_t>((start + size) % kPage);
  // It checks what there is to check, even where it has nothing to save.
  Status status = Save(from, before);
  if (status.ok()) status = Save(from + size - after, after);
  if (!status.ok() || drafts_.Begin(from + before, from + size - after)) return status;
  return Save(from + before, size - before - after);
}

Status Buffers::KeepDrafts() {
  std::vector<Drafts::Change> changes;
  drafts_.Find(&changes);
  Status status = drafts_.End();
  for (const Drafts::Change& change : changes) {
    if (status.ok()) status = Save(change.at, change.bytes.size());
    if (!status.ok()) return status;
    memcpy(change.at, change.bytes.data(), change.bytes.size());
  }
  return status;
}

Status Buffers::WriteSaved(const Operation* operations, size_t count, uint64_t* commit) {
  if (core_->read_only) return ReadOnly();
  CommitMode mode;
  mode.saved = true;
  Status status = PlanCommit(*core_, operations, count, &mode);
  if (!status.ok()) return status;
  std::vector<Operation> all(operations, operations + count);
  uint64_t number = undo_->transaction();
  if (saved() > 0 && !Planted(Fault::kUndoMarker)) {
    Bytes marker(reinterpret_cast<const char*>(&number), sizeof number);
    all.push_back({Operation::Kind::kPut, core_->undo_map, kUndoCommitted, marker});
  }
  if (core_->closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
  status = undo_->FlushSaved();
  if (!status.ok()) core_->syncer.Fail(status);
  std::lock_guard<std::mutex> lock(core_->write_mutex);
  if (core_->closed) return StatusOf(Code::kInvalid);
  if (status.ok()) status = committer_->Write(mode, all.data(), all.size());
  // After kIo it is unknown what is durable: the next opening finds out, and until then nothing
  // may be brought back.
  if (status.ok() || status.code() == Code::kIo) undo_->Commit();
  *commit = core_->epoch;
  return status;
}

Status Buffers::RollBack(uint64_t salt, const std::vector<Walk::Buffer>& all) {
  Status status = FindUndo();
  if (!status.ok() || !undo_->attached()) return status;
  if (!undo_->Read(salt)) {
    return Status(Code::kCorrupt, "the undo area is damaged");
  }
  if (undo_->saved().empty()) return status;
  std::vector<Walk::Buffer> buffers;
  const uint64_t area = core_->store->medium()->OffsetOf(undo_->used().data());
  for (const Walk::Buffer& buffer : all) {
    if (buffer.offset != area) buffers.push_back(buffer);
  }
  std::sort(buffers.begin(), buffers.end(), Before);
  for (const Undo::Saved& saved : undo_->saved()) {
    if (InOne(buffers, saved)) continue;
    return Status(Code::kCorrupt, "the undo area has a range that lies in no buffer");
  }
  return undo_->Restore(0);
}

}  // namespace potoroo::engine
