#include "engine/log/log.h"

#include <algorithm>
#include <cstring>

#include "engine/base/checksum.h"
#include "engine/base/fault.h"

namespace potoroo::engine {

uint32_t RecordChecksum(const char* record, uint64_t size) {
  if (Planted(Fault::kValueChecksum)) size = std::min(size, sizeof(LogRecord));
  return Checksum(record + 4, size - 4);
}

// Room at the end, not cleared.
char* LogWriter::Take(size_t size) {
  if (size_ + size > capacity_) {
    const size_t capacity = std::max(2 * capacity_, size_ + size);
    std::unique_ptr<char[]> bigger(new char[capacity]);
    if (size_ > 0) memcpy(bigger.get(), buffer_.get(), size_);
    buffer_ = std::move(bigger);
    capacity_ = capacity;
  }
  char* start = buffer_.get() + size_;
  size_ += size;
  return start;
}

void LogWriter::Clear() {
  size_ = 0;
  count_ = 0;
  Take(sizeof(LogRecord) + (cipher_ == nullptr ? 0 : kRecordSeal));
}

void LogWriter::Add(LogKind kind, Bytes key, Bytes value) {
  LogOperation operation{kind, 0, static_cast<uint16_t>(key.size()),
                         static_cast<uint32_t>(value.size())};
  char* to = Take(sizeof operation + key.size() + value.size());
  memcpy(to, &operation, sizeof operation);
  if (!key.empty()) memcpy(to + sizeof operation, key.data(), key.size());
  if (!value.empty()) memcpy(to + sizeof operation + key.size(), value.data(), value.size());
  count_++;
}

Sealed SealedRecord(const LogRecord& record, uint64_t place) {
  Sealed sealed{Sealed::kRecord, place, record.epoch, {}};
  LogRecord head = record;
  head.checksum = 0;
  static_assert(sizeof head == sizeof sealed.more);
  memcpy(sealed.more, &head, sizeof head);
  return sealed;
}

Bytes LogWriter::Finish(uint64_t epoch, uint64_t salt, uint64_t durable, uint64_t place) {
  LogRecord header{};
  header.size = static_cast<uint32_t>(size_);
  header.epoch = epoch;
  header.salt = salt;
  header.count = count_;
  header.behind = static_cast<uint32_t>(std::min<uint64_t>(epoch - durable, UINT32_MAX));
  memcpy(buffer_.get(), &header, sizeof header);
  if (cipher_ != nullptr) {
    char* seal = buffer_.get() + sizeof header;
    char* operations = seal + kRecordSeal;
    memset(seal, 0, kRecordSeal);
    const size_t size = static_cast<size_t>(buffer_.get() + size_ - operations);
    if (!cipher_->Seal(SealedRecord(header, place), operations, size, operations, seal)) return {};
  }
  header.checksum = RecordChecksum(buffer_.get(), size_);
  memcpy(buffer_.get(), &header.checksum, 4);
  return {buffer_.get(), size_};
}

LogPlace Log::Allocate(Medium* medium, Space* space, uint64_t segment_size) {
  uint64_t offset = space->AllocateRun(2 * segment_size);
  if (offset == 0) return {};
  // A file system has then written each block once before records are written: the first write of a
  // block changes the file system's own journal.
  memset(medium->At(offset), 0, 2 * segment_size);
  medium->Flush(medium->At(offset), 2 * segment_size);
  if (medium->Fence().ok()) return {offset, static_cast<uint32_t>(segment_size)};
  space->FreeRun(offset, 2 * segment_size);
  return {};
}

void Log::Start(uint32_t segment, uint64_t salt) {
  segment_ = segment;
  salt_ = salt;
  used_ = 0;
}

Bytes Log::Finish(LogWriter* record, uint64_t epoch, uint64_t durable, uint64_t* place) {
  *place = place_.offset + uint64_t{segment_} * place_.segment_size + used_;
  const Bytes bytes = record->Finish(epoch, salt_, durable, *place);
  return bytes;
}

}  // namespace potoroo::engine
