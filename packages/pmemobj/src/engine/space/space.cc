#include "engine/space/space.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "engine/base/checksum.h"
#include "engine/base/page.h"

namespace potoroo::engine {
namespace {

// Units of a slot, by class. The first is for pages; the rest are for blobs, ascending.
constexpr uint16_t kClassUnits[] = {
    kPageSize / kUnit, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 21, 25, 32, 42, 64};
constexpr size_t kClasses = sizeof kClassUnits / sizeof kClassUnits[0];
constexpr uint8_t kPageClass = 0;

struct SlotMask {
  uint64_t words[kUnitsPerBlock / 64];
};

struct ClassTables {
  SlotMask first_units[kClasses];          // where slots of a class begin in a block
  uint8_t of_units[kMaxSlot / kUnit + 1];  // the smallest class for blobs of so many units
  ClassTables() {
    memset(this, 0, sizeof *this);
    for (size_t c = 0; c < kClasses; c++) {
      size_t units = kClassUnits[c];
      for (size_t at = 0; at + units <= kUnitsPerBlock; at += units) {
        first_units[c].words[at / 64] |= uint64_t{1} << (at % 64);
      }
    }
    for (size_t units = 1; units <= kMaxSlot / kUnit; units++) {
      size_t c = 1;
      while (kClassUnits[c] < units) c++;
      of_units[units] = static_cast<uint8_t>(c);
    }
  }
};
const ClassTables kTables;

// Not an atomic operation, which would wait for all stores before it to arrive in memory. Only one
// thread does this. A bit that a reader sets meanwhile may get lost: then something is verified
// twice. It acquires what it releases again: one reader may see by this store what another has
// decrypted.
template <typename Change>
void Write(std::atomic<uint64_t>* word, Change change) {
  word->store(change(word->load(std::memory_order_acquire)), std::memory_order_release);
}

uint64_t BitOf(uint64_t unit) { return uint64_t{1} << (unit % 64); }
uint64_t SlotsOf(size_t c) { return kUnitsPerBlock / kClassUnits[c]; }
uint64_t UnitsOf(uint64_t size) { return (size + kUnit - 1) / kUnit; }

}  // namespace

uint64_t BlobUnits(uint64_t size) { return kClassUnits[kTables.of_units[UnitsOf(size)]]; }

Space::Space(Medium* medium)
    : medium_(medium),
      region_count_(medium->limit() / kRegionSize + 2),
      // calloc: the table of a pool that may grow to terabytes costs no memory before it does.
      regions_(
          static_cast<std::atomic<Region*>*>(calloc(region_count_, sizeof(std::atomic<Region*>))),
          free),
      current_(kFirstClass + kClasses),
      partial_(kFirstClass + kClasses) {
  if (regions_ == nullptr) throw std::bad_alloc();
}

Space::~Space() {
  const uint64_t end = medium_->read_only() ? region_count_ : region_end_;
  for (uint64_t i = 0; i < end; i++) delete regions_[i].load(std::memory_order_relaxed);
}

bool Space::Contains(uint64_t offset, uint64_t size) const {
  if (offset >= limit() || size > limit() - offset) return false;
  // The extents of a pool that is read only are not known. All that was found there is verified.
  if (medium_->read_only() && offset < medium_->writable_from()) {
    return size <= medium_->size() && offset <= medium_->size() - size;
  }
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
    ClaimBlock(offset);
    block->kind = kind;
  }
  if (block->kind != kind || (block->used[unit / 64] & bit) != 0) return false;
  SetUsed(block, unit);
  block->taken++;
  AddUsed(kClassUnits[c] * kUnit);
  return true;
}

void Space::SetUsed(Block* block, uint64_t unit) {
  Write(&block->used[unit / 64], [&](uint64_t word) { return word | BitOf(unit); });
}

void Space::ClearUsed(Block* block, uint64_t unit) {
  Write(&block->used[unit / 64], [&](uint64_t word) { return word & ~BitOf(unit); });
}

