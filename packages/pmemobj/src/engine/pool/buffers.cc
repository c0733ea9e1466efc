// Buffers that are changed: durably, or all or nothing by way of the undo area.
#include <algorithm>

#include "engine/base/fault.h"
#include "engine/pool/pool_impl.h"
#include "engine/tree/search.h"

namespace potoroo {
namespace {

// What the undo area has to begin with.
constexpr uint64_t kLeastUndo = 64 * 1024;

bool Overlap(const Item& item, const Undo::Saved& saved) {
  return saved.place < item.offset + item.size && item.offset < saved.place + saved.size;
}

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

bool Pool::Impl::InPool(const char* from, size_t size) const {
  uint64_t offset = store->medium()->OffsetOf(from), limit = store->space()->limit();
  return offset < limit && size <= limit - offset;
}

Status Pool::Impl::FlushBuffer(const char* from, size_t size) {
  if (read_only_) return ReadOnly();
  if (closed.load(std::memory_order_acquire) || !InPool(from, size)) {
    return StatusOf(Code::kInvalid);
  }
  Status status = syncer.status();
  if (!status.ok() || size == 0) return status;
  status = store->medium()->Persist(from, size);
  if (!status.ok()) syncer.Fail(status);
  return status;
}

Status Pool::Impl::SaveBuffer(const char* from, size_t size) {
  if (read_only_) return ReadOnly();
  std::unique_lock<std::mutex> lock(write_mutex);
  if (closed || !InPool(from, size)) return StatusOf(Code::kInvalid);
  if (store->cipher() != nullptr)
    return Status(Code::kEncrypted, "a pool that is encrypted has no buffers");
  Status status = syncer.status();
  if (!status.ok() || size == 0) return status;
  if (!started_ || !undo_.HasRoom(size)) status = MakeUndoRoom(size);
  if (!status.ok()) return status;
  const char *entry, *end;
  undo_.Append(from, size, undo_salt_, &entry, &end);
  if (store->medium()->is_pmem()) return store->medium()->status();
  lock.unlock();
  if (!Planted(Fault::kUndoFence)) status = Medium::Sync(entry, end);
  if (!status.ok()) syncer.Fail(status);
  return status;
}

// The area that the pool has, if it has one.
Status Pool::Impl::FindUndo() {
  uint32_t root;
  PageEntry entry{};
  Bytes area, committed;
  Code code = FindRootByName(directory_, kUndoMap, &root);
  if (code == Code::kOk) code = FindEntry(*store, root, kUndoArea, &entry);
  if (code == Code::kNotFound) return Status::Ok();
  if (code != Code::kOk || !(entry.flags & kEntryBuffer) || !LoadValue(*store, entry, &area)) {
    return StatusOf(Code::kCorrupt);
  }
  code = Lookup(*store, root, kUndoCommitted, &committed);
  uint64_t number = 0;
  if (code == Code::kOk && committed.size() == sizeof number) {
    memcpy(&number, committed.data(), sizeof number);
  } else if (code != Code::kNotFound) {
    return StatusOf(Code::kCorrupt);
  }
  undo_map_ = names.Add(kUndoMap, epoch);
  undo_.Attach(const_cast<char*>(area.data()), area.size(), number);
  return Status::Ok();
}

Status Pool::Impl::MakeUndoRoom(size_t size) {
  Status status = undo_.attached() ? Status::Ok() : FindUndo();
  // The salt that entries have must be durable before they are.
  if (status.ok() && !started_) status = CheckpointNow();
  if (!status.ok() || undo_.HasRoom(size)) return status;
  return GrowUndo(size);
}

// To a bigger area, which has the entries so far: either of both may be the one that a crash leads
// back to.
Status Pool::Impl::GrowUndo(size_t size) {
  Bytes used = undo_.used();
  uint64_t bigger = std::max(kLeastUndo, 2 * undo_.SizeWith(size));
  if (bigger > kMaxValueSize) bigger = undo_.SizeWith(size);
  if (bigger > kMaxValueSize) return StatusOf(Code::kNoSpace);
  std::unique_ptr<char[]> bytes(new char[bigger]);
  if (!used.empty()) memcpy(bytes.get(), used.data(), used.size());
  memset(bytes.get() + used.size(), 0, bigger - used.size());
  uint32_t root;
  Code code = FindRootByName(directory_, kUndoMap, &root);
  Status status = code == Code::kNotFound ? MakeMap(kUndoMap) : StatusOf(code);
  if (!status.ok()) return status;
  undo_map_ = names.Add(kUndoMap, epoch);
  Operation put{Operation::Kind::kPutBuffer, undo_map_, kUndoArea, {bytes.get(), bigger}};
  Mode mode;
  mode.logged = false;
  status = CommitOperations(mode, &put, 1);
  return status.ok() ? FindUndo() : status;
}

// Whether the commit under way would leave saved ranges without a place to go back to.
bool Pool::Impl::GivesUpSaved() const {
  for (const Item& buffer : transaction_.retired_buffers()) {
    for (const Undo::Saved& saved : undo_.saved()) {
      if (Overlap(buffer, saved)) return true;
    }
  }
  return false;
}

Status Pool::Impl::RestoreBuffers(size_t count) {
  if (read_only_) return ReadOnly();
  std::lock_guard<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  Status status = undo_.Restore(count);
  if (!status.ok()) syncer.Fail(status);
  return status;
}

Status Pool::Impl::WriteSaved(const Operation* operations, size_t count) {
  if (read_only_) return ReadOnly();
  Mode mode;
  mode.saved = true;
  Status status = Plan(operations, count, &mode);
  if (!status.ok()) return status;
  std::vector<Operation> all(operations, operations + count);
  uint64_t number = undo_.transaction();
  if (SavedBuffers() > 0 && !Planted(Fault::kUndoMarker)) {
    Bytes marker(reinterpret_cast<const char*>(&number), sizeof number);
    all.push_back({Operation::Kind::kPut, undo_map_, kUndoCommitted, marker});
  }
  if (closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
  status = undo_.FlushSaved();
  if (!status.ok()) syncer.Fail(status);
  std::unique_lock<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  if (status.ok()) status = CommitOperations(mode, all.data(), all.size());
  // After kIo it is unknown what is durable: the next opening finds out, and until then nothing
  // may be brought back.
  if (status.ok() || status.code() == Code::kIo) undo_.Commit();
  uint64_t commit = epoch;
  lock.unlock();
  return status.ok() ? SyncStrictly(commit) : status;
}

// What a transaction that was cut off has changed goes back to what it was.
Status Pool::Impl::RollBack(const std::vector<Walk::Buffer>& all) {
  Status status = FindUndo();
  if (!status.ok() || !undo_.attached()) return status;
  if (!undo_.Read(root_.slot().undo_salt)) {
    return Status(Code::kCorrupt, "the undo area is damaged");
  }
  if (undo_.saved().empty()) return status;
  std::vector<Walk::Buffer> buffers;
  const uint64_t area = store->medium()->OffsetOf(undo_.used().data());
  for (const Walk::Buffer& buffer : all) {
    if (buffer.offset != area) buffers.push_back(buffer);
  }
  std::sort(buffers.begin(), buffers.end(), Before);
  for (const Undo::Saved& saved : undo_.saved()) {
    if (InOne(buffers, saved)) continue;
    return Status(Code::kCorrupt, "the undo area has a range that lies in no buffer");
  }
  return undo_.Restore(0);
}

}  // namespace potoroo
