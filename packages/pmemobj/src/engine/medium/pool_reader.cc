#include "engine/medium/pool_reader.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/memory.h"
#include "engine/heap/heap_layout.h"
#include "engine/medium/part_files.h"
#include "engine/medium/pool_files.h"

namespace potoroo::engine {

PoolReader::~PoolReader() { Close(); }

void PoolReader::Close() {
  for (const File& file : files_) close(file.fd);
  files_.clear();
  unfinished_.clear();
  size_ = missing_ = 0;
}

namespace {

// libpmemobj makes a part without permissions, and gives it some once it is whole.
bool HasNoPermissions(const std::string& name) {
  struct stat info;
  return stat(name.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0777) == 0;
}

}  // namespace

Status PoolReader::Add(const std::string& name, int flags) {
  if (flags == O_RDWR && size_ > 0 && HasNoPermissions(name) && chmod(name.c_str(), 0600) != 0) {
    return StatusFromErrno(errno, name);
  }
  File file{name, -1, size_, 0};
  ReserveMore(&files_, 1);
  // A FIFO must not make it wait.
  int fd = open(name.c_str(), flags | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return StatusFromErrno(errno, name);
  struct stat info;
  if (fstat(fd, &info) != 0 || !(S_ISREG(info.st_mode) || S_ISCHR(info.st_mode))) {
    close(fd);
    return Status(Code::kNotAPool, name + " is no regular file");
  }
  file.fd = fd;
  file.size = static_cast<uint64_t>(info.st_size);
  files_.push_back(std::move(file));
  size_ += static_cast<uint64_t>(info.st_size);
  return Status::Ok();
}

Status PoolReader::Open(const std::string& path, bool folder, For what) {
  Close();
  folder_ = folder;
  std::vector<std::string> names{path};
  Status listed = folder ? ListParts(path, &names) : Status::Ok();
  if (!listed.ok()) return listed;
  if (names.empty()) return Status(Code::kNotAPool, path + " holds no pool");
  for (const std::string& name : names) {
    // libpmemobj is making this file just now.
    if (what == For::kBeside && !files_.empty() && HasNoPermissions(name)) break;
    Status status = Add(name, what == For::kRepair ? O_RDWR : O_RDONLY);
    if (!status.ok()) return status;
    if (what == For::kBeside) continue;
    // As libpmemobj locks it while the pool is open.
    int lock = what == For::kRepair ? LOCK_EX : LOCK_SH;
    if (files_.size() == 1 && flock(files_[0].fd, lock | LOCK_NB) != 0) {
      return StatusFromErrno(errno, path);
    }
  }
  if (what == For::kSalvage) return Status::Ok();
  // A crash while the pool grows leaves a last part that is not whole. If the heap needs it, the
  // check of the heap finds it missing.
  while (files_.size() > 1 && (files_.back().size == 0 || files_.back().size % kPartAlign != 0)) {
    size_ -= files_.back().size;
    unfinished_.push_back(files_.back().name);
    close(files_.back().fd);
    files_.pop_back();
  }
  if (folder) FindMissing();
  return Status::Ok();
}

void PoolReader::FindMissing() {
  constexpr uint64_t kGreatest = uint64_t{2} << 30;  // that growth adds at once
  uint64_t heap, heap_size;
  if (!Read(kOffsetsAt + 16, &heap, 8) || !Read(kVariableAt + 32, &heap_size, 8)) return;
  if (heap > size_ || heap_size <= size_ - heap) return;
  uint64_t missing = heap_size - (size_ - heap);
  if (missing % kPartAlign == 0 && missing <= kGreatest) missing_ = missing;
}

Status PoolReader::MakeMissing(const std::string& folder) const {
  std::string name = PartPath(folder, files_.size());
  int fd = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return StatusFromErrno(errno, name);
  int error = posix_fallocate(fd, 0, static_cast<off_t>(missing_));
  if (error == 0 && fsync(fd) != 0) error = errno;
  close(fd);
  if (error == 0) return Status::Ok();
  unlink(name.c_str());
  return StatusFromErrno(error, name);
}

Status PoolReader::Tidy(const std::string& folder) {
  bool changed = !unfinished_.empty() || missing_ > 0;
  for (const std::string& name : unfinished_) {
    if (unlink(name.c_str()) != 0) return StatusFromErrno(errno, name);
  }
  for (size_t i = 0; i < files_.size(); i++) {
    std::string want = PartPath(folder, i);
    if (files_[i].name == want) continue;
    if (rename(files_[i].name.c_str(), want.c_str()) != 0) return StatusFromErrno(errno, want);
    changed = true;
  }
  Status status = missing_ > 0 ? MakeMissing(folder) : Status::Ok();
  return status.ok() && changed ? SyncFolder(folder) : status;
}

Status PoolReader::ClearShutdownState() const {
  char state[kShutdownStateSize];
  const char zeros[kShutdownStateSize] = {};
  if (!Read(kShutdownStateAt, state, sizeof state)) {
    return Status(Code::kIo, files_[0].name + " cannot be read");
  }
  if (memcmp(state, zeros, sizeof state) == 0) return Status::Ok();
  ssize_t written = pwrite(files_[0].fd, zeros, sizeof zeros, kShutdownStateAt);
  if (written == sizeof zeros) return Status::Ok();
  return StatusFromErrno(written < 0 ? errno : EIO, files_[0].name);
}

namespace {

bool WithinOne(const PoolReader::Extents& extents, uint64_t from, uint64_t to) {
  auto extent = extents.upper_bound(from);
  if (extent == extents.begin()) return false;
  --extent;
  return to <= extent->first + extent->second;
}

}  // namespace

// Fills one hole of a file, region by region.
Status PoolReader::FillHole(const File& file, uint64_t from, uint64_t to,
                            const Extents& extents) const {
  while (from < to) {
    const uint64_t region = (file.start + from) / kRegionSize * kRegionSize;
    const uint64_t end = std::min(to, region + kRegionSize - file.start);
    const bool whole = file.start + from == region && end == region + kRegionSize - file.start;
    if (!whole || !WithinOne(extents, region, region + kRegionSize)) {
      int error =
          posix_fallocate(file.fd, static_cast<off_t>(from), static_cast<off_t>(end - from));
      if (error != 0) {
        return StatusFromErrno(error, file.name + " has holes that cannot be filled");
      }
    }
    from = end;
  }
  return Status::Ok();
}

Status PoolReader::FillHoles(const Extents& extents) const {
  for (const File& file : files_) {
    struct stat info;
    if (fstat(file.fd, &info) != 0) return StatusFromErrno(errno, file.name);
    if (!S_ISREG(info.st_mode) || static_cast<uint64_t>(info.st_blocks) * 512 >= file.size) {
      continue;
    }
    const off_t size = static_cast<off_t>(file.size);
    off_t hole = lseek(file.fd, 0, SEEK_HOLE);
    while (hole >= 0 && hole < size) {
      off_t data = lseek(file.fd, hole, SEEK_DATA);
      off_t end = data < 0 ? size : data;
      Status status =
          FillHole(file, static_cast<uint64_t>(hole), static_cast<uint64_t>(end), extents);
      if (!status.ok()) return status;
      hole = lseek(file.fd, end, SEEK_HOLE);
    }
  }
  return Status::Ok();
}

void PoolReader::MoveFiles(const std::vector<uint64_t>& starts) {
  size_ = 0;
  for (size_t i = 0; i < files_.size(); i++) {
    files_[i].start = starts[i];
    size_ = std::max(size_, starts[i] + files_[i].size);
  }
  std::sort(files_.begin(), files_.end(),
            [](const File& a, const File& b) { return a.start < b.start; });
}

bool PoolReader::Read(uint64_t offset, void* to, uint64_t size) const {
  if (offset > this->size() || size > this->size() - offset) return false;
  char* at = static_cast<char*>(to);
  if (offset + size > size_) {
    uint64_t there = std::max(offset, size_) - offset;
    memset(at + there, 0, size - there);
    size = there;
  }
  auto file = std::upper_bound(files_.begin(), files_.end(), offset,
                               [](uint64_t o, const File& f) { return o < f.start; });
  if (file != files_.begin()) --file;
  while (size > 0) {
    uint64_t within = offset - file->start;
    if (within >= file->size) {
      if (++file == files_.end() || file->start > offset) return false;
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
