// What must hold of the files before libpmemobj may have them: it follows some of its own
// structures without checking them, and would crash or loop.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "pool_files.h"

namespace potoroo::engine {
namespace {

// libpmemobj's pool header (struct pool_hdr, 4096 bytes) and descriptor (struct pmemobjpool).
constexpr char kSignature[8] = {'P', 'M', 'E', 'M', 'O', 'B', 'J', 0};
constexpr size_t kHeaderSize = 4096;
constexpr size_t kLayoutSize = 1024;

}  // namespace

Status CheckFiles(const std::string& path, bool folder) {
  std::string file = folder ? FirstPart(path) : path;
  int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    if (folder && errno == ENOENT) return Status(Code::kNotAPool, path + " holds no pool");
    return StatusFromErrno(errno, file);
  }
  char header[kHeaderSize + kLayoutSize];
  struct stat info;
  ssize_t got = pread(fd, header, sizeof header, 0);
  int error = got < 0 ? errno : 0;
  if (fstat(fd, &info) != 0) error = errno;
  close(fd);
  if (error != 0) return StatusFromErrno(error, file);
  if (got < static_cast<ssize_t>(sizeof kSignature) ||
      memcmp(header, kSignature, sizeof kSignature) != 0) {
    return Status(Code::kNotAPool, file + " is not a pool of libpmemobj");
  }
  if (got < static_cast<ssize_t>(sizeof header) || info.st_size < static_cast<off_t>(kPartSize)) {
    return Status(Code::kCorrupt, file + " is cut short");
  }
  if (memcmp(header + kHeaderSize, kLayoutName, sizeof kLayoutName) != 0) {
    return Status(Code::kNotAPool, file + " is a pool of another program");
  }
  return Status::Ok();
}

}  // namespace potoroo::engine
