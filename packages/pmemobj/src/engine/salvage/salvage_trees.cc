#include "engine/salvage/salvage_trees.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "engine/tree/walk.h"

namespace potoroo::engine {
namespace {

// Roots that are tried of a map that nothing leads to.
constexpr size_t kTried = 16;

bool ReadMap(const SalvagePages& pages, Page page, uint32_t index, std::string* name,
             DirectoryValue* value) {
  PageEntry entry = page.entry(index);
  if ((entry.flags & (kEntryValueBlob | kEntryBuffer)) || entry.payload.size() != sizeof *value) {
    return false;
  }
  memcpy(value, entry.payload.data(), sizeof *value);
  return value->reserved == 0 && pages.Key(page, index, name) && !name->empty() &&
         name->size() <= 255;
}

}  // namespace

std::vector<SalvageTrees::Root> SalvageTrees::ReadDirectory(const std::vector<uint32_t>& leaves,
                                                            bool* whole) const {
  std::vector<Root> roots;
  PageCopy copy;
  for (uint32_t leaf : leaves) {
    if (!pages_->Load(leaf, &copy)) continue;
    for (uint32_t i = 0; i < copy.page().count(); i++) {
      Root root;
      DirectoryValue value;
      if (ReadMap(*pages_, copy.page(), i, &root.name, &value)) {
        root.page = value.root;
        roots.push_back(std::move(root));
      } else {
        *whole = false;
      }
    }
  }
  return roots;
}

SalvageTree SalvageTrees::Walk(const Root& root) const {
  SalvageWalk walk(*pages_, epoch_);
  walk.Run(root.page);
  return {root.name, walk.leaves(), walk.gaps(), walk.visited()};
}

bool SalvageTrees::Has(const std::string& name) const {
  return std::any_of(trees_.begin(), trees_.end(),
                     [&](const SalvageTree& tree) { return tree.name == name; });
}

void SalvageTrees::Load(const RootSlot& slot) {
  epoch_ = slot.epoch;
  SalvageWalk walk(*pages_, epoch_);
  walk.Run(slot.directory);
  directory_ = walk.visited();
  bool whole = walk.gaps().empty();
  trees_.clear();
  for (const Root& root : ReadDirectory(walk.leaves(), &whole)) trees_.push_back(Walk(root));
  maps_lost_ = !whole;
}

bool SalvageTrees::whole() const {
  return !maps_lost_ && std::all_of(trees_.begin(), trees_.end(),
                                    [](const SalvageTree& tree) { return tree.gaps.empty(); });
}

std::unordered_set<uint32_t> SalvageTrees::Reachable() const {
  std::unordered_set<uint32_t> all = directory_;
  for (const SalvageTree& tree : trees_) all.insert(tree.visited.begin(), tree.visited.end());
  return all;
}

bool SalvageTrees::IsRoot(uint32_t number, const FoundPages& found) const {
  return found.count(number) > 0 ||
         std::any_of(trees_.begin(), trees_.end(),
                     [&](const SalvageTree& tree) { return tree.visited.count(number) > 0; });
}

bool SalvageTrees::IsDirectory(uint32_t number, const FoundPages& found) const {
  PageCopy copy;
  if (!pages_->Load(number, &copy) || copy.page().level() != 0) return false;
  // The root of a map that is known may be lost.
  bool names = true, roots = true, any = false;
  for (uint32_t i = 0; i < copy.page().count(); i++) {
    std::string name;
    DirectoryValue value;
    if (!ReadMap(*pages_, copy.page(), i, &name, &value)) return false;
    names = names && Has(name);
    roots = roots && (value.root == 0 || IsRoot(value.root, found));
    any = any || value.root != 0;
  }
  return names || (roots && any);
}

// The latest root, unless an older one leads much further.
SalvageTree SalvageTrees::WalkBest(const std::string& name,
                                   const std::vector<uint32_t>& roots) const {
  SalvageTree best = Walk({name, roots[0]});
  for (size_t i = 1; i < roots.size(); i++) {
    SalvageTree tree = Walk({name, roots[i]});
    if (tree.leaves.size() > 2 * best.leaves.size()) best = std::move(tree);
  }
  return best;
}

void SalvageTrees::AddLost(const FoundPages& found) {
  std::vector<std::pair<uint64_t, uint32_t>> directories;  // epoch, page
  for (const auto& [number, page] : found) {
    if (IsDirectory(number, found)) directories.emplace_back(page.epoch, number);
  }
  std::sort(directories.rbegin(), directories.rend());
  std::map<std::string, std::vector<uint32_t>> roots;  // the latest first
  bool whole = true;
  for (const auto& [epoch, number] : directories) {
    for (const Root& root : ReadDirectory({number}, &whole)) {
      std::vector<uint32_t>& all = roots[root.name];
      bool there = std::find(all.begin(), all.end(), root.page) != all.end();
      if (all.size() < kTried && !there && !Has(root.name)) all.push_back(root.page);
    }
  }
  for (const auto& [name, all] : roots) {
    if (!all.empty()) trees_.push_back(WalkBest(name, all));
  }
}

}  // namespace potoroo::engine
