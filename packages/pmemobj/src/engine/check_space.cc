#include "check_space.h"

#include "page.h"
#include "space.h"

namespace potoroo::engine {

void CheckSpace::AddExtent(uint64_t offset, uint64_t size) {
  uint64_t from = (offset + sizeof(ExtentHeader) + kBlockSize - 1) / kBlockSize * kBlockSize;
  uint64_t to = (offset + size) / kBlockSize * kBlockSize;
  if (from >= to) return;
  extents_[from].resize((to - from) / kBlockSize);
  blocks_size_ += to - from;
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

CheckSpace::Place CheckSpace::MarkRun(uint64_t offset, uint64_t size) {
  uint64_t count = (size + kBlockSize - 1) / kBlockSize;
  if (offset % kBlockSize != 0) return Place::kMisplaced;
  for (uint64_t i = 0; i < count; i++) {
    Block* block = Find(offset + i * kBlockSize);
    if (block == nullptr) return Place::kOutside;
    if (block->units != 0) return Place::kTwice;
  }
  for (uint64_t i = 0; i < count; i++) {
    Block* block = Find(offset + i * kBlockSize);
    block->units = kUnitsPerBlock;
    block->used[0] = block->used[1] = ~uint64_t{0};
  }
  blocks_used_ += count * kBlockSize;
  return Place::kGood;
}

CheckSpace::Place CheckSpace::MarkLog(uint64_t offset, uint64_t size) {
  return MarkRun(offset, size);
}

CheckSpace::Place CheckSpace::MarkObject(uint64_t offset, uint64_t size) {
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
  if (size > kBlockSize) {
    Place place = MarkRun(offset, size);
    if (place == Place::kGood) used_ += (size + kBlockSize - 1) / kBlockSize * kBlockSize;
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
