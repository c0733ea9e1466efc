#include "engine/medium/reader_locks.h"

#include <fcntl.h>

#include <cerrno>

#include "engine/base/fault.h"
#include "engine/medium/pool_files.h"

namespace potoroo::engine {
namespace {

struct flock LockOn(short type, uint64_t first, uint64_t count) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(kReaderLocks + first);
  lock.l_len = static_cast<off_t>(count);
  return lock;
}

}  // namespace

Status LockForReader(int fd, uint64_t number) {
  if (number >= kReaderLocks) return Status(Code::kCorrupt, "a checkpoint has no such number");
  struct flock lock = LockOn(F_RDLCK, number, 1);
  if (fcntl(fd, F_OFD_SETLK, &lock) == 0) return Status::Ok();
  return StatusFromErrno(errno, "the file system has no locks for readers");
}

void UnlockForReader(int fd, uint64_t number) {
  struct flock lock = LockOn(F_UNLCK, number, 1);
  (void)fcntl(fd, F_OFD_SETLK, &lock);
}

bool IsRead(int fd, uint64_t first, uint64_t last) {
  if (Planted(Fault::kUnasked)) return false;
  if (first > last || last >= kReaderLocks) return false;
  struct flock lock = LockOn(F_WRLCK, first, last - first + 1);
  if (fcntl(fd, F_OFD_GETLK, &lock) == 0) return lock.l_type != F_UNLCK;
  // Only if there are no such locks, no process can have one.
  return errno != EINVAL && errno != EOPNOTSUPP && errno != ENOLCK;
}

}  // namespace potoroo::engine
