// The redo log: what was written since the last checkpoint.
//
// It has two segments. Records fill one of them until a checkpoint begins; then they go to the
// other, and once the checkpoint is durable the first one is free again. A record:
//
//   offset  size  field
//        0     4  checksum    of the bytes 4 to size (see checksum.h)
//        4     4  size        bytes, this header included
//        8     8  epoch       of the commit
//       16     8  salt        of this use of the segment: see RootSlot
//       24     4  count       of operations
//       28     4  behind      how many commits before this one were not known to be durable, and
//                             this one; 0 where that is not said (layout version 2)
//       32        operations
//
// In a pool that is encrypted, the operations are, and before them lies
//
//       32    28  seal        of them and of the bytes 4 to 32: see cipher.h
//       60     4  reserved    0
//
// Records begin at multiples of 64 bytes, so that no two share a cache line. An operation:
//
//        0     1  kind        LogKind
//        1     1  reserved    0
//        2     2  key size
//        4     4  value size
//        8        key, then value
//
// A record counts if its checksum is right, its salt is that of the segment's use, and its epoch is
// the one that follows. So a log ends by itself: at what was torn, and at what an earlier use of
// the segment left. A salt is made up at random before the segment is used, and never told to
// anybody: no bytes that users store are ever taken for a record.
//
// If a later record follows the end and says that the missing one was durable, the log is damaged.
#ifndef POTOROO_ENGINE_LOG_LOG_H_
#define POTOROO_ENGINE_LOG_LOG_H_

#include <cstdint>
#include <memory>
#include <type_traits>

#include "engine/base/cipher.h"
#include "engine/base/memory.h"
#include "engine/engine.h"
#include "engine/medium/medium.h"
#include "engine/space/space.h"

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
  uint64_t salt;
  uint32_t count;
  uint32_t behind;
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

// The place of a log. On media it is a part of RootSlot.
struct LogPlace {
  uint64_t offset = 0;        // of the first segment; the second one follows it
  uint32_t segment_size = 0;  // bytes

  uint64_t size() const { return 2 * uint64_t{segment_size}; }
  // Whether a record fits into a segment, and blocks hold segments.
  bool IsUsable() const;
};

// Returns where the record after one that ends at `end` begins.
inline uint64_t AfterRecord(uint64_t end) { return (end + kLine - 1) / kLine * kLine; }

// Bytes between the head of an encrypted record and its operations.
inline constexpr uint64_t kRecordSeal = 32;
static_assert(kSealSize <= kRecordSeal);
// The seal's statement about a record at that place.
Sealed SealedRecord(const LogRecord& record, uint64_t place);

// Returns the checksum of a record whose size is set.
uint32_t RecordChecksum(const char* record, uint64_t size);

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
  // Bytes of the record so far.
  uint64_t size() const { return size_; }
  // Takes effect from the next record on. nullptr: no encryption.
  void set_cipher(const Cipher* cipher) { cipher_ = cipher; }
  // The record, ready to be copied to its place; nothing where it cannot be encrypted. `durable`:
  // the last commit that is known to be.
  Bytes Finish(uint64_t epoch, uint64_t salt, uint64_t durable, uint64_t place);

 private:
  char* Take(size_t size);

  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0, size_ = 0;
  uint32_t count_ = 0;
  const Cipher* cipher_ = nullptr;
};

// Only the writing thread uses it, except where a comment says otherwise.
class Log {
 public:
  explicit Log(Medium* medium) : medium_(medium) {}

  // Takes blocks for a log and clears them, durably. offset 0: no space.
  static LogPlace Allocate(Medium* medium, Space* space, uint64_t segment_size);
  void Attach(const LogPlace& place) { place_ = place; }
  const LogPlace& place() const { return place_; }
  uint32_t segment() const { return segment_; }

  // Records go to the start of that segment from now on.
  void Start(uint32_t segment, uint64_t salt);
  bool HasRoom(uint64_t size) const { return used_ + size <= place_.segment_size; }
  uint64_t used() const { return used_; }
  // Finishes the record of a commit and names its place in the pool, where the caller has to bring
  // it. `durable`: the last commit that is known to be. Nothing where it cannot be encrypted.
  Bytes Finish(LogWriter* record, uint64_t epoch, uint64_t durable, uint64_t* place);
  // It is there.
  void SetTaken(uint64_t size) { used_ = AfterRecord(used_ + size); }

  const char* Segment(uint32_t segment) const {
    return medium_->At(place_.offset + uint64_t{segment} * place_.segment_size);
  }

 private:
  Medium* medium_;
  LogPlace place_;
  uint32_t segment_ = 0;
  uint64_t salt_ = 0;
  uint64_t used_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_LOG_LOG_H_
