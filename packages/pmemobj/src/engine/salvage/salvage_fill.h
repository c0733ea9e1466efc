// Finds out which map the leaves belong to that nothing leads to, and what of them counts.
//
// Most of them are what later commits have replaced. So a leaf can only bring back keys of a gap: a
// page of a tree that is missed. Which tree it is follows from other pages that were found, and
// that led to the leaf and to others; else it must be clear from the keys.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_FILL_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_FILL_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/salvage/salvage_trees.h"

namespace potoroo::engine {

class SalvageFill {
 public:
  // Whether what leads to the leaves of that tree has such a key.
  using Has = std::function<bool(size_t tree, Bytes key)>;
  using Each = std::function<void(Page page, uint32_t index, const std::string& key)>;

  SalvageFill(const SalvagePages& pages, const SalvageTrees& trees, const FoundPages& found,
              Has has)
      : pages_(pages), trees_(trees), found_(found), has_(std::move(has)) {}

  void Run();
  // Leaves for the gaps of each tree.
  const std::vector<std::vector<uint32_t>>& leaves() const { return leaves_; }
  // Leaves of no tree that is known, those of one tree together as far as can be told.
  const std::vector<std::vector<uint32_t>>& groups() const { return groups_; }
  // The entries of leaves that lie in one of the gaps, the latest for each key. A key that a later
  // leaf lacks between its first and last key was deleted.
  void Entries(std::vector<uint32_t> leaves, const std::vector<Gap>& gaps, const Each& each) const;

 private:
  struct Span {
    std::string first, last;
  };
  static constexpr size_t kNone = SIZE_MAX, kSeveral = SIZE_MAX - 1;

  void Link();
  void LinkChildren(uint32_t number);
  uint32_t Find(uint32_t number);
  size_t TreeOf(uint32_t number);
  bool SpanOf(Page page, Span* span) const;
  size_t Place(uint32_t number);
  size_t PlaceByKeys(Page page, const std::set<size_t>& candidates) const;
  bool IsKnown(Page page) const;
  void SortByAge(std::vector<uint32_t>* numbers) const;
  void Group(const std::vector<uint32_t>& rest);
  size_t GroupOf(uint32_t number, Page page, const Span& span);

  const SalvagePages& pages_;
  const SalvageTrees& trees_;
  const FoundPages& found_;
  Has has_;
  std::unordered_map<uint32_t, uint32_t> parents_;                // union-find
  std::unordered_map<uint32_t, std::map<size_t, size_t>> votes_;  // by component, for a tree
  std::unordered_map<uint32_t, size_t> owners_;                   // reachable page, its tree
  std::vector<std::vector<uint32_t>> leaves_, groups_;
  std::unordered_map<uint32_t, size_t> group_of_;                               // by component
  std::vector<std::map<std::string, std::pair<std::string, uint32_t>>> spans_;  // of each group
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_FILL_H_
