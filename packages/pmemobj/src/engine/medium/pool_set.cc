#include "engine/medium/pool_set.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "engine/medium/pool_files.h"

namespace potoroo::engine {

std::string SetPath(const std::string& folder) { return folder + "/pool.set"; }
std::string DraftSetPath(const std::string& folder) { return SetPath(folder) + ".draft"; }

namespace {

std::string SetText(const std::string& folder, uint64_t max_size) {
  return "PMEMPOOLSET\nOPTION SINGLEHDR\n" + std::to_string(max_size) + " " + folder + "\n";
}

Status ReadText(const std::string& path, std::string* text) {
  // A FIFO must not make it wait.
  int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return StatusFromErrno(errno, path);
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return Status(Code::kNotAPool, path + " is no regular file");
  }
  char buffer[8192];
  ssize_t got = read(fd, buffer, sizeof buffer);
  int error = errno;
  close(fd);
  if (got < 0) return StatusFromErrno(error, path);
  text->assign(buffer, static_cast<size_t>(got));
  return Status::Ok();
}

// 0: it is no text of ours.
uint64_t MaxSizeOf(const std::string& text) {
  unsigned long long size;
  char rest;
  if (sscanf(text.c_str(), "PMEMPOOLSET OPTION SINGLEHDR %llu %c", &size, &rest) != 2) return 0;
  return size < kPartSize || size > kMaxPoolSize ? 0 : size;
}

int WriteAll(int fd, const std::string& text) {
  ssize_t written = write(fd, text.data(), text.size());
  if (written < 0) return errno;
  return written == static_cast<ssize_t>(text.size()) ? 0 : ENOSPC;
}

}  // namespace

namespace {

// Whether parts without a set are those of a pool. Asked once the set is known to be missing: so a
// draft that has become the set meanwhile is that of a pool which is whole.
Status ReadWithoutSet(const std::string& folder, uint64_t* max_size) {
  struct stat info;
  std::vector<std::string> parts;
  Status status = ListParts(folder, &parts);
  if (!status.ok()) return status;
  const bool draft = lstat(DraftSetPath(folder).c_str(), &info) == 0 || errno != ENOENT;
  if (draft || parts.empty()) return Status(Code::kNotAPool, folder + " holds no pool.set");
  *max_size = kUsualMaxSize;
  return status;
}

}  // namespace

Status ReadSet(const std::string& folder, uint64_t* max_size) {
  std::string text;
  Status status = ReadText(SetPath(folder), &text);
  if (status.code() == Code::kNotFound) return ReadWithoutSet(folder, max_size);
  if (!status.ok()) return status;
  *max_size = MaxSizeOf(text);
  if (*max_size == 0) *max_size = kUsualMaxSize;
  return Status::Ok();
}

bool IsOwnSet(const std::string& folder) {
  std::string text;
  return ReadText(SetPath(folder), &text).ok() && (text.empty() || MaxSizeOf(text) != 0);
}

Status WriteText(const std::string& path, const std::string& text) {
  // Never into a file, or through a link, that somebody else has put there.
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return StatusFromErrno(errno, path);
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return StatusFromErrno(errno, path);
  int error = WriteAll(fd, text);
  if (error == 0 && fsync(fd) != 0) error = errno;
  close(fd);
  if (error == 0) return Status::Ok();
  unlink(path.c_str());
  return StatusFromErrno(error, path);
}

Status WriteSet(const std::string& path, const std::string& folder, uint64_t max_size) {
  char absolute[PATH_MAX];
  if (realpath(folder.c_str(), absolute) == nullptr) return StatusFromErrno(errno, folder);
  std::string want = SetText(absolute, max_size), have;
  if (ReadText(path, &have).ok() && have == want) return Status::Ok();
  std::string draft = SetPath(folder) + ".new";
  Status status = WriteText(draft, want);
  if (!status.ok()) return status;
  if (rename(draft.c_str(), path.c_str()) == 0) return SyncFolder(folder);
  status = StatusFromErrno(errno, path);
  unlink(draft.c_str());
  return status;
}

SetInMemory::~SetInMemory() {
  if (fd_ >= 0) close(fd_);
}

Status SetInMemory::Make(int folder, uint64_t max_size) {
  fd_ = memfd_create("pool.set", MFD_CLOEXEC);
  if (fd_ < 0) return StatusFromErrno(errno, "pool.set in memory");
  int error = WriteAll(fd_, SetText(DescriptorPath(folder), max_size));
  return error == 0 ? Status::Ok() : StatusFromErrno(error, "pool.set in memory");
}

std::string SetInMemory::path() const { return DescriptorPath(fd_); }

}  // namespace potoroo::engine
