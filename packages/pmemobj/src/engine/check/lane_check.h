// The logs of libpmemobj's lanes: it applies them when it opens a pool.
//
// A lane has 3072 bytes: a redo log of 192 bytes at 0 and one of 640 at 256, and an undo log of
// 2048 at 960. A log is
//
//   offset  size  field
//        0     8  checksum    of a redo log: of its header and entries (see FletcherSum)
//        8     8  next        where it goes on, 0 if nowhere
//       16     8  capacity    bytes of entries, or 0 while unused; a multiple of 64
//       24     8  generation
//       32    32  flags, unused
//       64        entries, up to one whose first word is 0
//
// and an entry a word, the upper 3 bits of which say what it does with the place in the pool that
// the others name (0 set, 1 and, 2 or: 16 bytes with the operand; 5, 6 bytes: see UndoHolds).
#ifndef POTOROO_ENGINE_CHECK_LANE_CHECK_H_
#define POTOROO_ENGINE_CHECK_LANE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace potoroo::engine {

inline constexpr uint64_t kLaneSize = 3072;

// Returns 8 bytes as a number.
inline uint64_t Word(const char* at) {
  uint64_t word;
  memcpy(&word, at, 8);
  return word;
}

// libpmemobj's checksum: Fletcher's, over 32-bit words. The checksum itself (8 bytes at `at`), and
// all from `skip` on, count as zeros.
uint64_t FletcherSum(const char* data, size_t size, size_t at, size_t skip);

// Ranges that libpmemobj may change when it opens a pool: its heap, and where it keeps the root
// object. Everything else before the heap it takes for granted.
struct Changeable {
  uint64_t root_at, root_end;
  uint64_t heap, heap_end;
};

// Whether libpmemobj may have the lane: whether what it applies lies there, and its search for it
// ends.
bool CheckLane(const char* lane, const Changeable& changeable);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_CHECK_LANE_CHECK_H_
