#include "engine/medium/claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "engine/base/memory.h"
#include "engine/medium/pool_files.h"
#include "engine/medium/pool_set.h"

namespace potoroo::engine {
namespace {

// Locks a file as libpmemobj locks the first file of a pool that is open.
Status LockFile(const std::string& path, std::vector<int>* descriptors) {
  ReserveMore(descriptors, 1);
  int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return StatusFromErrno(errno, path);
  descriptors->push_back(fd);
  return flock(fd, LOCK_EX | LOCK_NB) == 0 ? Status::Ok() : StatusFromErrno(errno, path);
}

Status CheckRemains(const std::string& folder, bool any_part) {
  struct stat info;
  const bool set = lstat(SetPath(folder).c_str(), &info) == 0;
  const bool draft = lstat(DraftSetPath(folder).c_str(), &info) == 0;
  if (set ? !any_part && IsOwnSet(folder) : draft) return Status::Ok();
  return Status(Code::kNotAPool, folder + " holds no remains of a pool");
}

Status ClaimFolder(const std::string& folder, bool remains, std::vector<int>* descriptors) {
  ReserveMore(descriptors, 1);
  int fd = -1;
  Status status = LockFolder(folder, &fd);
  if (!status.ok()) return status;
  descriptors->push_back(fd);
  std::vector<std::string> parts;
  status = ListParts(folder, &parts);
  if (status.ok() && remains) status = CheckRemains(folder, !parts.empty());
  return status.ok() && !parts.empty() ? LockFile(parts[0], descriptors) : status;
}

}  // namespace

Status ClaimFiles(const std::string& path, bool remains, std::vector<int>* descriptors) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return StatusFromErrno(errno, path);
  const bool folder = S_ISDIR(info.st_mode);
  if (remains && !folder) return Status(Code::kNotAPool, path + " is no folder");
  Status status = Guarded([&] {
    return folder ? ClaimFolder(path, remains, descriptors) : LockFile(path, descriptors);
  });
  if (status.ok()) return status;
  for (int fd : *descriptors) close(fd);
  descriptors->clear();
  if (status.code() != Code::kInUse) return status;
  return Status(Code::kInUse, path + ": another process has the pool open");
}

Status LinkFile(int fd, const std::string& path) {
  std::string no_draft;
  return Guarded([&] { return PublishDraft(fd, &no_draft, path); });
}

}  // namespace potoroo::engine
