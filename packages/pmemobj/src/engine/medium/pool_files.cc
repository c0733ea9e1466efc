#include "engine/medium/pool_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "engine/medium/pool_set.h"

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
      return Status(Code::kInUse, what + ": another process has the pool open");
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
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

std::string DescriptorPath(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

std::string PartPath(const std::string& folder, size_t number) {
  char name[32];
  snprintf(name, sizeof name, "/%06zu.pmem", number);
  return folder + name;
}

namespace {

constexpr char kSuffix[] = ".pmem";
constexpr size_t kSuffixSize = sizeof kSuffix - 1;

bool HasSuffix(const std::string& name) {
  return name.size() > kSuffixSize &&
         name.compare(name.size() - kSuffixSize, kSuffixSize, kSuffix) == 0;
}

// Whether a name is as PartPath has it: six digits, or more that begin with no zero.
bool IsPartName(const std::string& name) {
  if (!HasSuffix(name)) return false;
  const size_t digits = name.size() - kSuffixSize;
  if (digits < 6 || digits > 18 || (digits > 6 && name[0] == '0')) return false;
  return name.find_first_not_of("0123456789") == digits;
}

Status ListNames(const std::string& folder, std::vector<std::string>* names) {
  std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (entries == nullptr) return StatusFromErrno(errno, folder);
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(entries.get());
    if (entry == nullptr) return errno == 0 ? Status::Ok() : StatusFromErrno(errno, folder);
    names->push_back(entry->d_name);
  }
}

}  // namespace

Status ListParts(const std::string& folder, std::vector<std::string>* parts) {
  std::vector<std::string> names;
  Status status = ListNames(folder, &names);
  if (!status.ok()) return status;
  names.erase(
      std::remove_if(names.begin(), names.end(), [](auto& name) { return !IsPartName(name); }),
      names.end());
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  parts->clear();
  for (const std::string& name : names) parts->push_back(folder + "/" + name);
  return status;
}

Status PartsSize(const std::string& folder, uint64_t* size) {
  std::vector<std::string> parts;
  Status status = ListParts(folder, &parts);
  *size = 0;
  for (const std::string& part : parts) {
    struct stat info;
    if (stat(part.c_str(), &info) != 0) return StatusFromErrno(errno, part);
    *size += static_cast<uint64_t>(info.st_size);
  }
  return status;
}

namespace {

// libpmemobj skips all but regular files, without a word.
Status NoPart(const std::string& path, mode_t mode) {
  const char* what = S_ISLNK(mode)   ? "a symbolic link"
                     : S_ISDIR(mode) ? "a folder"
                                     : "no regular file";
  return Status(Code::kNotAPool, path + " is " + what +
                                     ", but a part of a pool must be a file itself: put the file "
                                     "here, or move this elsewhere");
}

}  // namespace

Status RefuseStrays(const std::string& folder) {
  std::vector<std::string> names;
  Status status = ListNames(folder, &names);
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    struct stat info;
    if (!HasSuffix(name) || lstat(path.c_str(), &info) != 0) continue;
    if (IsPartName(name) && !S_ISREG(info.st_mode)) return NoPart(path, info.st_mode);
    if (IsPartName(name) || !S_ISREG(info.st_mode)) continue;
    return Status(Code::kNotAPool, path +
                                       " is no part of the pool, but libpmemobj would take it "
                                       "for one: move it to another folder");
  }
  return status;
}

Status RemoveParts(const std::string& folder) {
  std::vector<std::string> parts;
  Status status = ListParts(folder, &parts);
  for (const std::string& part : parts) {
    if (unlink(part.c_str()) != 0 && status.ok()) status = StatusFromErrno(errno, part);
  }
  return status;
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

namespace {

// Whether the path still leads to what is open.
bool IsAt(int fd, const std::string& path) {
  struct stat open, named;
  return fstat(fd, &open) == 0 && stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

Status LockFolder(const std::string& folder, int* fd) {
  *fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*fd < 0) return StatusFromErrno(errno, folder);
  int error = flock(*fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  // Somebody may have destroyed it, and let go of it then.
  if (error == 0 && !IsAt(*fd, folder)) error = ENOENT;
  if (error == 0) return Status::Ok();
  close(*fd);
  *fd = -1;
  return StatusFromErrno(error, folder);
}

Status ClearRemains(const std::string& folder) {
  const std::string set = SetPath(folder), draft = DraftSetPath(folder);
  std::vector<std::string> parts;
  Status status = ListParts(folder, &parts);
  if (!status.ok()) return status;
  struct stat info;
  if (lstat(set.c_str(), &info) == 0) {
    if (!parts.empty() || !IsOwnSet(folder)) return Status(Code::kExists, folder + " exists");
    if (unlink(set.c_str()) != 0) return StatusFromErrno(errno, set);
  }
  status = RefuseStrays(folder);
  if (!status.ok()) return status;
  // Parts beside a draft are remains; without one, they are data.
  if (!parts.empty() && stat(draft.c_str(), &info) != 0) {
    return Status(Code::kExists, folder + " holds parts of a pool, but no pool.set");
  }
  return RemoveParts(folder);
}

Status OpenDraft(const std::string& path, int* fd, std::string* draft) {
  const std::string folder = FolderOf(path);
  *fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (*fd >= 0) return Status::Ok();
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    return StatusFromErrno(errno, path);
  std::string name = path + ".XXXXXX";
  *fd = mkostemp(&name[0], O_CLOEXEC);
  if (*fd < 0) return StatusFromErrno(errno, path);
  *draft = name;
  return Status::Ok();
}

namespace {

// Asks the kernel itself: musl has renameat2() from 1.2.5 on only.
bool RenameToNew(const std::string& from, const std::string& to) {
  return syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) ==
         0;
}

}  // namespace

Status PublishDraft(int fd, std::string* draft, const std::string& path) {
  const std::string file = DescriptorPath(fd);
  if (linkat(AT_FDCWD, file.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    if (!draft->empty()) unlink(draft->c_str());
  } else if (draft->empty() || errno == EEXIST || !RenameToNew(*draft, path)) {
    return StatusFromErrno(errno, path);
  }
  draft->clear();
  return Status::Ok();
}

}  // namespace potoroo::engine
