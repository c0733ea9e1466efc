// The redo log: what was written since the last checkpoint.
//
// It has two segments. Records fill one of them until a checkpoint begins; then they go to the
// other, and once the checkpoint is durable the first one is free again. A record:
//
//   offset  size  field
//        0     4  checksum    of the bytes 4 to size (see checksum.h)
//        4     4  size        bytes, this header included
//        8     8  epoch       of the commit
//       16     8  generation  of the log: see RootSlot
//       24     4  count       of operations
//       28     4  reserved    0
//       32        operations
//
// Records begin at multiples of 64 bytes, so that no two share a cache line. An operation:
//
//        0     1  kind        LogKind
//        1     1  reserved    0
//        2     2  key size
//        4     4  value size
//        8        key, then value
//
// A record counts if its checksum is right, it is of the log's generation, and its epoch is the one
// that follows. So a log ends by itself: at what was torn, at what an earlier use of the segment
// left (older epochs), and at what an earlier opening of the pool never acknowledged (another
// generation).
#ifndef POTOROO_ENGINE_LOG_H_
#define POTOROO_ENGINE_LOG_H_

#include <cstdint>
#include <memory>
#include <type_traits>

#include "engine.h"
#include "medium.h"
#include "space.h"

namespace potoroo::engine {

enum class LogKind : uint8_t {
  kPut = 1,
  kDelete = 2,
  kDeleteRange = 3,  // the key is the first that goes, the value the first that stays
  kMap = 4,          // the key is the name of the map that the next operations are on
  kCreateMap = 5,
  kDropMap = 6,
};

struct LogRecord {
  uint32_t checksum;
  uint32_t size;
  uint64_t epoch;
  uint64_t generation;
  uint32_t count;
  uint32_t reserved;
};
static_assert(sizeof(LogRecord) == 32 && std::is_trivially_copyable_v<LogRecord>,
              "LogRecord is on media: changing it needs a new pool layout version");

struct LogOperation {
  LogKind kind;
  uint8_t reserved;
  uint16_t key_size;
  uint32_t value_size;
};
static_assert(sizeof(LogOperation) == 8 && std::is_trivially_copyable_v<LogOperation>,
              "LogOperation is on media: changing it needs a new pool layout version");

// Where a log lies. On media as a part of RootSlot.
struct LogPlace {
  uint64_t offset = 0;        // of the first segment; the second one follows it
  uint32_t segment_size = 0;  // bytes

  uint64_t size() const { return 2 * uint64_t{segment_size}; }
  // Whether a record fits into a segment, and blocks hold segments.
  bool IsUsable() const;
};

// Above it a batch is a checkpoint of its own instead of a record.
inline constexpr uint64_t kMaxLogged = 256 * 1024;

// The least that a segment has. A record is a batch with a header, and what follows it is aligned.
inline constexpr uint64_t kLeastSegment = 512 * 1024;
static_assert(kLeastSegment > kMaxLogged);

inline bool LogPlace::IsUsable() const {
  return segment_size >= kLeastSegment && segment_size % kBlockSize == 0;
}

// Collects the operations of one record.
class LogWriter {
 public:
  void Clear();
  void Add(LogKind kind, Bytes key, Bytes value);
  // Of the record so far.
  uint64_t size() const { return size_; }
  // The record, ready to be copied.
  Bytes Finish(uint64_t epoch, uint64_t generation);

 private:
  char* Take(size_t size);

  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0, size_ = 0;
  uint32_t count_ = 0;
};

// Only the writing thread uses it, but for what is said otherwise.
class Log {
 public:
  explicit Log(Medium* medium) : medium_(medium) {}

  // Takes blocks for a log and clears them, durably. offset 0: no space.
  static LogPlace Allocate(Medium* medium, Space* space, uint64_t segment_size);
  void Attach(const LogPlace& place) { place_ = place; }
  const LogPlace& place() const { return place_; }
  uint32_t segment() const { return segment_; }

  // Records go to the start of that segment from now on.
  void Start(uint32_t segment, uint64_t generation);
  uint64_t generation() const { return generation_; }
  bool HasRoom(uint64_t size) const { return used_ + size <= place_.segment_size; }
  uint64_t used() const { return used_; }
  // On persistent memory the record is durable when this returns; otherwise `from` and `to` say
  // what has to be synced.
  void Append(LogWriter* record, uint64_t epoch, const char** from, const char** to);

  // Reads the records that follow the commit `epoch`, beginning in a segment.
  class Reader {
   public:
    Reader(const Log* log, uint32_t segment, uint64_t generation, uint64_t epoch)
        : log_(log), segment_(segment), generation_(generation), epoch_(epoch) {}
    // The next record's operations; false at the end of the log.
    bool Next();
    uint64_t epoch() const { return epoch_; }
    uint32_t count() const { return header_.count; }
    // At the end: whether a later record of this log follows all the same, so that one is damaged.
    bool Goes() const;
    // One operation after the other. False at the end of the record.
    bool NextOperation(LogKind* kind, Bytes* key, Bytes* value);
    // Whether operations fill the record, as they do in one that was written so.
    bool Exhausted() const { return at_ == end_; }

   private:
    bool Load(uint32_t segment, uint64_t position);

    const Log* log_;
    uint32_t segment_;
    uint64_t generation_, epoch_;
    uint64_t position_ = 0;
    bool crossed_ = false;
    LogRecord header_{};
    const char* at_ = nullptr;
    const char* end_ = nullptr;
  };

 private:
  const char* Segment(uint32_t segment) const {
    return medium_->At(place_.offset + uint64_t{segment} * place_.segment_size);
  }

  Medium* medium_;
  LogPlace place_;
  uint32_t segment_ = 0;
  uint64_t generation_ = 0;
  uint64_t used_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_LOG_H_
