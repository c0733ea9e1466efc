#include "space.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "checksum.h"
#include "page.h"

namespace potoroo::engine {
namespace {

// Units of a slot, by class. The first is for pages; the rest are for blobs, ascending.
constexpr uint16_t kClassUnits[] = {
    kPageSize / kUnit, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 21, 25, 32, 42, 64, 128};
constexpr size_t kClasses = sizeof kClassUnits / sizeof kClassUnits[0];
constexpr uint8_t kPageClass = 0;

struct SlotMask {
  uint64_t words[kUnitsPerBlock / 64];
};

struct ClassTables {
  SlotMask first_units[kClasses];        // where slots of a class begin in a block
  uint8_t of_units[kUnitsPerBlock + 1];  // the smallest class for blobs of so many units
  ClassTables() {
    memset(this, 0, sizeof *this);
    for (size_t c = 0; c < kClasses; c++) {
      size_t units = kClassUnits[c];
      for (size_t at = 0; at + units <= kUnitsPerBlock; at += units) {
        first_units[c].words[at / 64] |= uint64_t{1} << (at % 64);
      }
    }
    for (size_t units = 1; units <= kUnitsPerBlock; units++) {
      size_t c = 1;
      while (kClassUnits[c] < units) c++;
      of_units[units] = static_cast<uint8_t>(c);
    }
  }
};
const ClassTables kTables;

// Not an atomic operation, which would wait for all stores before it to arrive in memory. Only one
// thread does this. A bit that a reader sets meanwhile may get lost: then something is verified
// twice.
template <typename Change>
void Write(std::atomic<uint64_t>* word, Change change) {
  word->store(change(word->load(std::memory_order_relaxed)), std::memory_order_release);
}

uint64_t SlotsOf(size_t c) { return kUnitsPerBlock / kClassUnits[c]; }
uint64_t UnitsOf(uint64_t size) { return (size + kUnit - 1) / kUnit; }
uint64_t BlocksOf(uint64_t size) { return (size + kBlockSize - 1) / kBlockSize; }

}  // namespace

uint64_t BlobUnits(uint64_t size) { return kClassUnits[kTables.of_units[UnitsOf(size)]]; }

Space::Space(Medium* medium)
    : medium_(medium),
      region_count_(std::max(medium->max_size(), medium->size()) / kRegionSize + 2),
      // calloc: the table of a pool that may grow to terabytes costs no memory before it does.
      regions_(
          static_cast<std::atomic<Region*>*>(calloc(region_count_, sizeof(std::atomic<Region*>))),
          free),
      current_(kFirstClass + kClasses),
      partial_(kFirstClass + kClasses) {}

Space::~Space() {
  for (uint64_t i = 0; i < region_end_; i++) free(regions_[i].load(std::memory_order_relaxed));
}

bool Space::AddExtent(uint64_t offset, uint64_t size) {
  if (offset > limit() || size > limit() - offset || size < sizeof(ExtentHeader)) return false;
  ExtentHeader header;
  memcpy(&header, medium_->At(offset), sizeof header);
  if (memcmp(header.magic, "PotExtnt", 8) != 0 || header.offset != offset || header.size > size ||
      header.size < sizeof header ||
      header.checksum != Checksum(&header, offsetof(ExtentHeader, checksum))) {
    return false;
  }
  uint64_t from = (offset + sizeof header + kBlockSize - 1) / kBlockSize * kBlockSize;
  uint64_t to = (offset + header.size) / kBlockSize * kBlockSize;
  for (uint64_t block = from; block < to; block += kBlockSize) {
    uint64_t index = block / kRegionSize;
    Region* region = regions_[index].load(std::memory_order_relaxed);
    if (region == nullptr) {
      region = static_cast<Region*>(calloc(1, sizeof(Region)));
      if (region == nullptr) return false;
      regions_[index].store(region, std::memory_order_release);
      region_end_ = std::max(region_end_, index + 1);
    }
    uint64_t i = BlockIndex(block);
    if (region->blocks[i].kind != kNotOurs) return false;
    region->blocks[i].kind = kFreeBlock;
    region->free_blocks |= uint64_t{1} << i;
    blocks_++;
    free_blocks_++;
  }
  search_from_ = std::min(search_from_, from / kRegionSize);
  extents_size_ += header.size;
  return true;
}

bool Space::Contains(uint64_t offset, uint64_t size) const {
  if (offset >= limit() || size > limit() - offset) return false;
  for (uint64_t at = offset / kBlockSize * kBlockSize; at < offset + size; at += kBlockSize) {
    const Region* region = RegionOf(at);
    if (region == nullptr) return false;
    if (region->blocks[BlockIndex(at)].kind.load(std::memory_order_relaxed) == kNotOurs)
      return false;
  }
  return true;
}

bool Space::Mark(uint64_t offset, uint8_t kind) {
  Region* region = RegionOf(offset);
  if (region == nullptr) return false;
  Block* block = &region->blocks[BlockIndex(offset)];
  uint64_t unit = UnitInBlock(offset), bit = uint64_t{1} << (unit % 64);
  size_t c = kind - kFirstClass;
  if (offset % kUnit != 0 || !(kTables.first_units[c].words[unit / 64] & bit)) return false;
  if (block->kind == kFreeBlock) {
    ClaimBlocks(offset, 1);
    block->kind = kind;
  }
  if (block->kind != kind || (block->used[unit / 64] & bit) != 0) return false;
  block->used[unit / 64] |= bit;
  block->taken++;
  AddUsed(kClassUnits[c] * kUnit);
  return true;
}

bool Space::MarkPage(uint64_t offset) {
  return offset < limit() && Mark(offset, kFirstClass + kPageClass);
}

bool Space::MarkBlob(uint64_t offset, uint64_t size) {
  if (offset >= limit()) return false;
  if (size == 0 || size > kMaxRunSize) return false;
  if (size <= kBlockSize) return Mark(offset, kFirstClass + kTables.of_units[UnitsOf(size)]);
  if (!MarkRun(offset, BlocksOf(size) * kBlockSize)) return false;
  AddUsed(BlocksOf(size) * kBlockSize);
  return true;
}

bool Space::MarkRun(uint64_t offset, uint64_t size) {
  if (offset % kBlockSize != 0 || size % kBlockSize != 0 || !Contains(offset, size)) return false;
  for (uint64_t at = 0; at < size; at += kBlockSize) {
    if (BlockOf(offset + at)->kind != kFreeBlock) return false;
  }
  ClaimBlocks(offset, size / kBlockSize);
  return true;
}

void Space::FinishMarking() {
  search_from_ = 0;
  for (uint64_t index = 0; index < region_end_; index++) {
    Region* region = regions_[index].load(std::memory_order_relaxed);
    if (region == nullptr) continue;
    for (uint64_t i = 0; i < kBlocksPerRegion; i++) {
      Block& block = region->blocks[i];
      uint8_t kind = block.kind;
      if (kind < kFirstClass || block.taken == SlotsOf(kind - kFirstClass)) continue;
      block.listed = true;
      partial_[kind].push_back(index * kRegionSize + i * kBlockSize);
    }
  }
}

uint64_t Space::TakeSlot(uint64_t offset, uint8_t kind) {
  Block* block = BlockOf(offset);
  size_t c = kind - kFirstClass;
  for (uint64_t word = 0; word < kUnitsPerBlock / 64; word++) {
    uint64_t open = kTables.first_units[c].words[word] & ~block->used[word];
    if (open == 0) continue;
    uint64_t bit = static_cast<uint64_t>(__builtin_ctzll(open));
    block->used[word] |= uint64_t{1} << bit;
    block->taken++;
    return offset + (word * 64 + bit) * kUnit;
  }
  return 0;
}

uint64_t Space::Allocate(uint8_t kind, bool reserve) {
  for (;;) {
    uint64_t block = current_[kind];
    uint64_t slot = block == 0 ? 0 : TakeSlot(block, kind);
    if (slot != 0) {
      SetVerifiedFirst(slot);
      AddUsed(kClassUnits[kind - kFirstClass] * kUnit);
      return slot;
    }
    current_[kind] = 0;
    std::deque<uint64_t>& partial = partial_[kind];
    while (!partial.empty() && current_[kind] == 0) {
      uint64_t candidate = partial.front();
      partial.pop_front();
      Block* block_of = BlockOf(candidate);
      block_of->listed = false;
      // It may have been freed, and even taken for something else, since it was listed.
      uint8_t now = block_of->kind;
      if (now == kind) {
        current_[kind] = candidate;
      } else if (now >= kFirstClass && current_[now] != candidate) {
        block_of->listed = true;
        partial_[now].push_back(candidate);
      }
    }
    if (current_[kind] != 0) continue;
    block = TakeBlocks(1, reserve);
    if (block == 0) return 0;
    BlockOf(block)->kind = kind;
    current_[kind] = block;
  }
}

uint64_t Space::AllocatePage(bool reserve) { return Allocate(kFirstClass + kPageClass, reserve); }

uint64_t Space::AllocateBlob(uint64_t size, bool reserve) {
  if (size <= kBlockSize) return Allocate(kFirstClass + kTables.of_units[UnitsOf(size)], reserve);
  uint64_t blocks = BlocksOf(size);
  uint64_t run = TakeBlocks(blocks, reserve);
  if (run == 0) return 0;
  AddUsed(blocks * kBlockSize);
  SetVerifiedFirst(run);
  return run;
}

uint64_t Space::AllocateRun(uint64_t size) { return TakeBlocks(BlocksOf(size), true); }

void Space::FreeRun(uint64_t offset, uint64_t size) {
  ClearVerified(offset);
  for (uint64_t at = 0; at < size; at += kBlockSize) FreeBlock(offset + at);
}

// Something new, which no reader has to verify.
void Space::SetVerifiedFirst(uint64_t offset) {
  uint64_t unit = UnitInBlock(offset);
  Write(&BlockOf(offset)->verified[unit / 64],
        [&](uint64_t word) { return word | uint64_t{1} << (unit % 64); });
}

void Space::SetDirty(uint64_t offset, uint64_t size) {
  if (size > kBlockSize) {
    dirty_runs_.push_back({offset, static_cast<uint32_t>(size)});
    return;
  }
  Block* block = BlockOf(offset);
  uint64_t unit = UnitInBlock(offset);
  block->dirty[unit / 64] |= uint64_t{1} << (unit % 64);
  if (block->in_dirty) return;
  block->in_dirty = true;
  dirty_blocks_.push_back(offset / kBlockSize * kBlockSize);
}

void Space::TakeDirtySlots(uint64_t offset, std::vector<Dirty>* dirty) {
  Block* block = BlockOf(offset);
  block->in_dirty = false;
  size_t c = block->kind < kFirstClass ? kPageClass : block->kind - kFirstClass;
  uint32_t size = c == kPageClass ? 0 : static_cast<uint32_t>(kClassUnits[c] * kUnit);
  for (uint64_t word = 0; word < kUnitsPerBlock / 64; word++) {
    for (uint64_t rest = block->dirty[word]; rest != 0; rest &= rest - 1) {
      uint64_t unit = word * 64 + static_cast<uint64_t>(__builtin_ctzll(rest));
      dirty->push_back({offset + unit * kUnit, size});
    }
    block->dirty[word] = 0;
  }
}

void Space::TakeDirty(std::vector<Dirty>* dirty) {
  std::sort(dirty_blocks_.begin(), dirty_blocks_.end());
  for (uint64_t block : dirty_blocks_) TakeDirtySlots(block, dirty);
  dirty_blocks_.clear();
  // Freed ones among them may hold anything by now: to make that durable does no harm.
  dirty->insert(dirty->end(), dirty_runs_.begin(), dirty_runs_.end());
  dirty_runs_.clear();
}

uint64_t Space::free_bytes() const {
  uint64_t kept = Reserve();
  return free_blocks_ > kept ? (free_blocks_ - kept) * kBlockSize : 0;
}

uint64_t Space::largest() const {
  uint64_t most = 0;
  EachFreeRun([&](uint64_t, uint64_t length) {
    most = std::max(most, length);
    return false;
  });
  return std::min(most * kBlockSize, free_bytes());
}

uint64_t Space::Reserve() const { return std::clamp<uint64_t>(blocks_ / 64, 8, 1024); }

// Calls with the start and the number of free blocks in a row, as far as they are known, until it
// gives true.
template <typename Visit>
void Space::EachFreeRun(Visit visit) const {
  uint64_t start = 0, length = 0;
  for (uint64_t index = search_from_; index < region_end_; index++) {
    const Region* region = regions_[index].load(std::memory_order_relaxed);
    uint64_t mask = region == nullptr ? 0 : region->free_blocks;
    if (mask == 0) length = 0;
    for (uint64_t at = 0; at < kBlocksPerRegion;) {
      uint64_t rest = mask >> at;
      if ((rest & 1) == 0) {
        length = 0;
        if (rest == 0) break;
        at += static_cast<uint64_t>(__builtin_ctzll(rest));
        continue;
      }
      uint64_t ones = ~rest == 0 ? kBlocksPerRegion : static_cast<uint64_t>(__builtin_ctzll(~rest));
      if (length == 0) start = index * kRegionSize + at * kBlockSize;
      length += ones;
      at += ones;
      if (visit(start, length)) return;
    }
  }
}

// The first of `count` free blocks in a row, 0 where there are none.
uint64_t Space::FindBlocks(uint64_t count) {
  uint64_t found = 0;
  while (search_from_ < region_end_) {
    const Region* region = regions_[search_from_].load(std::memory_order_relaxed);
    if (region != nullptr && region->free_blocks != 0) break;
    search_from_++;
  }
  EachFreeRun([&](uint64_t start, uint64_t length) {
    if (length >= count) found = start;
    return found != 0;
  });
  return found;
}

void Space::ClaimBlocks(uint64_t block, uint64_t count) {
  for (uint64_t i = 0; i < count; i++, block += kBlockSize) {
    BlockOf(block)->kind = kRun;
    RegionOf(block)->free_blocks &= ~(uint64_t{1} << BlockIndex(block));
  }
  free_blocks_ -= count;
}

uint64_t Space::TakeBlocks(uint64_t count, bool reserve) {
  for (;;) {
    if (free_blocks_ >= count + (reserve ? 0 : Reserve())) {
      uint64_t block = FindBlocks(count);
      if (block != 0) {
        ClaimBlocks(block, count);
        return block;
      }
    }
    if (!Extend(count)) return 0;
  }
}

void Space::FreeBlock(uint64_t offset) {
  BlockOf(offset)->kind = kFreeBlock;
  RegionOf(offset)->free_blocks |= uint64_t{1} << BlockIndex(offset);
  free_blocks_++;
  search_from_ = std::min(search_from_, offset / kRegionSize);
}

void Space::Free(uint64_t offset, uint8_t kind) {
  Block* block = BlockOf(offset);
  uint64_t start = offset / kBlockSize * kBlockSize, unit = UnitInBlock(offset);
  block->used[unit / 64] &= ~(uint64_t{1} << (unit % 64));
  block->dirty[unit / 64] &= ~(uint64_t{1} << (unit % 64));
  ClearVerified(offset);
  AddUsed(-uint64_t{kClassUnits[kind - kFirstClass] * kUnit});
  block->taken--;
  if (start == current_[kind]) return;
  if (block->taken == 0) {
    FreeBlock(start);
  } else if (!block->listed) {
    block->listed = true;
    partial_[kind].push_back(start);
  }
}

void Space::FreePage(uint64_t offset) { Free(offset, kFirstClass + kPageClass); }

void Space::FreeBlob(uint64_t offset, uint64_t size) {
  if (size <= kBlockSize) return Free(offset, kFirstClass + kTables.of_units[UnitsOf(size)]);
  AddUsed(-(BlocksOf(size) * kBlockSize));
  FreeRun(offset, BlocksOf(size) * kBlockSize);
}

void Space::SetVerified(uint64_t offset) {
  uint64_t unit = UnitInBlock(offset);
  BlockOf(offset)->verified[unit / 64].fetch_or(uint64_t{1} << (unit % 64),
                                                std::memory_order_release);
}

void Space::ClearVerified(uint64_t offset) {
  uint64_t unit = UnitInBlock(offset);
  Write(&BlockOf(offset)->verified[unit / 64],
        [&](uint64_t word) { return word & ~(uint64_t{1} << (unit % 64)); });
}

}  // namespace potoroo::engine
