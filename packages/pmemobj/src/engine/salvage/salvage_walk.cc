#include "engine/salvage/salvage_walk.h"

namespace potoroo::engine {

void SalvageWalk::Run(uint32_t root) {
  if (root != 0) Visit(root, -1, {});
}

void SalvageWalk::Visit(uint32_t number, int level, const KeyRange& range) {
  PageCopy copy;
  if (!pages_.Load(number, &copy) || !Fits(copy.page(), level, range) ||
      !visited_.insert(number).second) {
    gaps_.push_back({number, range});
  } else if (copy.page().level() == 0) {
    leaves_.push_back(number);
  } else {
    VisitChildren(copy.page(), range);
  }
}

// A sound page may still be another than the one that was there: where a write was lost, or where
// the tree is an old one, whose page has been given to somebody else.
bool SalvageWalk::Fits(Page page, int level, const KeyRange& range) const {
  if (page.header().epoch > epoch_) return false;
  if (level >= 0 && page.level() != static_cast<uint32_t>(level)) return false;
  std::string key, last;
  bool any = false;
  for (uint32_t i = page.level() > 0 ? 1 : 0; i < page.count(); i++) {
    if (!pages_.Key(page, i, &key)) continue;
    if (!range.Holds(key) || (any && key <= last)) return false;
    last.swap(key);
    any = true;
  }
  return true;
}

void SalvageWalk::VisitChildren(Page page, const KeyRange& range) {
  KeyRange child = range;
  for (uint32_t i = 0; i < page.count(); i++) {
    // A key between two children that cannot be told leaves both with the range of both.
    std::string next;
    uint32_t known = i + 1;
    while (known < page.count() && !pages_.Key(page, known, &next)) known++;
    child.open = known == page.count() && range.open;
    child.high = known == page.count() ? range.high : next;
    Visit(page.child(i), static_cast<int>(page.level()) - 1, child);
    if (known == i + 1) child.low = next;
  }
}

}  // namespace potoroo::engine
