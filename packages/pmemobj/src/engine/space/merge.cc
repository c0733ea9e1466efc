// The extents that an opening finds: what is in use there is found out in a space of its own, and
// nothing of them is taken or given back until that becomes a part of this one.
#include <algorithm>

#include "engine/space/space.h"

namespace potoroo::engine {

bool Space::AddWaitingExtent(uint64_t offset, uint64_t size) {
  Extent extent;
  if (!ReadExtent(offset, size, &extent) || !MakeRegions(extent)) return false;
  for (uint64_t block = extent.from; block < extent.to; block += kBlockSize) {
    BlockOf(block)->kind = kWaiting;
  }
  extents_[offset] = extent;
  extents_size_ += extent.size;
  return true;
}

void Space::MergeBlock(const Space& found, uint64_t at) {
  const Block& from = *found.BlockOf(at);
  Block* to = BlockOf(at);
  blocks_++;
  const uint8_t kind = from.kind;
  for (size_t word = 0; word < kUnitsPerBlock / 64; word++) {
    const uint64_t used = from.used[word];
    to->used[word] = used;
    // An older page that was put back may have led a reader to what is free.
    if ((to->verified[word] & ~used) != 0) to->verified[word] &= used;
  }
  if (kind == kFreeBlock) return FreeBlock(at);
  to->taken = from.taken;
  if (kind == kRuns) {
    constexpr uint64_t kQuarters = kBlockSize / kQuarter;
    const uint64_t quarter = at % kRegionSize / kQuarter;
    const uint64_t bits = found.RegionOf(at)->free_quarters[quarter / 64] >> (quarter % 64) & 15;
    RegionOf(at)->free_quarters[quarter / 64] |= bits << (quarter % 64);
    loose_quarters_ += kQuarters - from.taken;
  }
  to->kind = kind;
}

void Space::Merge(const Space& found) {
  // It may be refused memory. After that, nothing can fail.
  std::set<uint64_t> holes = holes_;
  holes.insert(found.holes_.begin(), found.holes_.end());
  holes_.swap(holes);
  search_from_ = 0;
  std::fill(std::begin(runs_from_), std::end(runs_from_), 0);
  for (const auto& known : found.extents_) {
    const Extent& extent = known.second;
    for (uint64_t at = extent.from; at < extent.to; at += kBlockSize) MergeBlock(found, at);
  }
  for (uint64_t index : found.holes_) Hide(index, kHole);
  AddUsed(found.used());
  ListAll();
}

}  // namespace potoroo::engine
