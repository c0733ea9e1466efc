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
// What is added is a small share of what there is, so that little of a pool waits unused: in the
// last part, in the last extent, and at the end of each part, where no extent fits any more. But
// libpmemobj takes 0.5 ms to open a part, so there must not be too many.
constexpr uint64_t kPartShare = 8;
constexpr uint64_t kExtentShare = 64;

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
  uint64_t least = ((blocks + 1) * kBlockSize + kObjectHeader + kChunk - 1) / kChunk * kChunk;
  uint64_t want = std::clamp(extents_size_ / kExtentShare / kMiB * kMiB, kMiB, kMaxExtent);
  want = std::max(want, least);
  bool tried = false;
  while (want >= least) {
    uint64_t size = want - kObjectHeader;
    uint64_t offset = medium_->Allocate(ObjectType::kExtent, size, FillHeader, nullptr);
    if (offset != 0) return AddExtent(offset, size);
    if (!tried) {
      tried = true;
      uint64_t part = std::clamp(medium_->size() / kPartShare, 8 * kMiB, 4 * kMaxExtent);
      if (medium_->Grow(std::max(part, want + kMiB)).ok()) continue;
      if (medium_->Grow(8 * kMiB).ok()) continue;
    }
    if (want == least) break;
    want = std::max(least, want / 2 / kChunk * kChunk);
  }
  return false;
}

}  // namespace potoroo::engine
