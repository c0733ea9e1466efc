// Reads the log's records that follow a checkpoint: for opening a pool, and for checking one.
#ifndef POTOROO_ENGINE_LOG_LOG_READER_H_
#define POTOROO_ENGINE_LOG_LOG_READER_H_

#include <cstdint>
#include <string>

#include "engine/log/log.h"
#include "engine/space/superblock.h"

namespace potoroo::engine {

class LogReader {
 public:
  // `segments`: the bytes of both, at least slot.segment_size each. `cipher`: nullptr where the
  // pool is not encrypted.
  LogReader(const char* first, const char* second, const RootSlot& slot,
            const Cipher* cipher = nullptr)
      : segments_{first, second},
        slot_(slot),
        cipher_(cipher),
        segment_(slot.segment),
        epoch_(slot.epoch) {}

  // The next record; false at the end of the log.
  bool Next();
  const LogRecord& record() const { return record_; }
  // Place of the record: its segment, and the position in it.
  uint32_t segment() const { return segment_; }
  uint64_t position() const { return position_; }
  // Gives one operation of the record after the other. False at its end.
  bool NextOperation(LogOperation* operation, Bytes* key, Bytes* value);
  // Whether operations fill the record, as they do in one that was written so.
  bool Exhausted() const { return at_ == end_; }

  // Commit of the last record that counts, or else of the checkpoint.
  uint64_t epoch() const { return epoch_; }
  // Bytes that were read of a segment, from its start.
  uint64_t used(uint32_t segment) const { return used_[segment]; }
  // Whether, at the end, a later record says that the missing one was durable.
  bool Misses() const;

 private:
  bool Holds(uint32_t segment, uint64_t position, LogRecord* record) const;
  bool Load(uint32_t segment);
  bool Decrypt(uint32_t segment, uint64_t position, const LogRecord& record);
  bool MissesIn(uint32_t segment) const;

  const char* segments_[2];
  const RootSlot slot_;
  const Cipher* const cipher_;
  uint32_t segment_;
  uint64_t epoch_;
  uint64_t position_ = 0;
  uint64_t used_[2] = {0, 0};
  LogRecord record_{};
  std::string plain_;  // the operations of a record that is encrypted
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_LOG_LOG_READER_H_
