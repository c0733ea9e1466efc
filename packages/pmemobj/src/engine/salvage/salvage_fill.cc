#include "engine/salvage/salvage_fill.h"

#include <algorithm>
#include <tuple>

namespace potoroo::engine {

void SalvageFill::Run() {
  leaves_.resize(trees_.trees().size());
  Link();
  std::vector<uint32_t> rest;
  for (const auto& [number, page] : found_) {
    if (page.level > 0) continue;
    size_t tree = Place(number);
    if (tree == kSeveral) {
      rest.push_back(number);
    } else if (tree != kNone) {
      leaves_[tree].push_back(number);
    }
  }
  Group(rest);
}

// Pages that an inner page led to, when it was written, are of one tree.
void SalvageFill::Link() {
  for (size_t i = 0; i < trees_.trees().size(); i++) {
    for (uint32_t number : trees_.trees()[i].visited) owners_[number] = i;
  }
  for (const auto& [number, page] : found_) {
    if (page.level > 0) LinkChildren(number);
  }
}

void SalvageFill::LinkChildren(uint32_t number) {
  PageCopy copy, below;
  if (!pages_.Load(number, &copy)) return;
  Page page = copy.page();
  KeyRange range;
  for (uint32_t i = 0; i < page.count(); i++) {
    range.open = i + 1 == page.count();
    std::string next;
    if (!range.open && !pages_.Key(page, i + 1, &next)) return;
    range.high = next;
    uint32_t child = page.child(i);
    auto owner = owners_.find(child);
    bool known = owner != owners_.end() || found_.count(child) > 0;
    Span span;
    bool fits = known && pages_.Load(child, &below) && below.page().level() + 1 == page.level();
    if (fits && SpanOf(below.page(), &span)) {
      fits = range.Holds(span.first) && range.Holds(span.last);
    }
    range.low = next;
    if (!fits) continue;
    if (owner != owners_.end()) {
      votes_[Find(number)][owner->second]++;
    } else if (uint32_t a = Find(number), b = Find(child); a != b) {
      for (const auto& [tree, count] : votes_[b]) votes_[a][tree] += count;
      parents_[b] = a;
    }
  }
}

uint32_t SalvageFill::Find(uint32_t number) {
  for (auto parent = parents_.find(number); parent != parents_.end();
       parent = parents_.find(number)) {
    // The way is half as long for the next one.
    auto above = parents_.find(parent->second);
    if (above != parents_.end()) parent->second = above->second;
    number = parent->second;
  }
  return number;
}

size_t SalvageFill::TreeOf(uint32_t number) {
  auto votes = votes_.find(Find(number));
  if (votes == votes_.end() || votes->second.empty()) return kNone;
  size_t best = kNone, most = 0, all = 0;
  for (const auto& [tree, count] : votes->second) {
    all += count;
    if (count > most) best = tree, most = count;
  }
  // A page may be given to another tree, and be taken for the one that was there before.
  return most * 4 > all * 3 ? best : kSeveral;
}

bool SalvageFill::SpanOf(Page page, Span* span) const {
  bool any = false;
  std::string key;
  for (uint32_t i = page.level() > 0 ? 1 : 0; i < page.count(); i++) {
    if (!pages_.Key(page, i, &key)) continue;
    if (!any || key < span->first) span->first = key;
    if (!any || key > span->last) span->last = key;
    any = true;
  }
  return any;
}

// The tree whose gaps a leaf may fill; kNone: it was replaced, or cannot be read; kSeveral: it is a
// part of something that is not known.
size_t SalvageFill::Place(uint32_t number) {
  PageCopy copy;
  Span span;
  if (!pages_.Load(number, &copy) || !SpanOf(copy.page(), &span)) return kNone;
  if (trees_.IsDirectory(number, found_)) return kNone;
  std::set<size_t> candidates;
  for (size_t i = 0; i < trees_.trees().size(); i++) {
    for (const Gap& gap : trees_.trees()[i].gaps) {
      if (gap.range.Meets(span.first, span.last)) candidates.insert(i);
    }
  }
  size_t tree = TreeOf(number);
  if (tree < trees_.trees().size()) return candidates.count(tree) > 0 ? tree : kNone;
  if (candidates.empty()) return trees_.maps_lost() && !IsKnown(copy.page()) ? kSeveral : kNone;
  return PlaceByKeys(copy.page(), candidates);
}

// Two maps may have the same keys, and what a map has now says little of what it had: so no other
// tree must have had room for the leaf, or have one of its keys.
size_t SalvageFill::PlaceByKeys(Page page, const std::set<size_t>& candidates) const {
  if (candidates.size() > 1 || trees_.maps_lost()) return kSeveral;
  const size_t candidate = *candidates.begin();
  std::string key;
  for (size_t tree = 0; tree < trees_.trees().size(); tree++) {
    for (uint32_t i = 0; i < page.count(); i++) {
      if (tree != candidate && pages_.Key(page, i, &key) && has_(tree, key)) return kSeveral;
    }
  }
  return candidate;
}

bool SalvageFill::IsKnown(Page page) const {
  std::string key;
  for (size_t tree = 0; tree < trees_.trees().size(); tree++) {
    for (uint32_t i = 0; i < page.count(); i++) {
      if (pages_.Key(page, i, &key) && has_(tree, key)) return true;
    }
  }
  return false;
}

// The one that is to be believed rather comes first.
void SalvageFill::SortByAge(std::vector<uint32_t>* numbers) const {
  auto rank = [&](uint32_t number) {
    const FoundPage& page = found_.at(number);
    return std::make_tuple(!page.sure, ~page.epoch, number);
  };
  std::sort(numbers->begin(), numbers->end(),
            [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
}

void SalvageFill::Group(const std::vector<uint32_t>& rest) {
  std::vector<uint32_t> sorted = rest;
  SortByAge(&sorted);
  PageCopy copy;
  for (uint32_t number : sorted) {
    Span span;
    if (!pages_.Load(number, &copy) || !SpanOf(copy.page(), &span)) continue;
    size_t group = GroupOf(number, copy.page(), span);
    groups_[group].push_back(number);
    spans_[group].emplace(span.first, std::make_pair(span.last, number));
  }
}

// Leaves that pages led to together; else the first group in which nothing lies where this one
// does, or an entry of the same key.
size_t SalvageFill::GroupOf(uint32_t number, Page page, const Span& span) {
  auto known = group_of_.find(Find(number));
  if (known != group_of_.end()) return known->second;
  for (size_t group = 0; group < groups_.size(); group++) {
    auto after = spans_[group].upper_bound(span.last);
    bool meets = after != spans_[group].begin() && std::prev(after)->second.first >= span.first;
    bool shares = false;
    std::string key;
    PageCopy theirs;
    if (meets && pages_.Load(std::prev(after)->second.second, &theirs)) {
      std::set<std::string> keys;
      for (uint32_t i = 0; i < theirs.page().count(); i++) {
        if (pages_.Key(theirs.page(), i, &key)) keys.insert(key);
      }
      for (uint32_t i = 0; i < page.count() && !shares; i++) {
        shares = pages_.Key(page, i, &key) && keys.count(key) > 0;
      }
    }
    if (!meets || shares) return group_of_[Find(number)] = group;
  }
  groups_.emplace_back();
  spans_.emplace_back();
  return group_of_[Find(number)] = groups_.size() - 1;
}

void SalvageFill::Entries(std::vector<uint32_t> leaves, const std::vector<Gap>& gaps,
                          const Each& each) const {
  SortByAge(&leaves);
  std::map<std::string, std::string> covered;  // from, to
  PageCopy copy;
  std::string key;
  for (uint32_t number : leaves) {
    Span span;
    if (!pages_.Load(number, &copy) || !SpanOf(copy.page(), &span)) continue;
    for (uint32_t i = 0; i < copy.page().count(); i++) {
      if (!pages_.Key(copy.page(), i, &key)) continue;
      auto after = covered.upper_bound(key);
      if (after != covered.begin() && std::prev(after)->second >= key) continue;
      bool missed = gaps.empty() || std::any_of(gaps.begin(), gaps.end(), [&](const Gap& gap) {
                      return gap.range.Holds(key);
                    });
      if (missed) each(copy.page(), i, key);
    }
    // Spans that it lies over become one with it.
    auto next = covered.upper_bound(span.last);
    while (next != covered.begin() && std::prev(next)->second >= span.first) {
      --next;
      span.first = std::min(span.first, next->first);
      span.last = std::max(span.last, next->second);
      next = covered.erase(next);
    }
    covered[span.first] = span.last;
  }
}

}  // namespace potoroo::engine
