#include "engine/medium/part_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/memory.h"
#include "engine/medium/pool_files.h"

namespace potoroo::engine {
namespace {

Status SyncFile(int fd) {
  return fsync(fd) == 0 ? Status::Ok() : StatusFromErrno(errno, "a part of the pool");
}

}  // namespace

PartFiles::~PartFiles() {
  for (const Part& part : parts_) close(part.fd);
}

void PartFiles::Reserve() {
  std::lock_guard<std::mutex> lock(mutex_);
  ReserveMore(&parts_, 1);
}

Status PartFiles::Add(const std::string& path, int flags) {
  Reserve();
  Part part;
  part.fd = open(path.c_str(), flags | O_CLOEXEC);
  if (part.fd < 0) return StatusFromErrno(errno, path);
  struct stat info;
  if (fstat(part.fd, &info) != 0) {
    Status status = StatusFromErrno(errno, path);
    close(part.fd);
    return status;
  }
  part.size = static_cast<uint64_t>(info.st_size);
  std::lock_guard<std::mutex> lock(mutex_);
  if (!parts_.empty()) part.start = parts_.back().start + parts_.back().size;
  parts_.push_back(part);
  return Status::Ok();
}

Part PartFiles::Find(uint64_t offset) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto after = std::upper_bound(parts_.begin(), parts_.end(), offset,
                                [](uint64_t o, const Part& part) { return o < part.start; });
  if (after == parts_.begin()) return Part();
  const Part& part = *--after;
  return offset - part.start < part.size ? part : Part();
}

uint64_t PartFiles::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return parts_.empty() ? 0 : parts_.back().start + parts_.back().size;
}

bool PartFiles::AllNamed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) {
    struct stat info;
    return fstat(part.fd, &info) != 0 || info.st_nlink > 0;
  });
}

namespace {

// How much of it was written, or -1.
ssize_t WriteSynced(int fd, const char* bytes, size_t size, off_t at) {
  iovec piece{const_cast<char*>(bytes), size};
  ssize_t written = pwritev2(fd, &piece, 1, at, RWF_DSYNC);
  if (written >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return written;
  written = pwrite(fd, bytes, size, at);
  return written < 0 || fdatasync(fd) != 0 ? -1 : written;
}

}  // namespace

Status PartFiles::Write(uint64_t offset, const char* bytes, uint64_t size) const {
  while (size > 0) {
    const Part part = Find(offset);
    const uint64_t within = offset - part.start;
    errno = ENXIO;
    ssize_t written = part.fd < 0 ? -1
                                  : WriteSynced(part.fd, bytes, std::min(size, part.size - within),
                                                static_cast<off_t>(within));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return Status(Code::kIo,
                    std::string("the pool's file could not be written: ") + strerror(errno));
    }
    offset += static_cast<uint64_t>(written);
    bytes += written;
    size -= static_cast<uint64_t>(written);
  }
  return Status::Ok();
}

Status PartFiles::SyncLast() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return SyncFile(parts_.back().fd);
}

Status PartFiles::SyncAll() const {
  std::lock_guard<std::mutex> lock(mutex_);
  Status status;
  for (const Part& part : parts_) {
    if (status.ok()) status = SyncFile(part.fd);
  }
  return status;
}

}  // namespace potoroo::engine
