#include "engine/log/log_reader.h"

#include <cstddef>
#include <cstring>

#include "engine/base/fault.h"

namespace potoroo::engine {

// Whether a record of this use of the segment is there, of whatever commit.
bool LogReader::Holds(uint32_t segment, uint64_t position, LogRecord* record) const {
  const uint64_t size = slot_.segment_size;
  if (position > size || size - position < sizeof *record) return false;
  const char* at = segments_[segment] + position;
  memcpy(record, at, sizeof *record);
  if (record->salt != slot_.salts[segment] && !Planted(Fault::kStaleLog)) return false;
  if (record->size < sizeof *record || record->size > size - position) return false;
  return record->checksum == RecordChecksum(at, record->size);
}

bool LogReader::Decrypt(uint32_t segment, uint64_t position, const LogRecord& record) {
  constexpr uint64_t kHead = sizeof record + kRecordSeal;
  if (record.size < kHead) return false;
  const char* at = segments_[segment] + position;
  const uint64_t place = slot_.log + uint64_t{segment} * slot_.segment_size + position;
  plain_.resize(record.size - kHead);
  return cipher_->Open(SealedRecord(record, place), at + kHead, plain_.size(), at + sizeof record,
                       &plain_[0]);
}

bool LogReader::Load(uint32_t segment) {
  const uint64_t position = used_[segment];
  LogRecord record;
  if (!Holds(segment, position, &record)) return false;
  if (record.epoch != epoch_ + 1 && !Planted(Fault::kStaleLog)) return false;
  if (cipher_ != nullptr && !Decrypt(segment, position, record)) return false;
  record_ = record;
  at_ = cipher_ == nullptr ? segments_[segment] + position + sizeof record : plain_.data();
  end_ = cipher_ == nullptr ? segments_[segment] + position + record.size : at_ + plain_.size();
  segment_ = segment;
  position_ = position;
  used_[segment] = AfterRecord(position + record.size);
  epoch_++;
  return true;
}

bool LogReader::Next() {
  if (Load(segment_)) return true;
  // A checkpoint may have begun, after which records went to the other segment.
  return segment_ == slot_.segment && Load(1 - segment_);
}

bool LogReader::NextOperation(LogOperation* operation, Bytes* key, Bytes* value) {
  if (at_ == nullptr || end_ - at_ < static_cast<ptrdiff_t>(sizeof *operation)) return false;
  memcpy(operation, at_, sizeof *operation);
  uint64_t size = uint64_t{operation->key_size} + operation->value_size;
  const char* bytes = at_ + sizeof *operation;
  if (static_cast<uint64_t>(end_ - bytes) < size) return false;
  *key = {bytes, operation->key_size};
  *value = {bytes + operation->key_size, operation->value_size};
  at_ = bytes + size;
  return true;
}

// From the end on nothing is known to be a record, so one may begin on any line. Only a salt that
// users cannot know makes it one.
bool LogReader::MissesIn(uint32_t segment) const {
  LogRecord record;
  for (uint64_t at = used_[segment]; at < slot_.segment_size; at = AfterRecord(at + 1)) {
    if (!Holds(segment, at, &record) || record.epoch <= epoch_) continue;
    if (record.behind != 0 && record.epoch - epoch_ > record.behind) return true;
  }
  return false;
}

bool LogReader::Misses() const {
  return MissesIn(segment_) || (segment_ == slot_.segment && MissesIn(1 - segment_));
}

}  // namespace potoroo::engine
