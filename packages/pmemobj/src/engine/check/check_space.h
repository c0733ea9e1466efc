// Checks the places that the trees refer to: where they may lie, and that nothing lies there twice.
#ifndef POTOROO_ENGINE_CHECK_CHECK_SPACE_H_
#define POTOROO_ENGINE_CHECK_CHECK_SPACE_H_

#include <cstdint>
#include <map>
#include <vector>

namespace potoroo::engine {

class CheckSpace {
 public:
  enum class Place { kGood, kOutside, kMisplaced, kTwice };

  // The blocks of an extent whose header lies at `offset`.
  void AddExtent(uint64_t offset, uint64_t size);
  // Any place of a pool of that size will do: extents and objects are not known.
  void AddAll(uint64_t size);
  // An object of libpmemobj's that may hold one value.
  void AddObject(uint64_t offset, uint64_t size);

  Place MarkPage(uint64_t offset);
  Place MarkBlob(uint64_t offset, uint64_t size);
  // Whole blocks that hold no page and no blob, and count as neither used nor free.
  Place MarkBlocks(uint64_t offset, uint64_t size);

  uint64_t used() const { return used_; }
  // Bytes in extents that nothing refers to.
  uint64_t free() const { return blocks_size_ - blocks_used_; }
  // Bytes in objects that nothing refers to.
  uint64_t leaked() const;

 private:
  static constexpr uint16_t kRuns = 0xffff;
  struct Block {
    uint64_t used[2];  // a bit for each unit of a slot, or for the first one of a quarter
    uint16_t units;    // of a slot; 0 while free; kRuns
    bool pages;
  };
  struct Object {
    uint64_t size;
    bool marked;
  };
  Block* Find(uint64_t offset);
  Place MarkSlot(uint64_t offset, uint64_t units, bool pages);
  Place MarkRun(uint64_t offset, uint64_t size);
  Place MarkObject(uint64_t offset, uint64_t size);

  std::map<uint64_t, std::vector<Block>> extents_;  // by the offset of the first block
  std::map<uint64_t, Object> objects_;
  uint64_t anywhere_ = 0;  // bytes that objects may lie in
  uint64_t used_ = 0, blocks_size_ = 0, blocks_used_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_CHECK_CHECK_SPACE_H_
