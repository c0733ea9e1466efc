#include "forge.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "checksum.h"
#include "pool_files.h"
#include "superblock.h"

using namespace potoroo;
using namespace potoroo::engine;

Status OverwriteLayoutVersion(const std::string& path, off_t at, uint32_t version) {
  Superblock block;
  int fd = open(path.c_str(), O_RDWR);
  if (fd < 0) return StatusFromErrno(errno, path);
  constexpr ssize_t kSize = sizeof block;
  bool done = pread(fd, &block, sizeof block, at) == kSize;
  block.layout_version = version;
  block.checksum = Checksum(&block, offsetof(Superblock, checksum));
  done = done && pwrite(fd, &block, sizeof block, at) == kSize;
  close(fd);
  return done ? Status::Ok() : Status(Code::kIo, path);
}
