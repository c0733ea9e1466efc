// How readers in other processes say which checkpoint they read, so that nothing of it is given to
// others meanwhile.
//
// A reader holds a shared lock (OFD, see fcntl(2)) on one byte of the pool's first file: the byte
// at kReaderLocks plus the number of the checkpoint. No file is that long: bytes that can be locked
// need not be there. The lock takes a descriptor for reading only, ends with the process, and has
// nothing to do with libpmemobj's, which is one of flock(2).
//
// The reader takes the lock and then looks again whether the checkpoint is still the latest. A
// writer first makes another checkpoint the latest and then asks for the lock. So either of them
// sees the other. If a file system has no such locks, no reader gets one.
#ifndef POTOROO_ENGINE_MEDIUM_READER_LOCKS_H_
#define POTOROO_ENGINE_MEDIUM_READER_LOCKS_H_

#include <chrono>
#include <cstdint>

#include "engine/engine.h"

namespace potoroo::engine {

// How often what another process writes just now is looked at again. A write is whole within
// microseconds, but there may be one checkpoint after the other.
inline constexpr int kAttempts = 1000;
inline constexpr std::chrono::milliseconds kPause{1};
// Looks after which a slot that stays torn, or a record that stays missing, is damaged.
inline constexpr int kDoubts = 20;

inline constexpr uint64_t kReaderLocks = uint64_t{1} << 62;

// Holds until the descriptor, and what was made of it by fork, is closed. kIo where the file system
// has no such locks.
Status LockForReader(int fd, uint64_t number);
void UnlockForReader(int fd, uint64_t number);
// Whether somebody reads a checkpoint with a number from `first` to `last`, by another descriptor;
// true where that cannot be found out.
bool IsRead(int fd, uint64_t first, uint64_t last);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_READER_LOCKS_H_
