// How the space of a pool grows: extents from libpmemobj, and parts for libpmemobj.
#include <algorithm>
#include <cstring>

#include "checksum.h"
#include "space.h"

namespace potoroo::engine {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kChunk = 256 * 1024;  // libpmemobj's unit of large allocations
constexpr uint64_t kObjectHeader = 64;   // at least libpmemobj's own, before the object
constexpr uint64_t kMaxExtent = 64 * kMiB;

void FillHeader(Medium* medium, char* address, size_t size, const void*) {
  ExtentHeader header{};
  memcpy(header.magic, "PotExtnt", 8);
  header.offset = medium->OffsetOf(address);
  header.size = size;
  header.checksum = Checksum(&header, offsetof(ExtentHeader, checksum));
  medium->Copy(address, &header, sizeof header);
}

}  // namespace

bool Space::Extend(uint64_t blocks) {
  // A quarter more each time: few extents in a big pool, little waste in a small one.
  uint64_t least = ((blocks + 1) * kBlockSize + kObjectHeader + kChunk - 1) / kChunk * kChunk;
  uint64_t want = std::clamp(extents_size_ / 4 / kMiB * kMiB, kMiB, kMaxExtent);
  want = std::max(want, least);
  bool tried = false;
  while (want >= least) {
    uint64_t size = want - kObjectHeader;
    uint64_t offset = medium_->Allocate(ObjectType::kExtent, size, FillHeader, nullptr);
    if (offset != 0) return AddExtent(offset, size);
    if (!tried) {
      tried = true;
      uint64_t part = std::clamp(medium_->size() / 4, 8 * kMiB, 4 * kMaxExtent);
      if (medium_->Grow(std::max(part, want + kMiB)).ok()) continue;
      if (medium_->Grow(8 * kMiB).ok()) continue;
    }
    if (want == least) break;
    want = std::max(least, want / 2 / kChunk * kChunk);
  }
  return false;
}

}  // namespace potoroo::engine
