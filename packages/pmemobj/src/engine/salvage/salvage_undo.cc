#include "engine/salvage/salvage_undo.h"

#include <algorithm>
#include <cstring>

namespace potoroo::engine {

void SalvageUndo::Load(const SalvagePages& pages, const SalvageTrees& trees, const RootSlot& slot,
                       uint64_t committed) {
  std::string area;
  PageCopy copy;
  for (const SalvageTree& tree : trees.trees()) {
    if (tree.name != kUndoMap) continue;
    for (uint32_t leaf : tree.leaves) {
      if (!pages.Load(leaf, &copy)) continue;
      for (uint32_t i = 0; i < copy.page().count(); i++) {
        std::string key, value;
        if (!pages.Key(copy.page(), i, &key)) continue;
        if (!pages.Value(copy.page().entry(i), &value)) continue;
        uint64_t number;
        if (key == kUndoArea) area = std::move(value);
        if (key != kUndoCommitted || value.size() != sizeof number) continue;
        memcpy(&number, value.data(), sizeof number);
        committed = std::max(committed, number);
      }
    }
  }
  UndoEntry entry, before;
  uint64_t at = 0;
  while (LoadUndoEntry(area, at, slot.undo_salt, committed, at == 0 ? nullptr : &before, &entry)) {
    ranges_.push_back({entry.place, area.substr(at + sizeof entry, entry.size)});
    at = AfterUndoEntry(at, entry.size);
    before = entry;
  }
}

void SalvageUndo::Apply(const BlobRef& ref, std::string* bytes) const {
  for (auto range = ranges_.rbegin(); range != ranges_.rend(); ++range) {
    if (range->place < ref.offset()) continue;
    uint64_t into = range->place - ref.offset();
    if (into > bytes->size() || range->bytes.size() > bytes->size() - into) continue;
    bytes->replace(into, range->bytes.size(), range->bytes);
  }
}

}  // namespace potoroo::engine
