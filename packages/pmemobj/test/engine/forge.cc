#include "forge.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "check.h"
#include "engine/check/heap_check.h"
#include "engine/medium/pool_files.h"

using namespace potoroo;
using namespace potoroo::engine;

off_t FindSuperblock(const std::string& path) {
  PoolReader reader;
  EXPECT_OK(reader.Open(path, false, PoolReader::For::kReading));
  HeapCheck heap(
      reader, [](uint64_t, const std::string&) {}, [](const HeapObject&) {});
  heap.Run();
  const RootView view = ViewRoot(
      heap.root(), heap.root_size(),
      [&](uint64_t offset, void* to, uint64_t size) { return reader.Read(offset, to, size); });
  EXPECT(view.place != 0);
  return static_cast<off_t>(view.place);
}

Status OverwriteSuperblock(const std::string& path, off_t at,
                           const std::function<void(Superblock*)>& change) {
  Superblock block;
  int fd = open(path.c_str(), O_RDWR);
  if (fd < 0) return StatusFromErrno(errno, path);
  constexpr ssize_t kSize = sizeof block;
  bool done = pread(fd, &block, sizeof block, at) == kSize;
  change(&block);
  block.checksum = ChecksumOf(block);
  done = done && pwrite(fd, &block, sizeof block, at) == kSize;
  close(fd);
  return done ? Status::Ok() : Status(Code::kIo, path);
}
