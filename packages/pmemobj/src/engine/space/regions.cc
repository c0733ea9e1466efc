// Regions out of sight: those that a compaction empties, and holes.
//
// Nothing is taken from a region out of sight, and its blocks count as free only once it is in
// sight again.
#include <algorithm>

#include "engine/space/holes.h"
#include "engine/space/space.h"

namespace potoroo::engine {
namespace {

constexpr uint64_t kAllBlocks = ~uint64_t{0};
static_assert(kBlocksPerRegion == 64);
// Share, in tenths, of the room between used blocks that a compaction may count on.
constexpr uint64_t kUsableRoom = 8;

uint64_t Count(uint64_t bits) { return static_cast<uint64_t>(__builtin_popcountll(bits)); }

}  // namespace

void Space::Hide(uint64_t index, Sight sight) {
  Region* region = regions_[index].load(std::memory_order_relaxed);
  for (size_t kind = kFirstClass; kind < current_.size(); kind++) {
    uint64_t block = current_[kind];
    if (block == 0 || block / kRegionSize != index) continue;
    current_[kind] = 0;
    if (BlockOf(block)->taken == 0) FreeBlock(block);
  }
  free_blocks_ -= Count(region->free_blocks);
  hidden_blocks_ += Count(region->free_blocks);
  region->sight = sight;
}

void Space::Show(uint64_t index) {
  Region* region = regions_[index].load(std::memory_order_relaxed);
  region->sight = kInSight;
  free_blocks_ += Count(region->free_blocks);
  hidden_blocks_ -= Count(region->free_blocks);
  search_from_ = std::min(search_from_, index);
  for (uint64_t& from : runs_from_) from = std::min(from, index == 0 ? 0 : index - 1);
  for (uint64_t i = 0; i < kBlocksPerRegion; i++) {
    Block& block = region->blocks[i];
    uint8_t kind = block.kind;
    uint64_t at = index * kRegionSize + i * kBlockSize;
    if (kind < kFirstClass || block.listed || current_[kind] == at) continue;
    if (!HasFreeSlot(block)) continue;
    List(&block, at);
  }
}

uint64_t Space::UsedIn(const Region& region, uint64_t* size) const {
  uint64_t used = 0;
  *size = 0;
  for (const Block& block : region.blocks) {
    if (block.kind == kNotOurs) continue;
    *size += kBlockSize;
    if (block.kind == kWaiting) {
      used += kBlockSize;
    } else if (block.kind != kFreeBlock) {
      used += BytesTaken(block);
    }
  }
  return used;
}

// The regions with least in them are to be emptied, as far as the rest has room for that.
void Space::PlanLeaving(uint64_t log, uint64_t log_size) {
  struct Candidate {
    uint64_t index, used, room;
  };
  std::vector<Candidate> candidates;
  uint64_t room = 0, moved = 0;
  for (uint64_t index = 0; index < region_end_; index++) {
    const Region* region = regions_[index].load(std::memory_order_relaxed);
    if (region == nullptr || region->sight != kInSight) continue;
    uint64_t size, used = UsedIn(*region, &size);
    if (used == 0) continue;
    uint64_t free = (size - used) / 10 * kUsableRoom;
    room += free;
    uint64_t at = index * kRegionSize;
    if (at < log + log_size && log < at + kRegionSize) continue;
    if (used * 10 < size * 9) candidates.push_back({index, used, free});
  }
  room -= std::min(room, Reserve() * kBlockSize);
  leaving_.reserve(candidates.size());
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.used < b.used; });
  for (const Candidate& candidate : candidates) {
    if (moved + candidate.used + candidate.room > room) break;
    moved += candidate.used;
    room -= candidate.room;
    Hide(candidate.index, kLeaving);
    leaving_.push_back(candidate.index);
  }
}

bool Space::IsLeaving(uint64_t offset, uint64_t size) const {
  if (leaving_.empty()) return false;
  for (uint64_t index = offset / kRegionSize; index <= (offset + size - 1) / kRegionSize; index++) {
    const Region* region = regions_[index].load(std::memory_order_relaxed);
    if (region != nullptr && region->sight == kLeaving) return true;
  }
  return false;
}

// False where there are none.
bool Space::EndLeaving() {
  if (leaving_.empty()) return false;
  for (uint64_t index : leaving_) {
    Region* region = regions_[index].load(std::memory_order_relaxed);
    if (region->sight == kLeaving) Show(index);
  }
  std::vector<uint64_t>().swap(leaving_);
  return true;
}

// Only while all that is durable is as it is now, and nothing waits to be made so.
bool Space::PunchFree(uint64_t most) {
  FreeEmptyCurrent();
  uint64_t index = region_end_;
  while (most > 0 && index > 0) {
    Region* region = regions_[--index].load(std::memory_order_relaxed);
    if (region == nullptr || region->sight != kInSight || region->free_blocks != kAllBlocks)
      continue;
    // Blocks kept for deleting stay, and some to go on with, so that holes do not come and go.
    if (free_blocks_ < 2 * kBlocksPerRegion + 2 * Reserve()) return false;
    holes_.insert(index);
    if (!Punch(*medium_, index * kRegionSize, kRegionSize)) {
      holes_.erase(index);
      return false;
    }
    // Flushing a hole would give it space.
    auto within = [index](const Dirty& dirty) { return dirty.offset / kRegionSize == index; };
    dirty_runs_.erase(std::remove_if(dirty_runs_.begin(), dirty_runs_.end(), within),
                      dirty_runs_.end());
    Hide(index, kHole);
    most--;
  }
  return most == 0;
}

// Gives holes their space again, from the first one on, some more than a run of `blocks` blocks
// takes. False if there are none, or the disk is full.
bool Space::FillHoles(uint64_t blocks) {
  bool any = false;
  for (uint64_t left = blocks / kBlocksPerRegion + 2; left > 0 && !holes_.empty(); left--) {
    if (!FillHole(*holes_.begin())) break;
    any = true;
  }
  return any;
}

bool Space::FillHole(uint64_t index) {
  if (!Back(*medium_, index * kRegionSize, kRegionSize)) return false;
  holes_.erase(index);
  Show(index);
  return true;
}

// Finds the holes of a pool that is opened. Regions that need space get it.
bool Space::FindHoles() {
  bool good = true;
  EachHole(*medium_, [&](uint64_t from, uint64_t to) {
    for (uint64_t at = from; at < to && good;) {
      uint64_t index = at / kRegionSize, end = std::min(to, (index + 1) * kRegionSize);
      Region* region = regions_[index].load(std::memory_order_relaxed);
      bool free = region != nullptr && region->free_blocks == kAllBlocks;
      if (free && region->sight == kInSight) {
        Hide(index, kHole);
        holes_.insert(index);
      } else if (!free) {
        good = Back(*medium_, at, end - at);
      }
      at = end;
    }
  });
  return good;
}

void Space::ForgetVerified(uint64_t from, const std::function<void(uint64_t, uint64_t)>& visit) {
  Region* region = RegionOf(from);
  if (region == nullptr) return visit(from, from + kRegionSize);
  uint64_t begin = from;
  for (uint64_t i = 0; i < kBlocksPerRegion; i++) {
    Block& block = region->blocks[i];
    const uint64_t at = from + i * kBlockSize;
    if (block.in_dirty) {
      if (begin < at) visit(begin, at);
      begin = at + kBlockSize;
      continue;
    }
    for (std::atomic<uint64_t>& word : block.verified) word.store(0, std::memory_order_release);
  }
  if (begin < from + kRegionSize) visit(begin, from + kRegionSize);
}

}  // namespace potoroo::engine
