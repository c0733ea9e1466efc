#include "engine/check/check_space.h"

#include "engine/base/page.h"
#include "engine/space/space.h"

namespace potoroo::engine {

void CheckSpace::AddExtent(uint64_t offset, uint64_t size) {
  uint64_t from = (offset + sizeof(ExtentHeader) + kBlockSize - 1) / kBlockSize * kBlockSize;
  uint64_t to = (offset + size) / kBlockSize * kBlockSize;
  if (from >= to) return;
  extents_[from].resize((to - from) / kBlockSize);
  blocks_size_ += to - from;
}

void CheckSpace::AddAll(uint64_t size) {
  AddExtent(0, size);
  anywhere_ = size;
}

void CheckSpace::AddObject(uint64_t offset, uint64_t size) { objects_[offset] = {size, false}; }

CheckSpace::Block* CheckSpace::Find(uint64_t offset) {
  auto extent = extents_.upper_bound(offset);
  if (extent == extents_.begin()) return nullptr;
  --extent;
  uint64_t index = (offset - extent->first) / kBlockSize;
  return index < extent->second.size() ? &extent->second[index] : nullptr;
}

CheckSpace::Place CheckSpace::MarkSlot(uint64_t offset, uint64_t units, bool pages) {
  Block* block = Find(offset);
  if (block == nullptr) return Place::kOutside;
  uint64_t first = offset % kBlockSize / kUnit;
  if (offset % kUnit != 0 || first % units != 0 || first + units > kUnitsPerBlock) {
    return Place::kMisplaced;
  }
  for (uint64_t unit = first; unit < first + units; unit++) {
    if (block->used[unit / 64] >> (unit % 64) & 1) return Place::kTwice;
  }
  if (block->units == kRuns) return Place::kTwice;
  // All slots of a block are of one size, and for pages or for blobs.
  if (block->units != 0 && (block->units != units || block->pages != pages)) {
    return Place::kMisplaced;
  }
  block->units = static_cast<uint16_t>(units);
  block->pages = pages;
  for (uint64_t unit = first; unit < first + units; unit++) {
    block->used[unit / 64] |= uint64_t{1} << (unit % 64);
  }
  used_ += units * kUnit;
  blocks_used_ += units * kUnit;
  return Place::kGood;
}

// Runs share blocks, but not with slots.
CheckSpace::Place CheckSpace::MarkRun(uint64_t offset, uint64_t size) {
  if (offset % kQuarter != 0) return Place::kMisplaced;
  for (uint64_t at = offset; at < offset + size; at += kQuarter) {
    Block* block = Find(at);
    uint64_t unit = at % kBlockSize / kUnit;
    if (block == nullptr) return Place::kOutside;
    if (block->units == kRuns ? block->used[unit / 64] >> (unit % 64) & 1 : block->units != 0) {
      return Place::kTwice;
    }
  }
  for (uint64_t at = offset; at < offset + size; at += kQuarter) {
    Block* block = Find(at);
    uint64_t unit = at % kBlockSize / kUnit;
    block->units = kRuns;
    block->used[unit / 64] |= uint64_t{1} << (unit % 64);
    blocks_used_ += kQuarter;
  }
  return Place::kGood;
}

CheckSpace::Place CheckSpace::MarkBlocks(uint64_t offset, uint64_t size) {
  return offset % kBlockSize == 0 ? MarkRun(offset, size) : Place::kMisplaced;
}

CheckSpace::Place CheckSpace::MarkObject(uint64_t offset, uint64_t size) {
  if (offset < anywhere_ && size <= anywhere_ - offset) objects_.insert({offset, {size, false}});
  auto object = objects_.find(offset);
  if (object == objects_.end()) return Place::kOutside;
  if (object->second.marked) return Place::kTwice;
  if (object->second.size < size) return Place::kMisplaced;
  object->second.marked = true;
  used_ += object->second.size;
  return Place::kGood;
}

CheckSpace::Place CheckSpace::MarkPage(uint64_t offset) {
  return MarkSlot(offset, kPageSize / kUnit, true);
}

CheckSpace::Place CheckSpace::MarkBlob(uint64_t offset, uint64_t size) {
  if (size > kMaxRunSize) return MarkObject(offset, size);
  if (size > kMaxSlot) {
    Place place = MarkRun(offset, size);
    if (place == Place::kGood) used_ += (size + kQuarter - 1) / kQuarter * kQuarter;
    return place;
  }
  return MarkSlot(offset, BlobUnits(size), false);
}

uint64_t CheckSpace::leaked() const {
  uint64_t sum = 0;
  for (const auto& object : objects_) {
    if (!object.second.marked) sum += object.second.size;
  }
  return sum;
}

}  // namespace potoroo::engine
