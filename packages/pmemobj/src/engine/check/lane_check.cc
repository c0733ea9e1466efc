#include "engine/check/lane_check.h"

#include <cstring>

namespace potoroo::engine {
namespace {

constexpr uint64_t kHeader = 64;
constexpr uint64_t kChecksumAt = 0, kNextAt = 8, kCapacityAt = 16, kGenerationAt = 24;
constexpr int kTypeShift = 61;
enum : uint64_t { kSet = 0, kAnd = 1, kOr = 2, kSetBytes = 5, kCopyBytes = 6 };

bool Within(uint64_t at, uint64_t length, uint64_t start, uint64_t end) {
  return at >= start && at < end && length <= end - at;
}

// Whether an entry acts where it may.
bool MayChange(uint64_t word, uint64_t length, const Changeable& where) {
  uint64_t at = word & ((uint64_t{1} << kTypeShift) - 1);
  return Within(at, length, where.heap, where.heap_end) ||
         Within(at, length, where.root_at, where.root_end);
}

// Applied whole, if its checksum holds.
bool RedoHolds(const char* log, uint64_t capacity, const Changeable& where) {
  uint64_t used = 0;
  bool inside = true;
  for (; used < capacity; used += 16) {
    uint64_t word = Word(log + kHeader + used);
    if (word == 0) break;
    if (word >> kTypeShift > kOr) return false;
    inside = inside && MayChange(word, 8, where);
  }
  uint64_t length = kHeader + used;
  return inside || FletcherSum(log, length, kChecksumAt, length) != Word(log + kChecksumAt);
}

// Applied entry by entry, as far as the checksum of each holds. An entry: where, checksum of entry
// and generation, size, bytes up to a multiple of 64.
bool UndoHolds(const char* log, uint64_t capacity, const Changeable& where) {
  for (uint64_t at = 0; at < capacity;) {
    const char* entry = log + kHeader + at;
    uint64_t word = Word(entry), type = word >> kTypeShift, length = Word(entry + 16);
    if (word == 0) return true;
    if ((type != kSetBytes && type != kCopyBytes) || length > capacity - at - 24) return false;
    uint64_t room = (24 + length + 63) / 64 * 64;
    if (room > capacity - at) return false;
    uint64_t sum = FletcherSum(entry, room, 8, room);
    uint32_t low = static_cast<uint32_t>(sum), high = static_cast<uint32_t>(sum >> 32);
    for (uint64_t i = 0; i < 8; i += 4) {
      uint32_t part;
      memcpy(&part, log + kGenerationAt + i, 4);
      low += part;
      high += low;
    }
    if ((uint64_t{high} << 32 | low) != Word(entry + 8)) return true;
    if (!MayChange(word, length, where)) return false;
    at += room;
  }
  return true;
}

}  // namespace

uint64_t FletcherSum(const char* data, size_t size, size_t at, size_t skip) {
  uint32_t low = 0, high = 0;
  for (size_t i = 0; i < size; i += 4) {
    uint32_t word;
    memcpy(&word, data + i, 4);
    if (i < skip && (i < at || i >= at + 8)) low += word;
    high += low;
  }
  return uint64_t{high} << 32 | low;
}

bool CheckLane(const char* lane, const Changeable& changeable) {
  struct Log {
    uint64_t at, capacity;
    bool (*check)(const char*, uint64_t, const Changeable&);
  };
  static constexpr Log kLogs[] = {
      {0, 192, RedoHolds}, {256, 640, RedoHolds}, {960, 2048, UndoHolds}};
  for (const Log& log : kLogs) {
    const char* at = lane + log.at;
    uint64_t capacity = Word(at + kCapacityAt);
    // The engine makes nothing large enough for a log to go on elsewhere.
    if (Word(at + kNextAt) != 0) return false;
    // A redo log that is in use may say less than it has: it was prepared in memory.
    if (capacity > log.capacity || capacity % kHeader != 0) return false;
    if (!log.check(at, capacity, changeable)) return false;
  }
  return true;
}

}  // namespace potoroo::engine
