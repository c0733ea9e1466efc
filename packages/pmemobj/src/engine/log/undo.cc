#include "engine/log/undo.h"

#include <algorithm>
#include <cstring>

#include "engine/base/checksum.h"
#include "engine/base/fault.h"
#include "engine/base/memory.h"

namespace potoroo::engine {
namespace {

// Bytes of an entry that are set to 0 when it is given up.
constexpr uint64_t kGivenUp = 8;

bool Counts(const UndoEntry& entry, uint64_t salt, uint64_t committed, const UndoEntry* before) {
  if (Planted(Fault::kUndoStale)) return true;
  if (entry.salt != salt || entry.transaction <= committed) return false;
  if (before == nullptr) return true;
  return entry.transaction == before->transaction && entry.number > before->number;
}

}  // namespace

uint64_t AfterUndoEntry(uint64_t at, uint64_t size) {
  return (at + sizeof(UndoEntry) + size + kLine - 1) / kLine * kLine;
}

bool LoadUndoEntry(Bytes area, uint64_t at, uint64_t salt, uint64_t committed,
                   const UndoEntry* before, UndoEntry* entry) {
  if (at > area.size() || area.size() - at < sizeof *entry) return false;
  memcpy(entry, area.data() + at, sizeof *entry);
  if (entry->size == 0 || entry->size > area.size() - at - sizeof *entry) return false;
  return Counts(*entry, salt, committed, before) &&
         entry->checksum == Checksum(area.data() + at + 4, sizeof *entry + entry->size - 4);
}

bool MissesUndoEntry(Bytes area, uint64_t at, uint64_t salt, uint64_t committed,
                     const UndoEntry* before) {
  uint64_t start = 0;
  if (at < area.size() && area.size() - at >= kGivenUp) memcpy(&start, area.data() + at, kGivenUp);
  if (start == 0) return false;
  UndoEntry entry;
  for (at += kLine; at < area.size(); at += kLine) {
    if (LoadUndoEntry(area, at, salt, committed, before, &entry)) return true;
  }
  return false;
}

void Undo::Attach(char* area, uint64_t size, uint64_t committed) {
  area_ = area;
  size_ = size;
  SetCommitted(committed);
}

bool Undo::HasSavedIn(uint64_t offset, uint64_t size) const {
  for (const Saved& saved : saved_) {
    if (saved.place < offset + size && offset < saved.place + saved.size) return true;
  }
  return false;
}

uint64_t Undo::SizeWith(uint64_t size) const { return AfterUndoEntry(used_, size); }

void Undo::Append(const char* bytes, uint64_t size, uint64_t salt, const char** from,
                  const char** to) {
  const uint64_t whole = sizeof(UndoEntry) + size;
  ReserveMore(&saved_, 1);
  char* at = area_ + used_;
  UndoEntry entry{};
  entry.size = static_cast<uint32_t>(size);
  entry.place = medium_->OffsetOf(bytes);
  entry.salt = salt;
  entry.transaction = transaction_;
  entry.number = number_++;
  memcpy(at, &entry, sizeof entry);
  memcpy(at + sizeof entry, bytes, size);
  entry.checksum = Checksum(at + 4, whole - 4);
  memcpy(at, &entry.checksum, 4);
  *from = at;
  *to = at + whole;
  if (medium_->is_pmem()) {
    medium_->Flush(at, whole);
    if (!Planted(Fault::kUndoFence)) (void)medium_->Fence();  // SaveBuffer asks the medium
  }
  saved_.push_back({entry.place, entry.size, used_});
  used_ = AfterUndoEntry(used_, size);
}

Status Undo::FlushSaved() const {
  if (Planted(Fault::kUndoFlush)) return Status::Ok();
  std::vector<Medium::Range> ranges;
  for (const Saved& saved : saved_) {
    const char* start = medium_->At(saved.place);
    if (medium_->is_pmem()) {
      medium_->Flush(start, saved.size);
    } else {
      ranges.emplace_back(start, start + saved.size);
    }
  }
  return medium_->is_pmem() ? medium_->Fence() : Medium::SyncAll(&ranges);
}

Status Undo::Restore(uint64_t count) {
  if (count >= saved_.size()) return Status::Ok();
  for (uint64_t i = saved_.size(); i > count; i--) {
    const Saved& saved = saved_[i - 1];
    char* to = medium_->At(saved.place);
    memcpy(to, area_ + saved.entry + sizeof(UndoEntry), saved.size);
    medium_->Flush(to, saved.size);
  }
  Status status = medium_->Fence();
  // An entry is given up when what it has brought back is durable: until then, the next opening
  // needs it.
  if (!status.ok()) return status;
  used_ = saved_[count].entry;
  for (uint64_t i = count; i < saved_.size(); i++) {
    memset(area_ + saved_[i].entry, 0, kGivenUp);
    medium_->Flush(area_ + saved_[i].entry, kGivenUp);
  }
  saved_.resize(count);
  return medium_->Fence();
}

void Undo::Commit() {
  saved_.clear();
  used_ = 0;
  number_ = 0;
  transaction_++;
}

bool Undo::Read(uint64_t salt) {
  const Bytes area{area_, size_};
  UndoEntry entry, before{};
  auto last = [&] { return saved_.empty() ? nullptr : &before; };
  while (LoadUndoEntry(area, used_, salt, transaction_ - 1, last(), &entry)) {
    saved_.push_back({entry.place, entry.size, used_});
    used_ = AfterUndoEntry(used_, entry.size);
    before = entry;
  }
  return !MissesUndoEntry(area, used_, salt, transaction_ - 1, last());
}

}  // namespace potoroo::engine
