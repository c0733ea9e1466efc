// Walks a tree that is damaged: goes on beside what cannot be read, and says which keys are missed.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_WALK_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_WALK_H_

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/salvage/salvage_pages.h"

namespace potoroo::engine {

// Keys from `low` on that are below `high`, or all from `low` on where it is open.
struct KeyRange {
  std::string low;
  std::string high;
  bool open = true;

  bool Holds(Bytes key) const { return key >= Bytes(low) && (open || key < Bytes(high)); }
  // Whether some key may lie in both this and what goes from `first` to `last`.
  bool Meets(Bytes first, Bytes last) const {
    return last >= Bytes(low) && (open || first < Bytes(high));
  }
};

// A page that is missed, and the keys that it had itself or below it.
struct Gap {
  uint32_t page;
  KeyRange range;
};

class SalvageWalk {
 public:
  // Pages of commits after `epoch` are not of this tree.
  SalvageWalk(const SalvagePages& pages, uint64_t epoch) : pages_(pages), epoch_(epoch) {}

  // The tree below that page; 0: an empty one.
  void Run(uint32_t root);
  // Sound leaves, in the order of their keys.
  const std::vector<uint32_t>& leaves() const { return leaves_; }
  const std::vector<Gap>& gaps() const { return gaps_; }
  // All sound pages.
  const std::unordered_set<uint32_t>& visited() const { return visited_; }

 private:
  void Visit(uint32_t number, int level, const KeyRange& range);
  void VisitChildren(Page page, const KeyRange& range);
  bool Fits(Page page, int level, const KeyRange& range) const;

  const SalvagePages& pages_;
  uint64_t epoch_;
  std::vector<uint32_t> leaves_;
  std::vector<Gap> gaps_;
  std::unordered_set<uint32_t> visited_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_WALK_H_
