#include "pool_reader.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "pool_files.h"

namespace potoroo::engine {

PoolReader::~PoolReader() {
  for (const File& file : files_) close(file.fd);
}

Status PoolReader::Add(const std::string& name, int flags) {
  // A FIFO must not make it wait.
  int fd = open(name.c_str(), flags | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return StatusFromErrno(errno, name);
  struct stat info;
  if (fstat(fd, &info) != 0 || !(S_ISREG(info.st_mode) || S_ISCHR(info.st_mode))) {
    close(fd);
    return Status(Code::kNotAPool, name + " is no regular file");
  }
  files_.push_back({name, fd, size_, static_cast<uint64_t>(info.st_size)});
  size_ += static_cast<uint64_t>(info.st_size);
  return Status::Ok();
}

Status PoolReader::Open(const std::string& path, bool folder, For what) {
  std::vector<std::string> names{path};
  if (folder) names = Parts(path);
  if (names.empty()) return Status(Code::kNotAPool, path + " holds no pool");
  for (const std::string& name : names) {
    Status status = Add(name, what == For::kReading ? O_RDONLY : O_RDWR);
    if (!status.ok()) return status;
    // As libpmemobj locks it while the pool is open.
    int lock = what == For::kReading ? LOCK_SH : LOCK_EX;
    if (files_.size() == 1 && flock(files_[0].fd, lock | LOCK_NB) != 0) {
      return StatusFromErrno(errno, path);
    }
  }
  // A crash while the pool grows leaves a last part that is not whole. Where the heap needs it, it
  // is missed when that is checked.
  while (files_.size() > 1 && (files_.back().size == 0 || files_.back().size % kPartAlign != 0)) {
    size_ -= files_.back().size;
    unfinished_.push_back(files_.back().name);
    close(files_.back().fd);
    files_.pop_back();
  }
  return Status::Ok();
}

Status PoolReader::Tidy(const std::string& folder) {
  for (const std::string& name : unfinished_) {
    if (unlink(name.c_str()) != 0) return StatusFromErrno(errno, name);
  }
  for (size_t i = 0; i < files_.size(); i++) {
    std::string want = PartPath(folder, i);
    if (files_[i].name != want && rename(files_[i].name.c_str(), want.c_str()) != 0) {
      return StatusFromErrno(errno, want);
    }
  }
  return Status::Ok();
}

bool PoolReader::Read(uint64_t offset, void* to, uint64_t size) const {
  if (offset > size_ || size > size_ - offset) return false;
  char* at = static_cast<char*>(to);
  auto file = std::upper_bound(files_.begin(), files_.end(), offset,
                               [](uint64_t o, const File& f) { return o < f.start; });
  if (file != files_.begin()) --file;
  while (size > 0) {
    uint64_t within = offset - file->start;
    if (within >= file->size) {
      if (++file == files_.end()) return false;
      continue;
    }
    uint64_t now = std::min(size, file->size - within);
    ssize_t got = pread(file->fd, at, now, static_cast<off_t>(within));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<uint64_t>(got);
  }
  return true;
}

}  // namespace potoroo::engine
