// Extents: how they come from libpmemobj, which gets parts where it needs them, and go back to it.
#include <algorithm>
#include <cstring>

#include "engine/base/checksum.h"
#include "engine/base/memory.h"
#include "engine/space/space.h"

namespace potoroo::engine {
namespace {

constexpr uint64_t kChunk = 256 * 1024;  // libpmemobj's unit of large allocations
constexpr uint64_t kHeaderRoom = 64;     // at least libpmemobj's own, before the object
constexpr uint64_t kMaxExtent = 64 * kMiB;
// A new part or extent is a small share of the pool, so that little of a pool waits unused: in the
// last part, in the last extent, and at the end of each part, where no extent fits any longer. But
// libpmemobj takes 0.5 ms to open a part, so there must not be too many.
constexpr uint64_t kPartShare = 8;
constexpr uint64_t kExtentShare = 64;
// Each extent costs some syncs of the file. So what takes several between two checkpoints, as
// batches do, gets each twice as big as the one before, up to this.
constexpr uint64_t kMaxHasty = 8 * kMiB;

void FillHeader(Medium* medium, char* address, size_t size, const void*) {
  ExtentHeader header{};
  memcpy(header.magic, "PotExtnt", 8);
  header.offset = medium->OffsetOf(address);
  header.size = size;
  header.checksum = Checksum(&header, offsetof(ExtentHeader, checksum));
  medium->Copy(address, &header, sizeof header);
}

}  // namespace

bool Space::ReadExtent(uint64_t offset, uint64_t size, Extent* extent) const {
  if (offset > limit() || size > limit() - offset || size < sizeof(ExtentHeader)) return false;
  ExtentHeader header;
  memcpy(&header, medium_->At(offset), sizeof header);
  if (memcmp(header.magic, "PotExtnt", 8) != 0 || header.offset != offset || header.size > size ||
      header.size < sizeof header ||
      header.checksum != Checksum(&header, offsetof(ExtentHeader, checksum))) {
    return false;
  }
  extent->from = (offset + sizeof header + kBlockSize - 1) / kBlockSize * kBlockSize;
  extent->to = (offset + header.size) / kBlockSize * kBlockSize;
  extent->size = header.size;
  return true;
}

// False where one of its blocks belongs to another extent.
bool Space::MakeRegions(const Extent& extent) {
  for (uint64_t index = extent.from / kRegionSize; index * kRegionSize < extent.to; index++) {
    if (regions_[index].load(std::memory_order_relaxed) != nullptr) continue;
    regions_[index].store(new Region(), std::memory_order_release);
    region_end_ = std::max(region_end_, index + 1);
  }
  for (uint64_t block = extent.from; block < extent.to; block += kBlockSize) {
    if (BlockOf(block)->kind != kNotOurs) return false;
  }
  return true;
}

bool Space::AddExtent(uint64_t offset, uint64_t size) {
  Extent extent;
  if (!ReadExtent(offset, size, &extent) || !MakeRegions(extent)) return false;
  extents_[offset] = extent;
  for (uint64_t block = extent.from; block < extent.to; block += kBlockSize) {
    FreeBlock(block);
    blocks_++;
  }
  extents_size_ += extent.size;
  return true;
}

bool Space::IsFree(const Extent& extent) const {
  for (uint64_t block = extent.from; block < extent.to; block += kBlockSize) {
    if (BlockOf(block)->kind != kFreeBlock) return false;
  }
  return true;
}

// Lists may go on naming them: who takes a block from a list looks at its kind.
void Space::RemoveBlocks(const Extent& extent) {
  for (uint64_t block = extent.from; block < extent.to; block += kBlockSize) {
    ClaimBlock(block);
    BlockOf(block)->kind = kNotOurs;
    blocks_--;
  }
  extents_size_ -= extent.size;
}

// Bytes of the free extents in a row that could be given back.
uint64_t Space::LargestFreeExtents() const {
  uint64_t most = 0, row = 0, end = 0;
  const uint64_t limit = free_bytes();
  for (const auto& [offset, extent] : extents_) {
    row = offset == end + kHeaderRoom ? row : 0;
    end = offset + extent.size;
    row = IsFree(extent) && row + extent.size <= limit ? row + extent.size : 0;
    most = std::max(most, row);
  }
  return most;
}

// libpmemobj writes to all that is its own.
bool Space::FillHolesOf(const Extent& extent) {
  auto hole = holes_.lower_bound(extent.from / kRegionSize);
  while (hole != holes_.end() && *hole * kRegionSize < extent.to) {
    if (!FillHole(*hole++)) return false;
  }
  return true;
}

bool Space::TakeExtent(uint64_t size) {
  uint64_t offset = medium_->Allocate(ObjectType::kExtent, size, FillHeader, nullptr);
  return offset != 0 && AddNewExtent(offset, size);
}

// Adds an extent that libpmemobj has just given.
bool Space::AddNewExtent(uint64_t offset, uint64_t size) {
  try {
    return AddExtent(offset, size);
  } catch (...) {
    medium_->Free(offset);
    throw;
  }
}

void Space::TakeHeap() {
  for (uint64_t want = kMaxExtent; want >= kMiB; want /= 2) {
    while (TakeExtent(want - kHeaderRoom)) continue;
  }
}

bool Space::GiveBackExtents(uint64_t most, uint64_t below) {
  FreeEmptyCurrent();
  bool any = false;
  for (auto extent = extents_.begin(); most > 0 && extent != extents_.end();) {
    const auto at = extent++;
    if (at->second.size >= below) continue;
    uint64_t blocks = (at->second.to - at->second.from) / kBlockSize;
    if (!IsFree(at->second) || !FillHolesOf(at->second)) continue;
    if (free_blocks_ < blocks + Reserve()) continue;
    RemoveBlocks(at->second);
    medium_->Free(at->first);
    extents_.erase(at);
    any = true;
    most--;
  }
  return any;
}

bool Space::Extend(uint64_t blocks) {
  uint64_t least = ((blocks + 1) * kBlockSize + kHeaderRoom + kChunk - 1) / kChunk * kChunk;
  uint64_t want = std::clamp(extents_size_ / kExtentShare / kMiB * kMiB, kMiB, kMaxExtent);
  const uint64_t hasty = std::min(kMiB << std::min(hasty_, 10u), kMaxHasty);
  want = std::max({want, hasty, least});
  bool tried = false;
  while (want >= least) {
    uint64_t size = want - kHeaderRoom;
    uint64_t offset = medium_->Allocate(ObjectType::kExtent, size, FillHeader, nullptr);
    if (offset != 0) {
      hasty_++;
      return AddNewExtent(offset, size);
    }
    if (!tried) {
      tried = true;
      uint64_t part = std::clamp(medium_->size() / kPartShare, 8 * kMiB, 4 * kMaxExtent);
      if (medium_->Grow(std::max(part, want + kMiB)).ok()) continue;
      if (medium_->Grow(8 * kMiB).ok()) continue;
    }
    if (want == least) break;
    want = std::max(least, want / 2 / kChunk * kChunk);
  }
  // Extents that are each too small for a long run may be one that is not.
  return blocks > 1 && GiveBackExtents() && Extend(blocks);
}

}  // namespace potoroo::engine
