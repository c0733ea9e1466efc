// Runs: values above 8 KiB, in quarters of blocks.
#include <algorithm>

#include "engine/space/space.h"

namespace potoroo::engine {

namespace {

constexpr uint64_t kQuartersPerRegion = kRegionSize / kQuarter;
constexpr uint64_t kQuartersPerBlock = kBlockSize / kQuarter;

uint64_t QuarterInRegion(uint64_t offset) { return offset % kRegionSize / kQuarter; }

}  // namespace

// Calls with the start and the length so far of free quarters in a row, as the search goes on from
// a region, until it gives true.
template <typename Visit>
void Space::EachFreeRun(uint64_t from, Visit visit) const {
  uint64_t start = 0, length = 0;
  for (uint64_t index = from; index < region_end_; index++) {
    const Region* region = regions_[index].load(std::memory_order_relaxed);
    for (uint64_t word = 0; word < kQuartersPerRegion / 64; word++) {
      bool seen = region != nullptr && region->sight == kInSight;
      uint64_t mask = seen ? region->free_quarters[word] : 0;
      if (mask == 0) length = 0;
      for (uint64_t at = 0; mask != 0 && at < 64;) {
        uint64_t rest = mask >> at;
        if ((rest & 1) == 0) {
          length = 0;
          if (rest == 0) break;
          at += static_cast<uint64_t>(__builtin_ctzll(rest));
          continue;
        }
        uint64_t ones = ~rest == 0 ? 64 : static_cast<uint64_t>(__builtin_ctzll(~rest));
        if (length == 0) start = index * kRegionSize + (word * 64 + at) * kQuarter;
        length += ones;
        at += ones;
        if (visit(start, length)) return;
      }
    }
  }
}

// A place for a run that begins at a multiple of `align`, 0 where there is none.
uint64_t Space::FindRun(uint64_t quarters, uint64_t align) {
  const uint64_t known = std::min(quarters, kSearches - 1);
  uint64_t first = region_end_, found = 0;
  EachFreeRun(runs_from_[known], [&](uint64_t start, uint64_t length) {
    if (length >= known) first = std::min(first, start / kRegionSize);
    uint64_t at = (start + align - 1) / align * align;
    if (length * kQuarter >= at - start + quarters * kQuarter) found = at;
    return found != 0;
  });
  runs_from_[known] = first;
  return found;
}

uint64_t Space::BlocksToClaim(uint64_t offset, uint64_t quarters) const {
  uint64_t count = 0, end = offset + quarters * kQuarter;
  for (uint64_t at = offset / kBlockSize * kBlockSize; at < end; at += kBlockSize) {
    if (BlockOf(at)->kind == kFreeBlock) count++;
  }
  return count;
}

uint64_t Space::TakeRun(uint64_t quarters, uint64_t align, Room room) {
  for (;;) {
    uint64_t run = FindRun(quarters, align);
    if (run != 0 && free_blocks_ >= BlocksToClaim(run, quarters) + KeptFrom(room)) {
      ClaimRun(run, quarters);
      return run;
    }
    if (!MakeRoom((quarters + kQuartersPerBlock - 1) / kQuartersPerBlock)) return 0;
  }
}

bool Space::IsFreeQuarter(uint64_t offset) const {
  if (offset >= limit()) return false;
  const Region* region = RegionOf(offset);
  uint64_t quarter = QuarterInRegion(offset);
  return region != nullptr && (region->free_quarters[quarter / 64] >> (quarter % 64) & 1);
}

void Space::ClaimRun(uint64_t offset, uint64_t quarters) {
  for (; quarters > 0; quarters--, offset += kQuarter) {
    Block* block = BlockOf(offset);
    if (block->kind == kFreeBlock) {
      ClaimBlock(offset);
      RegionOf(offset)->free_quarters[QuarterInRegion(offset) / 64] |=
          uint64_t{15} << (QuarterInRegion(offset) % 64 / 4 * 4);
      loose_quarters_ += kQuartersPerBlock;
    }
    uint64_t quarter = QuarterInRegion(offset);
    RegionOf(offset)->free_quarters[quarter / 64] &= ~(uint64_t{1} << (quarter % 64));
    block->taken++;
    loose_quarters_--;
  }
}

void Space::FreeQuarters(uint64_t offset, uint64_t quarters) {
  NoteFree(offset, quarters);
  for (; quarters > 0; quarters--, offset += kQuarter) {
    Block* block = BlockOf(offset);
    uint64_t quarter = QuarterInRegion(offset);
    RegionOf(offset)->free_quarters[quarter / 64] |= uint64_t{1} << (quarter % 64);
    loose_quarters_++;
    if (--block->taken > 0) continue;
    loose_quarters_ -= kQuartersPerBlock;
    FreeBlock(offset);
  }
}

// Lowers where searches begin, for runs as long as the free quarters that these become a part of.
void Space::NoteFree(uint64_t offset, uint64_t quarters) {
  const uint64_t most = kSearches - 1;
  const uint64_t latest = *std::max_element(runs_from_, runs_from_ + kSearches);
  if (offset >= most * kQuarter && latest <= (offset - most * kQuarter) / kRegionSize) return;
  uint64_t from = offset, to = offset + quarters * kQuarter;
  while ((to - from) / kQuarter < most && IsFreeQuarter(from - kQuarter)) from -= kQuarter;
  while ((to - from) / kQuarter < most && IsFreeQuarter(to)) to += kQuarter;
  const uint64_t length = std::min((to - from) / kQuarter, most);
  for (uint64_t i = 0; i <= length; i++) {
    runs_from_[i] = std::min(runs_from_[i], from / kRegionSize);
  }
}

bool Space::MarkQuarters(uint64_t offset, uint64_t quarters) {
  if (offset % kQuarter != 0) return false;
  for (uint64_t i = 0; i < quarters; i++) {
    if (!IsFreeQuarter(offset + i * kQuarter)) return false;
  }
  ClaimRun(offset, quarters);
  return true;
}

bool Space::MarkRun(uint64_t offset, uint64_t size) {
  return offset % kBlockSize == 0 && size % kBlockSize == 0 &&
         MarkQuarters(offset, size / kQuarter);
}

uint64_t Space::AllocateRun(uint64_t size) {
  return TakeRun(QuartersOf(size), kBlockSize, Room::kKept);
}

void Space::FreeRun(uint64_t offset, uint64_t size) { FreeQuarters(offset, QuartersOf(size)); }

uint64_t Space::largest() const {
  uint64_t most = 0;
  EachFreeRun(0, [&](uint64_t, uint64_t length) {
    most = std::max(most, length * kQuarter);
    return most >= kMaxRunSize;
  });
  return std::max(std::min({most, kMaxRunSize, free_bytes()}), LargestFreeExtents());
}

}  // namespace potoroo::engine
