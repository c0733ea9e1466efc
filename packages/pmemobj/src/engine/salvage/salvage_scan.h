// Finds pages that nothing leads to, by looking at all bytes of a pool.
//
// A page says which place it has, so a copy of it elsewhere is none. But users may store whole
// pages as values, and guess where those will lie. So a page that was found counts only if no sound
// reference says that its place is a value's:
//
// - a block holds pages or values, never both: the blocks of a value to which a tree leads have no
//   pages;
// - a page that was found may itself refer to values. If such a value is as the reference says, no
//   page lies in it, unless the page that refers to it lies in a value, too.
//
// Nothing tells what a deleted value has left from a page. So if two pages have the same key, one
// in a block of which a tree leads to other pages wins over one of which that is not known.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_SCAN_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_SCAN_H_

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/salvage/salvage_pages.h"

namespace potoroo::engine {

struct FoundPage {
  uint64_t epoch;
  uint32_t level;
  bool sure;  // a tree leads to another page of its block
};
using FoundPages = std::unordered_map<uint32_t, FoundPage>;

// Returns where the files begin in the pool, by what the pages in them say: parts may be missing,
// cut short, or have each other's names.
std::vector<uint64_t> FindFileStarts(const PoolReader& reader);

class SalvageScan {
 public:
  explicit SalvageScan(const SalvagePages& pages);

  // Pages that trees lead to: they count, and so does what they say of values.
  void AddReachable(const std::unordered_set<uint32_t>& numbers);
  // Bytes that hold neither pages nor values.
  void AddLog(uint64_t offset, uint64_t size);
  bool IsValue(uint64_t offset) const;
  // Looks at what is left. Pages of commits after `epoch` are none.
  FoundPages Run(uint64_t epoch);

 private:
  using EachReference = std::function<void(const BlobRef& ref, bool buffer)>;
  void References(uint32_t number, const EachReference& each) const;
  void MarkValue(const BlobRef& ref);
  void MarkBlocks(uint64_t from, uint64_t to);
  void ScanFile(size_t file, uint64_t epoch, FoundPages* found) const;
  void DropForged(FoundPages* found) const;

  const SalvagePages& pages_;
  std::unordered_set<uint32_t> reachable_;
  std::vector<bool> value_blocks_, page_blocks_;
  std::vector<std::pair<uint64_t, uint64_t>> objects_;  // of big values: from, to
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_SCAN_H_
