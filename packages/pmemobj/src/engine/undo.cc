#include "undo.h"

#include <algorithm>
#include <cstring>

#include "checksum.h"
#include "fault.h"

namespace potoroo::engine {
namespace {

bool Counts(const UndoEntry& entry, uint64_t generation, uint64_t committed,
            const UndoEntry* before) {
  if (Planted(Fault::kUndoStale)) return true;
  if (entry.generation != generation || entry.transaction <= committed) return false;
  if (before == nullptr) return true;
  return entry.transaction == before->transaction && entry.number > before->number;
}

}  // namespace

uint64_t AfterUndoEntry(uint64_t at, uint64_t size) {
  constexpr uint64_t kLine = 64;
  return (at + sizeof(UndoEntry) + size + kLine - 1) / kLine * kLine;
}

bool LoadUndoEntry(Bytes area, uint64_t at, uint64_t generation, uint64_t committed,
                   const UndoEntry* before, UndoEntry* entry) {
  if (at > area.size() || area.size() - at < sizeof *entry) return false;
  memcpy(entry, area.data() + at, sizeof *entry);
  if (entry->size == 0 || entry->size > area.size() - at - sizeof *entry) return false;
  return Counts(*entry, generation, committed, before) &&
         entry->checksum == Checksum(area.data() + at + 4, sizeof *entry + entry->size - 4);
}

void Undo::Attach(char* area, uint64_t size, uint64_t committed) {
  area_ = area;
  size_ = size;
  SetCommitted(committed);
}

uint64_t Undo::SizeWith(uint64_t size) const { return AfterUndoEntry(used_, size); }

void Undo::Append(const char* bytes, uint64_t size, uint64_t generation, const char** from,
                  const char** to) {
  const uint64_t whole = sizeof(UndoEntry) + size;
  char* at = area_ + used_;
  UndoEntry entry{};
  entry.size = static_cast<uint32_t>(size);
  entry.place = medium_->OffsetOf(bytes);
  entry.generation = generation;
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
    if (!Planted(Fault::kUndoFence)) medium_->Fence();
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
  const uint64_t nothing = 0;
  used_ = saved_[count].entry;
  if (status.ok()) status = medium_->WriteDurably(area_ + used_, &nothing, sizeof nothing);
  saved_.resize(count);
  return status;
}

void Undo::Commit() {
  saved_.clear();
  used_ = 0;
  number_ = 0;
  transaction_++;
}

void Undo::Read(uint64_t generation) {
  UndoEntry entry, before;
  while (LoadUndoEntry({area_, size_}, used_, generation, transaction_ - 1,
                       saved_.empty() ? nullptr : &before, &entry)) {
    saved_.push_back({entry.place, entry.size, used_});
    used_ = AfterUndoEntry(used_, entry.size);
    before = entry;
  }
}

}  // namespace potoroo::engine
