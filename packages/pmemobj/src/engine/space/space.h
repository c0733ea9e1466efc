// Which bytes of the extents are in use. Lives in DRAM only (0.25 % of the pool) and is rebuilt
// from the trees when a pool is opened, so no crash can leak space or hand it out twice.
//
// An extent is cut into blocks of 16 KiB, aligned to that in the pool's offsets. A block is free,
// or holds slots of one class (pages, or values of one size), or is shared by runs: a value above
// 8 KiB is a run of quarters of blocks (4 KiB), which may begin at any of them. Sizes of slots
// count in units of 128 bytes.
//
// Extents that are free as a whole go back to libpmemobj where it has no room for something else.
//
// Only the writing thread calls what is not said to be safe for readers.
#ifndef POTOROO_ENGINE_SPACE_SPACE_H_
#define POTOROO_ENGINE_SPACE_SPACE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "engine/medium/medium.h"

namespace potoroo::engine {

inline constexpr uint64_t kUnit = 128;
inline constexpr uint64_t kBlockSize = 16 * 1024;
inline constexpr uint64_t kUnitsPerBlock = kBlockSize / kUnit;
inline constexpr uint64_t kQuarter = kBlockSize / 4;
// Above it a value has a run. Engines before this one gave up to 16 KiB a slot that is a whole
// block: a run, too, that begins with the block.
inline constexpr uint64_t kMaxSlot = kBlockSize / 2;
inline constexpr uint64_t kBlocksPerRegion = kRegionSize / kBlockSize;
inline constexpr uint64_t kUnitsPerRegion = kRegionSize / kUnit;
// Above it a value is an object of libpmemobj's. Below some 2.5 MiB libpmemobj would set memory
// for 15 objects of that size aside at once.
inline constexpr uint64_t kMaxRunSize = 3 * kRegionSize;

// The first bytes of each extent.
//
//   offset  size  field
//        0     8  magic     "PotExtnt"
//        8     8  offset    of this header in the pool
//       16     8  size      bytes, with this header
//       24     4  checksum  of the bytes before
//       28     4  reserved  0
//
// Blocks begin at the next multiple of kBlockSize.
struct ExtentHeader {
  char magic[8];
  uint64_t offset;
  uint64_t size;
  uint32_t checksum;
  uint32_t reserved;
};
static_assert(sizeof(ExtentHeader) == 32, "ExtentHeader is on media");

// Units of the slot that holds a blob of `size` bytes, from 1 to kMaxSlot.
uint64_t BlobUnits(uint64_t size);

class Space {
 public:
  explicit Space(Medium* medium);
  ~Space();

  // Opening. AddWaitingExtent for each one: they hold what may be read, and nothing is known of
  // what is free. That is found out in another Space: AddExtent for each one; then Mark... for all
  // that the trees refer to, which fails where the place is none, or taken already; then FindHoles.
  // By then others may use this one, with extents that came later. Merge is the end of the waiting.
  bool AddWaitingExtent(uint64_t offset, uint64_t size);
  void Merge(const Space& found);
  bool AddExtent(uint64_t offset, uint64_t size);
  bool MarkPage(uint64_t offset);
  bool MarkBlob(uint64_t offset, uint64_t size);
  bool MarkRun(uint64_t offset, uint64_t size);  // whole blocks

  // Which of the last blocks, which are kept for deleting, something may take.
  enum class Room : uint8_t { kOrdinary, kHalfOfKept, kKept };
  // 0: no space.
  uint64_t AllocatePage(Room room);
  uint64_t AllocateBlob(uint64_t size, Room room);  // size from 1 to kMaxRunSize
  void FreePage(uint64_t offset);
  void FreeBlob(uint64_t offset, uint64_t size);
  // Blocks in a row for other purposes: neither dirty nor counted. `size`: bytes of whole blocks.
  uint64_t AllocateRun(uint64_t size);
  void FreeRun(uint64_t offset, uint64_t size);
  // Gives libpmemobj extents that hold nothing: at most `most`, and of fewer bytes than `below`.
  // False if there are none.
  bool GiveBackExtents(uint64_t most = ~uint64_t{0}, uint64_t below = ~uint64_t{0});

