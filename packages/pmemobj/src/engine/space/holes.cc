#include "engine/space/holes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace potoroo::engine {
namespace {

template <typename Visit>
void EachPart(const Medium& medium, Visit visit) {
  for (uint64_t at = 0; at < medium.size();) {
    Part part = medium.PartOf(at);
    if (part.fd < 0 || part.size == 0) return;
    visit(part);
    at = part.start + part.size;
  }
}

}  // namespace

uint64_t BytesOnDisk(const Medium& medium) {
  uint64_t sum = 0;
  EachPart(medium, [&](const Part& part) {
    struct stat info;
    if (fstat(part.fd, &info) == 0) sum += static_cast<uint64_t>(info.st_blocks) * 512;
  });
  return sum;
}

bool Punch(const Medium& medium, uint64_t offset, uint64_t size) {
  Part part = medium.PartOf(offset);
  if (part.fd < 0 || offset + size > part.start + part.size) return false;
  return fallocate(part.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                   static_cast<off_t>(offset - part.start), static_cast<off_t>(size)) == 0;
}

bool Back(const Medium& medium, uint64_t offset, uint64_t size) {
  while (size > 0) {
    Part part = medium.PartOf(offset);
    if (part.fd < 0) return false;
    uint64_t within = offset - part.start, now = std::min(size, part.size - within);
    if (posix_fallocate(part.fd, static_cast<off_t>(within), static_cast<off_t>(now)) != 0) {
      return false;
    }
    offset += now;
    size -= now;
  }
  return true;
}

void EachHole(const Medium& medium, const std::function<void(uint64_t, uint64_t)>& visit) {
  EachPart(medium, [&](const Part& part) {
    const off_t size = static_cast<off_t>(part.size);
    for (off_t at = 0; at < size;) {
      off_t hole = lseek(part.fd, at, SEEK_HOLE);
      if (hole < 0 || hole >= size) return;
      off_t data = lseek(part.fd, hole, SEEK_DATA);
      at = data < 0 || data > size ? size : data;
      visit(part.start + static_cast<uint64_t>(hole), part.start + static_cast<uint64_t>(at));
    }
  });
}

}  // namespace potoroo::engine
