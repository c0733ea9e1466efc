#include "engine/medium/pool_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace potoroo::engine {

Status StatusFromErrno(int error, const std::string& what) {
  Code code = Code::kIo;
  switch (error) {
    case ENOENT:
      code = Code::kNotFound;
      break;
    case EEXIST:
      code = Code::kExists;
      break;
    case EAGAIN:
      code = Code::kInUse;
      break;
    case ENOSPC:
    case EDQUOT:
      code = Code::kNoSpace;
      break;
    case ENOMEM:
      code = Code::kNoMemory;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = Code::kPermission;
      break;
  }
  return Status(code, what + ": " + strerror(error));
}

std::string SetPath(const std::string& folder) { return folder + "/pool.set"; }
std::string PartPath(const std::string& folder, size_t number) {
  char name[32];
  snprintf(name, sizeof name, "/%06zu.pmem", number);
  return folder + name;
}

namespace {

// Calls for the path of each part.
template <typename Visit>
void EachPart(const std::string& folder, Visit visit) {
  std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (entries == nullptr) return;
  while (dirent* entry = readdir(entries.get())) {
    size_t length = strlen(entry->d_name);
    if (length < 6 || strcmp(entry->d_name + length - 5, ".pmem") != 0) continue;
    visit(folder + "/" + entry->d_name);
  }
}

}  // namespace

std::vector<std::string> Parts(const std::string& folder) {
  std::vector<std::string> parts;
  EachPart(folder, [&](const std::string& part) { parts.push_back(part); });
  std::sort(parts.begin(), parts.end());
  return parts;
}

uint64_t PartsSize(const std::string& folder) {
  uint64_t sum = 0;
  EachPart(folder, [&](const std::string& part) {
    struct stat info;
    if (stat(part.c_str(), &info) == 0) sum += static_cast<uint64_t>(info.st_size);
  });
  return sum;
}

void RemoveParts(const std::string& folder) {
  EachPart(folder, [](const std::string& part) { unlink(part.c_str()); });
}

std::string FolderOf(const std::string& path) {
  size_t end = path.find_last_not_of('/');
  size_t slash = path.rfind('/', end);
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Status SyncFolderOf(const std::string& path) { return SyncFolder(FolderOf(path)); }

Status SyncFolder(const std::string& folder) {
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return StatusFromErrno(errno, folder);
  int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  return error == 0 ? Status::Ok() : StatusFromErrno(error, folder);
}

Status LockFolder(const std::string& folder, int* fd) {
  *fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*fd < 0) return StatusFromErrno(errno, folder);
  if (flock(*fd, LOCK_EX | LOCK_NB) == 0) return Status::Ok();
  int error = errno;
  close(*fd);
  *fd = -1;
  return StatusFromErrno(error, folder);
}

Status RemoveUnlocked(const std::string& path) {
  int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? Status::Ok() : StatusFromErrno(errno, path);
  int error = 0;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 || unlink(path.c_str()) != 0) error = errno;
  close(fd);
  return error == 0 ? Status::Ok() : StatusFromErrno(error, path);
}

Status WriteText(const std::string& path, const std::string& text) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return StatusFromErrno(errno, path);
  ssize_t written = write(fd, text.data(), text.size());
  int error = written == static_cast<ssize_t>(text.size()) ? 0 : (written < 0 ? errno : ENOSPC);
  if (error == 0 && fsync(fd) != 0) error = errno;
  close(fd);
  if (error == 0) return Status::Ok();
  unlink(path.c_str());
  return StatusFromErrno(error, path);
}

Status AbsoluteFolder(const std::string& folder, std::string* absolute, int* fd) {
  char path[PATH_MAX];
  if (realpath(folder.c_str(), path) == nullptr) return StatusFromErrno(errno, folder);
  *absolute = path;
  // As isspace has it, which is what libpmemobj cuts the text by.
  if (strpbrk(path, " \t\n\v\f\r") == nullptr) return Status::Ok();
  *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*fd < 0) return StatusFromErrno(errno, folder);
  *absolute = "/proc/self/fd/" + std::to_string(*fd);
  return Status::Ok();
}

std::string SetText(const std::string& absolute_folder, uint64_t max_size) {
  return "PMEMPOOLSET\nOPTION SINGLEHDR\n" + std::to_string(max_size) + " " + absolute_folder +
         "\n";
}

namespace {

Status ReadText(const std::string& path, std::string* text) {
  // A FIFO must not make it wait.
  int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return StatusFromErrno(errno, path);
  char buffer[8192];
  ssize_t got = read(fd, buffer, sizeof buffer);
  int error = errno;
  close(fd);
  if (got < 0) return StatusFromErrno(error, path);
  text->assign(buffer, static_cast<size_t>(got));
  return Status::Ok();
}

}  // namespace

Status WriteSet(const std::string& folder, uint64_t max_size, int* fd) {
  std::string absolute;
  Status status = AbsoluteFolder(folder, &absolute, fd);
  if (!status.ok()) return status;
  std::string want = SetText(absolute, max_size);
  std::string path = SetPath(folder), have;
  if (ReadText(path, &have).ok() && have == want) return Status::Ok();
  // Renamed into place: after a crash there is the old text or the new one.
  std::string draft = path + ".new";
  status = WriteText(draft, want);
  if (!status.ok()) return status;
  if (rename(draft.c_str(), path.c_str()) == 0) return SyncFolderOf(path);
  status = StatusFromErrno(errno, path);
  unlink(draft.c_str());
  return status;
}

Status ReadSet(const std::string& folder, uint64_t* max_size) {
  std::string text;
  Status status = ReadText(SetPath(folder), &text);
  if (status.code() == Code::kNotFound) {
    return Status(Code::kNotAPool, folder + " holds no pool.set");
  }
  if (!status.ok()) return status;
  unsigned long long size;
  char rest;
  if (sscanf(text.c_str(), "PMEMPOOLSET OPTION SINGLEHDR %llu %c", &size, &rest) != 2 ||
      size < kPartSize) {
    return Status(Code::kNotAPool, SetPath(folder) + " is not a pool set of this engine");
  }
  *max_size = size;
  return Status::Ok();
}

}  // namespace potoroo::engine