  // A compaction. Regions that are hardly used are to be emptied: nothing new goes there until
  // EndLeaving, which is false where there are none. Regions that have the log stay.
  void PlanLeaving(uint64_t log, uint64_t log_size);
  bool IsLeaving(uint64_t offset, uint64_t size) const;
  bool EndLeaving();
  // Whether it may ask for space that it does not have.
  void set_may_grow(bool may_grow) { may_grow_ = may_grow; }
  // Takes all that libpmemobj has free, in extents.
  void TakeHeap();
  // Makes holes in the files of up to `most` free regions, and gives them space again when they are
  // needed. False where there are no more. Right after a checkpoint.
  bool PunchFree(uint64_t most);
  // Called after all marks. False if the disk has no space for regions that must have some.
  bool FindHoles();

  // A page (size 0) or a blob that a checkpoint has to make durable, unless it is free by then.
  void SetDirty(uint64_t offset, uint64_t size);
  // All of that, in the order of the pool.
  struct Dirty {
    uint64_t offset;
    uint32_t size;  // 0 of a page
  };
  void TakeDirty(std::vector<Dirty>* dirty);
  // How many these are.
  size_t CountDirty() const;
  bool has_dirty() const { return !dirty_blocks_.empty() || !dirty_runs_.empty(); }

  // Bytes that writes may take, and of those the most that one value may have.
  uint64_t free_bytes() const;
  uint64_t largest() const;
  uint64_t extents_size() const { return extents_size_; }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }

  // Safe for readers. Whether the bytes from `offset` lie in blocks of ours, or, of a pool that is
  // read only, in the pool.
  bool Contains(uint64_t offset, uint64_t size) const;
  // Safe for readers. Whether an object was found good since it was written or the pool was opened.
  bool Verified(uint64_t offset) const {
    const Region* region = RegionOf(offset);
    if (region == nullptr) return false;
    uint64_t unit = UnitInBlock(offset);
    return region->blocks[BlockIndex(offset)].verified[unit / 64].load(std::memory_order_acquire) >>
               (unit % 64) &
           1;
  }
  void SetVerified(uint64_t offset);
  // Safe for readers. Whether a page, or a blob of `size` bytes, is in use there; true as long as
  // that is not known: of extents that wait, and of a pool that is read only.
  bool MayHavePage(uint64_t offset) const;
  bool MayHaveBlob(uint64_t offset, uint64_t size) const;
  // By the writing thread, while nobody reads. Nothing of the region that begins there is verified
  // any more, except in blocks that a checkpoint has to make durable. Calls for each stretch of the
  // others.
  void ForgetVerified(uint64_t from, const std::function<void(uint64_t, uint64_t)>& visit);
  // By the writing thread: something new has to be verified all the same.
  void ClearVerified(uint64_t offset);
  uint64_t limit() const { return region_count_ * kRegionSize; }

 private:
  enum : uint8_t { kNotOurs = 0, kFreeBlock = 1, kWaiting = 2, kRuns = 3, kFirstClass = 4 };
  struct Block {
    // The bit of the first unit of each slot, and of each blob that is a run.
    std::atomic<uint64_t> used[kUnitsPerBlock / 64];
    uint64_t dirty[kUnitsPerBlock / 64];  // of `used`: what no checkpoint has made durable
    std::atomic<uint64_t> verified[kUnitsPerBlock / 64];
    std::atomic<uint8_t> kind;
    uint8_t taken;  // slots in use, or quarters
    bool listed;    // in the list of some class, though not always its own
    bool in_dirty;  // in the list of blocks with dirty slots
  };
  enum Sight : uint8_t { kInSight = 0, kLeaving = 1, kHole = 2 };
  struct Region {
    Sight sight;
    uint64_t free_blocks;
    uint64_t free_quarters[kBlocksPerRegion * 4 / 64];  // those of free blocks, and between runs
    Block blocks[kBlocksPerRegion];
  };
  struct Extent {
    uint64_t from, to;  // its blocks
    uint64_t size;      // with all else
  };
  // Runs of each length up to this, in quarters, have a place to search from; longer ones share the
  // last.
  static constexpr uint64_t kSearches = 17;

