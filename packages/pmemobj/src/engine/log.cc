#include "log.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "checksum.h"
#include "fault.h"

namespace potoroo::engine {
namespace {

constexpr uint64_t kLine = 64;
uint64_t NextLine(uint64_t position) { return (position + kLine - 1) / kLine * kLine; }

uint32_t ChecksumOf(const char* record, size_t size) {
  if (Planted(Fault::kValueChecksum)) size = std::min(size, sizeof(LogRecord));
  return Checksum(record + 4, size - 4);
}

}  // namespace

// Room at the end, not cleared.
char* LogWriter::Take(size_t size) {
  if (size_ + size > capacity_) {
    capacity_ = std::max(2 * capacity_, size_ + size);
    std::unique_ptr<char[]> bigger(new char[capacity_]);
    if (size_ > 0) memcpy(bigger.get(), buffer_.get(), size_);
    buffer_ = std::move(bigger);
  }
  char* start = buffer_.get() + size_;
  size_ += size;
  return start;
}

void LogWriter::Clear() {
  size_ = 0;
  count_ = 0;
  Take(sizeof(LogRecord));
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

Bytes LogWriter::Finish(uint64_t epoch, uint64_t generation) {
  LogRecord header{};
  header.size = static_cast<uint32_t>(size_);
  header.epoch = epoch;
  header.generation = generation;
  header.count = count_;
  memcpy(buffer_.get(), &header, sizeof header);
  header.checksum = ChecksumOf(buffer_.get(), size_);
  memcpy(buffer_.get(), &header.checksum, 4);
  return {buffer_.get(), size_};
}

LogPlace Log::Allocate(Medium* medium, Space* space, uint64_t segment_size) {
  uint64_t offset = space->AllocateRun(2 * segment_size);
  if (offset == 0) return {};
  // So that a file system has written each block once before records are: to write one for the
  // first time is a change of the file system's own journal.
  memset(medium->At(offset), 0, 2 * segment_size);
  medium->Flush(medium->At(offset), 2 * segment_size);
  if (medium->Fence().ok()) return {offset, static_cast<uint32_t>(segment_size)};
  space->FreeRun(offset, 2 * segment_size);
  return {};
}

void Log::Start(uint32_t segment, uint64_t generation) {
  segment_ = segment;
  generation_ = generation;
  used_ = 0;
}

void Log::Append(LogWriter* record, uint64_t epoch, const char** from, const char** to) {
  const Bytes bytes = record->Finish(epoch, generation_);
  char* at = const_cast<char*>(Segment(segment_)) + used_;
  medium_->Append(at, bytes.data(), bytes.size());
  *from = at;
  *to = at + bytes.size();
  used_ = NextLine(used_ + bytes.size());
}

bool Log::Reader::Load(uint32_t segment, uint64_t position) {
  uint64_t size = log_->place_.segment_size;
  if (position > size || size - position < sizeof(LogRecord)) return false;
  const char* at = log_->Segment(segment) + position;
  LogRecord header;
  memcpy(&header, at, sizeof header);
  bool follows = header.generation == generation_ && header.epoch == epoch_ + 1;
  if (!follows && !Planted(Fault::kStaleLog)) return false;
  if (header.size < sizeof header || header.size > size - position) return false;
  if (header.checksum != ChecksumOf(at, header.size)) return false;
  header_ = header;
  at_ = at + sizeof header;
  end_ = at + header.size;
  segment_ = segment;
  position_ = NextLine(position + header.size);
  epoch_++;
  return true;
}

bool Log::Reader::Next() {
  if (Load(segment_, position_)) return true;
  // A checkpoint may have begun, after which records went to the other segment.
  if (crossed_) return false;
  crossed_ = true;
  return Load(1 - segment_, 0);
}

bool Log::Reader::Goes() const {
  uint64_t size = log_->place_.segment_size;
  for (uint32_t segment = 0; segment < 2; segment++) {
    for (uint64_t at = 0; at + sizeof(LogRecord) <= size; at += kLine) {
      LogRecord header;
      memcpy(&header, log_->Segment(segment) + at, sizeof header);
      if (header.generation != generation_ || header.epoch <= epoch_) continue;
      if (header.size < sizeof header || header.size > size - at) continue;
      if (ChecksumOf(log_->Segment(segment) + at, header.size) == header.checksum) return true;
    }
  }
  return false;
}

bool Log::Reader::NextOperation(LogKind* kind, Bytes* key, Bytes* value) {
  if (at_ == nullptr || end_ - at_ < static_cast<ptrdiff_t>(sizeof(LogOperation))) return false;
  LogOperation operation;
  memcpy(&operation, at_, sizeof operation);
  uint64_t size = uint64_t{operation.key_size} + operation.value_size;
  const char* bytes = at_ + sizeof operation;
  if (static_cast<uint64_t>(end_ - bytes) < size) return false;
  *kind = operation.kind;
  *key = {bytes, operation.key_size};
  *value = {bytes + operation.key_size, operation.value_size};
  at_ = bytes + size;
  return true;
}

}  // namespace potoroo::engine
