// The trees of a damaged pool, as a root slot or a directory has them.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_TREES_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_TREES_H_

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/salvage/salvage_scan.h"
#include "engine/salvage/salvage_walk.h"
#include "engine/space/superblock.h"

namespace potoroo::engine {

struct SalvageTree {
  std::string name;
  std::vector<uint32_t> leaves;
  std::vector<Gap> gaps;
  std::unordered_set<uint32_t> visited;
};

class SalvageTrees {
 public:
  explicit SalvageTrees(const SalvagePages& pages) : pages_(&pages) {}

  // All that a slot leads to.
  void Load(const RootSlot& slot);
  // Adds maps that a directory names which nothing leads to any more: the latest that can be found,
  // unless an older one leads much further. Only those that are not known yet.
  void AddLost(const FoundPages& found);
  bool Has(const std::string& name) const;
  // Whether maps may be missing.
  bool maps_lost() const { return maps_lost_; }
  bool whole() const;
  uint64_t epoch() const { return epoch_; }
  std::vector<SalvageTree>& trees() { return trees_; }
  const std::vector<SalvageTree>& trees() const { return trees_; }
  // Returns the pages of all trees, and of the directory.
  std::unordered_set<uint32_t> Reachable() const;
  // Whether the page can be a part of the directory: every entry names a map that is known, or
  // leads to a page.
  bool IsDirectory(uint32_t number, const FoundPages& found) const;

 private:
  struct Root {
    std::string name;
    uint32_t page;
  };
  std::vector<Root> ReadDirectory(const std::vector<uint32_t>& leaves, bool* whole) const;
  bool IsRoot(uint32_t number, const FoundPages& found) const;
  SalvageTree Walk(const Root& root) const;
  SalvageTree WalkBest(const std::string& name, const std::vector<uint32_t>& roots) const;

  const SalvagePages* pages_;
  uint64_t epoch_ = UINT64_MAX;
  bool maps_lost_ = true;
  std::unordered_set<uint32_t> directory_;
  std::vector<SalvageTree> trees_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_TREES_H_