  static uint64_t BlockIndex(uint64_t offset) { return offset % kRegionSize / kBlockSize; }
  static uint64_t QuartersOf(uint64_t size) { return (size + kQuarter - 1) / kQuarter; }
  static uint64_t UnitInBlock(uint64_t offset) { return offset % kBlockSize / kUnit; }
  Block* BlockOf(uint64_t offset) const { return &RegionOf(offset)->blocks[BlockIndex(offset)]; }
  Region* RegionOf(uint64_t offset) const {
    return regions_[offset / kRegionSize].load(std::memory_order_acquire);
  }
  uint64_t Allocate(uint8_t kind, Room room);
  uint64_t TakeBlock(Room room);
  uint64_t FindBlock();
  void ClaimBlock(uint64_t block);
  uint64_t TakeSlot(uint64_t block, uint8_t kind);
  Region* MakeRegion(uint64_t offset);
  bool Holds(uint64_t offset, uint8_t kind) const;
  bool MayHave(uint64_t offset, uint8_t kind) const;
  static void SetUsed(Block* block, uint64_t unit);
  static void ClearUsed(Block* block, uint64_t unit);
  void Free(uint64_t offset, uint8_t kind);
  void FreeBlock(uint64_t block);
  void FreeEmptyCurrent();
  bool Mark(uint64_t offset, uint8_t kind);
  void SetVerifiedFirst(uint64_t offset);
  void TakeDirtySlots(uint64_t block, std::vector<Dirty>* dirty);
  uint64_t Reserve() const;
  uint64_t KeptFrom(Room room) const;

  // Makes room for writes, which may not take from regions out of sight.
  bool MakeRoom(uint64_t blocks);
  bool HasFreeSlot(const Block& block) const;
  bool List(Block* block, uint64_t start);
  void ListAll();
  uint64_t BytesTaken(const Block& block) const;
  uint64_t& FreeBlocksOf(const Region& region) {
    return region.sight == kInSight ? free_blocks_ : hidden_blocks_;
  }

  // regions.cc
  void Hide(uint64_t index, Sight sight);
  void Show(uint64_t index);
  uint64_t UsedIn(const Region& region, uint64_t* size) const;
  bool FillHoles(uint64_t blocks);
  bool FillHole(uint64_t index);

  // runs.cc
  template <typename Visit>
  void EachFreeRun(uint64_t from, Visit visit) const;
  uint64_t TakeRun(uint64_t quarters, uint64_t align, Room room);
  uint64_t FindRun(uint64_t quarters, uint64_t align);
  uint64_t BlocksToClaim(uint64_t offset, uint64_t quarters) const;
  void ClaimRun(uint64_t offset, uint64_t quarters);
  void FreeQuarters(uint64_t offset, uint64_t quarters);
  bool MarkQuarters(uint64_t offset, uint64_t quarters);
  bool IsFreeQuarter(uint64_t offset) const;
  void NoteFree(uint64_t offset, uint64_t quarters);

  // merge.cc
  void MergeBlock(const Space& found, uint64_t at);

  // extent.cc
  bool ReadExtent(uint64_t offset, uint64_t size, Extent* extent) const;
  bool MakeRegions(const Extent& extent);
  bool Extend(uint64_t blocks);
  bool IsFree(const Extent& extent) const;
  bool FillHolesOf(const Extent& extent);
  bool TakeExtent(uint64_t size);
  bool AddNewExtent(uint64_t offset, uint64_t size);
  uint64_t LargestFreeExtents() const;
  void RemoveBlocks(const Extent& extent);

  // Only one thread adds, so no atomic addition, which would wait for all stores before it.
  void AddUsed(uint64_t bytes) {
    used_.store(used_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }

  Medium* medium_;
  uint64_t region_count_;
  std::unique_ptr<std::atomic<Region*>[], void (*)(void*)> regions_;
  uint64_t region_end_ = 0;             // regions at and above have no blocks
  uint64_t search_from_ = 0;            // regions below have no free block
  uint64_t runs_from_[kSearches] = {};  // by quarters: no region below has a free run that long
  uint64_t blocks_ = 0, free_blocks_ = 0;
  uint64_t hidden_blocks_ = 0;          // free ones out of sight
  uint64_t loose_quarters_ = 0;         // free ones between runs
  std::map<uint64_t, Extent> extents_;  // by offset
  uint64_t extents_size_ = 0;
  std::vector<uint64_t> leaving_;
  std::set<uint64_t> holes_;
  bool may_grow_ = true;
  uint32_t hasty_ = 0;     // extents taken since the last checkpoint
  bool unlisted_ = false;  // for want of memory, blocks with free slots are in no list
  std::atomic<uint64_t> used_{0};
  std::vector<uint64_t> current_;              // by kind: the block that is being filled, or 0
  std::vector<std::deque<uint64_t>> partial_;  // by kind: blocks with free slots
  std::vector<uint64_t> dirty_blocks_;
  std::vector<Dirty> dirty_runs_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SPACE_SPACE_H_