bool Space::MarkPage(uint64_t offset) {
  return offset < limit() && Mark(offset, kFirstClass + kPageClass);
}

bool Space::MarkBlob(uint64_t offset, uint64_t size) {
  if (offset >= limit()) return false;
  if (size == 0 || size > kMaxRunSize) return false;
  if (size <= kMaxSlot) return Mark(offset, kFirstClass + kTables.of_units[UnitsOf(size)]);
  if (!MarkQuarters(offset, QuartersOf(size))) return false;
  SetUsed(BlockOf(offset), UnitInBlock(offset));
  AddUsed(QuartersOf(size) * kQuarter);
  return true;
}

// Blocks with free slots that are in no list.
void Space::ListAll() {
  unlisted_ = false;
  for (uint64_t index = 0; index < region_end_ && !unlisted_; index++) {
    Region* region = regions_[index].load(std::memory_order_relaxed);
    if (region == nullptr || region->sight != kInSight) continue;
    for (uint64_t i = 0; i < kBlocksPerRegion; i++) {
      Block* block = &region->blocks[i];
      uint64_t start = index * kRegionSize + i * kBlockSize;
      if (block->kind < kFirstClass || block->listed || current_[block->kind] == start) continue;
      if (HasFreeSlot(*block)) List(block, start);
    }
  }
}

// Puts it into the list of its class. Without memory, all that is missed there is listed later.
bool Space::List(Block* block, uint64_t start) {
  try {
    partial_[block->kind].push_back(start);
    block->listed = true;
  } catch (const std::bad_alloc&) {
    unlisted_ = true;
  }
  return block->listed;
}

uint64_t Space::TakeSlot(uint64_t offset, uint8_t kind) {
  Block* block = BlockOf(offset);
  size_t c = kind - kFirstClass;
  for (uint64_t word = 0; word < kUnitsPerBlock / 64; word++) {
    uint64_t open = kTables.first_units[c].words[word] & ~block->used[word];
    if (open == 0) continue;
    uint64_t bit = static_cast<uint64_t>(__builtin_ctzll(open));
    SetUsed(block, word * 64 + bit);
    block->taken++;
    return offset + (word * 64 + bit) * kUnit;
  }
  return 0;
}

uint64_t Space::Allocate(uint8_t kind, Room room) {
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
      if (RegionOf(candidate)->sight != kInSight) continue;
      // It may have been freed, and even taken for something else, since it was listed.
      uint8_t now = block_of->kind;
      if (now == kind) {
        current_[kind] = candidate;
      } else if (now >= kFirstClass && current_[now] != candidate) {
        List(block_of, candidate);
      }
    }
    if (current_[kind] != 0) continue;
    if (unlisted_) {
      ListAll();
      if (!partial.empty()) continue;
    }
    block = TakeBlock(room);
    if (block == 0) return 0;
    BlockOf(block)->kind = kind;
    current_[kind] = block;
  }
}

uint64_t Space::AllocatePage(Room room) { return Allocate(kFirstClass + kPageClass, room); }

uint64_t Space::AllocateBlob(uint64_t size, Room room) {
  if (size <= kMaxSlot) return Allocate(kFirstClass + kTables.of_units[UnitsOf(size)], room);
  uint64_t run = TakeRun(QuartersOf(size), kQuarter, room);
  if (run == 0) return 0;
  SetUsed(BlockOf(run), UnitInBlock(run));
  AddUsed(QuartersOf(size) * kQuarter);
  SetVerifiedFirst(run);
  return run;
}

// Something new, which no reader has to verify.
void Space::SetVerifiedFirst(uint64_t offset) {
  uint64_t unit = UnitInBlock(offset);
  Write(&BlockOf(offset)->verified[unit / 64],
        [&](uint64_t word) { return word | uint64_t{1} << (unit % 64); });
}

