#include "engine/check/check_log.h"

#include <cstring>

#include "engine/log/undo.h"
#include "engine/space/space.h"

namespace potoroo::engine {

bool CheckLog::Place(const RootSlot& slot) {
  slot_ = slot;
  const LogPlace place{slot.log, slot.segment_size};
  uint64_t size = place.size();
  if (place.IsUsable() && space_->MarkBlocks(slot.log, size) == CheckSpace::Place::kGood) {
    bytes_.resize(size);
    if (reader_.Read(slot.log, bytes_.data(), size)) return true;
    problems_.Add("log", slot.log, "the log cannot be read");
  } else {
    problems_.Add("log", slot.log, "the log lies where there is no place for one");
  }
  bytes_.clear();
  return false;
}

// Returns the offset of the record that was read last.
uint64_t CheckLog::OffsetOf(const LogReader& reader) const {
  return slot_.log + uint64_t{reader.segment()} * slot_.segment_size + reader.position();
}

bool CheckLog::Misses() const {
  LogReader reader(bytes_.data(), bytes_.data() + slot_.segment_size, slot_, cipher_);
  while (reader.Next()) continue;
  return reader.Misses();
}

void CheckLog::Run(const RootSlot& slot) {
  if (bytes_.empty()) return;
  for (const CheckMap& map : report_->maps) maps_.insert(map.name);
  LogReader reader(bytes_.data(), bytes_.data() + slot.segment_size, slot, cipher_);
  while (reader.Next()) {
    CheckRecord(&reader);
    report_->log_records++;
    report_->log_bytes += reader.record().size;
  }
  report_->epoch = reader.epoch();
  if (!reader.Misses()) return;
  problems_.Add("log", OffsetOf(reader),
                "the record after this one is damaged, and later ones follow it");
}

// The record's checksum holds: any fault in it was written so.
void CheckLog::CheckRecord(LogReader* reader) {
  uint32_t count = 0;
  bool sound = CheckOperations(reader, &count);
  report_->log_operations += count;
  if (sound && count == reader->record().count) return;
  problems_.Add("log", OffsetOf(*reader),
                "the record of commit " + std::to_string(reader->record().epoch) +
                    " has operations that are none");
}

bool CheckLog::CheckOperations(LogReader* reader, uint32_t* count) {
  on_map_ = on_undo_ = false;
  LogOperation operation;
  Bytes key, value;
  while (reader->NextOperation(&operation, &key, &value)) {
    if (operation.reserved != 0 || !CheckOperation(operation, key, value)) return false;
    ++*count;
  }
  return reader->Exhausted();
}

// Nothing else of the undo area goes through the log.
bool CheckLog::CheckUndoPut(Bytes key, Bytes value) {
  if (key != kUndoCommitted || value.size() != sizeof undo_committed_) return false;
  memcpy(&undo_committed_, value.data(), sizeof undo_committed_);
  return true;
}

bool CheckLog::CheckOperation(const LogOperation& operation, Bytes key, Bytes value) {
  std::string name(key);
  switch (operation.kind) {
    case LogKind::kCreateMap:
      return !key.empty() && key.size() <= 255 && value.empty() && maps_.insert(name).second;
    case LogKind::kDropMap:
      return value.empty() && maps_.erase(name) == 1;
    case LogKind::kMap:
      on_map_ = value.empty() && maps_.count(name) == 1;
      on_undo_ = on_map_ && key == kUndoMap;
      return on_map_;
    case LogKind::kPut:
      if (on_undo_) return CheckUndoPut(key, value);
      return on_map_ && key.size() <= kMaxKeySize;
    case LogKind::kDelete:
      return on_map_ && key.size() <= kMaxKeySize && value.empty();
    case LogKind::kDeleteRange:
      return on_map_ && key.size() <= kMaxKeySize && value.size() <= kMaxKeySize;
  }
  return false;
}

}  // namespace potoroo::engine
