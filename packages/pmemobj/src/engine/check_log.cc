#include "check_log.h"

#include <cstring>

#include "checksum.h"
#include "space.h"
#include "undo.h"

namespace potoroo::engine {
namespace {

constexpr uint64_t kLine = 64;

}  // namespace

bool CheckLog::Place(const RootSlot& slot) {
  slot_ = slot;
  const LogPlace place{slot.log, slot.segment_size};
  uint64_t size = place.size();
  if (place.IsUsable() && space_->MarkLog(slot.log, size) == CheckSpace::Place::kGood) {
    bytes_.resize(size);
    if (reader_.Read(slot.log, bytes_.data(), size)) return true;
    problems_.Add("log", slot.log, "the log cannot be read");
  } else {
    problems_.Add("log", slot.log, "the log lies where there is no place for one");
  }
  bytes_.clear();
  return false;
}

uint64_t CheckLog::OffsetOf(uint32_t segment, uint64_t position) const {
  return slot_.log + uint64_t{segment} * slot_.segment_size + position;
}

// Whether a record of this log is there, of whatever commit.
bool CheckLog::Holds(uint32_t segment, uint64_t position, LogRecord* record) const {
  uint64_t room = slot_.segment_size - position;
  if (room < sizeof *record) return false;
  const char* at = bytes_.data() + uint64_t{segment} * slot_.segment_size + position;
  memcpy(record, at, sizeof *record);
  return record->generation == slot_.generation && record->size >= sizeof *record &&
         record->size <= room && record->checksum == Checksum(at + 4, record->size - 4);
}

bool CheckLog::Load(uint32_t segment, uint64_t position) {
  LogRecord record;
  if (position > slot_.segment_size || !Holds(segment, position, &record)) return false;
  if (record.epoch != report_->epoch + 1) return false;
  segment_ = segment;
  position_ = position;
  CheckRecord(record, bytes_.data() + uint64_t{segment} * slot_.segment_size + position);
  position_ = (position + record.size + kLine - 1) / kLine * kLine;
  report_->epoch++;
  report_->log_records++;
  report_->log_bytes += record.size;
  return true;
}

void CheckLog::Run(const RootSlot& slot) {
  if (bytes_.empty()) return;
  for (const CheckMap& map : report_->maps) maps_.insert(map.name);
  segment_ = slot.segment;
  position_ = 0;
  while (Load(segment_, position_)) continue;
  // A checkpoint may have begun, after which records went to the other segment.
  if (Load(1 - segment_, 0)) {
    while (Load(segment_, position_)) continue;
  }
  if ((slot.flags & kOrderedLog) && Goes()) {
    problems_.Add("log", OffsetOf(segment_, position_),
                  "a record of the log is damaged, and later ones follow it");
  }
}

bool CheckLog::Goes() const {
  for (uint32_t segment = 0; segment < 2; segment++) {
    for (uint64_t at = 0; at < slot_.segment_size; at += kLine) {
      LogRecord record;
      memcpy(&record, bytes_.data() + uint64_t{segment} * slot_.segment_size + at, sizeof record);
      if (record.generation != slot_.generation || record.epoch <= report_->epoch) continue;
      if (Holds(segment, at, &record)) return true;
    }
  }
  return false;
}

// Its checksum holds: what is wrong now was written so.
void CheckLog::CheckRecord(const LogRecord& record, const char* at) {
  uint32_t count = 0;
  bool sound = CheckOperations(at + sizeof record, at + record.size, &count);
  report_->log_operations += count;
  if (sound && count == record.count && record.reserved == 0) return;
  problems_.Add(
      "log", OffsetOf(segment_, position_),
      "the record of commit " + std::to_string(record.epoch) + " has operations that are none");
}

bool CheckLog::CheckOperations(const char* at, const char* end, uint32_t* count) {
  on_map_ = on_undo_ = false;
  while (at < end) {
    LogOperation operation;
    if (end - at < static_cast<ptrdiff_t>(sizeof operation)) return false;
    memcpy(&operation, at, sizeof operation);
    at += sizeof operation;
    uint64_t size = uint64_t{operation.key_size} + operation.value_size;
    if (static_cast<uint64_t>(end - at) < size || operation.reserved != 0) return false;
    Bytes key(at, operation.key_size), value(at + operation.key_size, operation.value_size);
    if (!CheckOperation(operation, key, value)) return false;
    at += size;
    ++*count;
  }
  return true;
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