void Space::SetDirty(uint64_t offset, uint64_t size) {
  if (size > kMaxSlot) {
    dirty_runs_.push_back({offset, static_cast<uint32_t>(size)});
    return;
  }
  Block* block = BlockOf(offset);
  uint64_t unit = UnitInBlock(offset);
  if (!block->in_dirty) dirty_blocks_.push_back(offset / kBlockSize * kBlockSize);
  block->dirty[unit / 64] |= uint64_t{1} << (unit % 64);
  block->in_dirty = true;
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

size_t Space::CountDirty() const {
  size_t count = dirty_runs_.size();
  for (uint64_t block : dirty_blocks_) {
    for (uint64_t word : BlockOf(block)->dirty)
      count += static_cast<size_t>(__builtin_popcountll(word));
  }
  return count;
}

void Space::TakeDirty(std::vector<Dirty>* dirty) {
  hasty_ = 0;
  std::sort(dirty_blocks_.begin(), dirty_blocks_.end());
  for (uint64_t block : dirty_blocks_) TakeDirtySlots(block, dirty);
  dirty_blocks_.clear();
  // Freed ones among them may hold anything by now: to make that durable does no harm.
  dirty->insert(dirty->end(), dirty_runs_.begin(), dirty_runs_.end());
  dirty_runs_.clear();
}

uint64_t Space::free_bytes() const {
  uint64_t kept = Reserve();
  uint64_t blocks = free_blocks_ + hidden_blocks_;
  blocks = blocks > kept ? blocks - kept : 0;
  return blocks * kBlockSize + loose_quarters_ * kQuarter;
}

uint64_t Space::Reserve() const { return std::clamp<uint64_t>(blocks_ / 64, 8, 1024); }

uint64_t Space::KeptFrom(Room room) const {
  if (room == Room::kKept) return 0;
  return room == Room::kHalfOfKept ? Reserve() / 2 : Reserve();
}

// 0 where there is none.
uint64_t Space::FindBlock() {
  for (; search_from_ < region_end_; search_from_++) {
    const Region* region = regions_[search_from_].load(std::memory_order_relaxed);
    if (region == nullptr || region->free_blocks == 0 || region->sight != kInSight) continue;
    return search_from_ * kRegionSize +
           static_cast<uint64_t>(__builtin_ctzll(region->free_blocks)) * kBlockSize;
  }
  return 0;
}

void Space::ClaimBlock(uint64_t block) {
  Region* region = RegionOf(block);
  uint64_t index = BlockIndex(block);
  region->blocks[index].kind = kRuns;
  region->free_blocks &= ~(uint64_t{1} << index);
  region->free_quarters[index / 16] &= ~(uint64_t{15} << (index % 16 * 4));
  FreeBlocksOf(*region)--;
}

bool Space::MakeRoom(uint64_t blocks) {
  return may_grow_ && (FillHoles(blocks) || Extend(blocks) || EndLeaving());
}

bool Space::HasFreeSlot(const Block& block) const {
  return block.taken < SlotsOf(block.kind - kFirstClass);
}

uint64_t Space::BytesTaken(const Block& block) const {
  return block.taken *
         (block.kind == kRuns ? kQuarter : kClassUnits[block.kind - kFirstClass] * kUnit);
}

uint64_t Space::TakeBlock(Room room) {
  for (;;) {
    uint64_t block = free_blocks_ >= 1 + KeptFrom(room) ? FindBlock() : 0;
    if (block != 0) {
      ClaimBlock(block);
      return block;
    }
    if (!MakeRoom(1)) return 0;
  }
}

void Space::FreeBlock(uint64_t offset) {
  Region* region = RegionOf(offset);
  uint64_t index = BlockIndex(offset);
  region->blocks[index].kind = kFreeBlock;
  region->free_blocks |= uint64_t{1} << index;
  region->free_quarters[index / 16] |= uint64_t{15} << (index % 16 * 4);
  FreeBlocksOf(*region)++;
  search_from_ = std::min(search_from_, offset / kRegionSize);
  NoteFree(offset / kBlockSize * kBlockSize, kBlockSize / kQuarter);
}

// Blocks that wait to be filled, and hold nothing.
void Space::FreeEmptyCurrent() {
  for (uint64_t& block : current_) {
    if (block == 0 || BlockOf(block)->taken != 0) continue;
    FreeBlock(block);
    block = 0;
  }
}

void Space::Free(uint64_t offset, uint8_t kind) {
  if (!Holds(offset, kind)) return;
  Block* block = BlockOf(offset);
  uint64_t start = offset / kBlockSize * kBlockSize, unit = UnitInBlock(offset);
  ClearUsed(block, unit);
  block->dirty[unit / 64] &= ~(uint64_t{1} << (unit % 64));
  ClearVerified(offset);
  AddUsed(-uint64_t{kClassUnits[kind - kFirstClass] * kUnit});
  block->taken--;
  if (start == current_[kind]) return;
  if (block->taken == 0) {
    FreeBlock(start);
  } else if (!block->listed) {
    List(block, start);
  }
}

// Only a pool that was forged frees what is not there.
bool Space::Holds(uint64_t offset, uint8_t kind) const {
  if (offset >= limit()) return false;
  const Region* region = RegionOf(offset);
  return region != nullptr &&
         region->blocks[BlockIndex(offset)].kind.load(std::memory_order_relaxed) == kind;
}

bool Space::MayHave(uint64_t offset, uint8_t kind) const {
  if (offset >= limit()) return false;
  if (medium_->read_only() && offset < medium_->writable_from()) return true;
  const Region* region = RegionOf(offset);
  if (region == nullptr) return false;
  const Block& block = region->blocks[BlockIndex(offset)];
  const uint8_t now = block.kind.load(std::memory_order_relaxed);
  if (now == kWaiting) return true;
  const uint64_t unit = UnitInBlock(offset);
  return now == kind && offset % kUnit == 0 &&
         (block.used[unit / 64].load(std::memory_order_relaxed) & BitOf(unit)) != 0;
}

bool Space::MayHavePage(uint64_t offset) const { return MayHave(offset, kFirstClass + kPageClass); }

bool Space::MayHaveBlob(uint64_t offset, uint64_t size) const {
  return MayHave(offset, size > kMaxSlot ? kRuns : kFirstClass + kTables.of_units[UnitsOf(size)]);
}

void Space::FreePage(uint64_t offset) { Free(offset, kFirstClass + kPageClass); }

void Space::FreeBlob(uint64_t offset, uint64_t size) {
  if (size <= kMaxSlot) return Free(offset, kFirstClass + kTables.of_units[UnitsOf(size)]);
  if (!Holds(offset, kRuns)) return;
  ClearUsed(BlockOf(offset), UnitInBlock(offset));
  AddUsed(-(QuartersOf(size) * kQuarter));
  ClearVerified(offset);
  FreeQuarters(offset, QuartersOf(size));
}

// Makes a region when something in it is first verified, if nothing is known of the extents.
Space::Region* Space::MakeRegion(uint64_t offset) {
  std::unique_ptr<Region> made(new Region());
  Region* there = nullptr;
  std::atomic<Region*>& region = regions_[offset / kRegionSize];
  if (!region.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel)) return there;
  return made.release();
}

void Space::SetVerified(uint64_t offset) {
  uint64_t unit = UnitInBlock(offset);
  Region* region = RegionOf(offset);
  if (region == nullptr) region = MakeRegion(offset);
  region->blocks[BlockIndex(offset)].verified[unit / 64].fetch_or(uint64_t{1} << (unit % 64),
                                                                  std::memory_order_release);
}

void Space::ClearVerified(uint64_t offset) {
  uint64_t unit = UnitInBlock(offset);
  Write(&BlockOf(offset)->verified[unit / 64],
        [&](uint64_t word) { return word & ~(uint64_t{1} << (unit % 64)); });
}

}  // namespace potoroo::engine
