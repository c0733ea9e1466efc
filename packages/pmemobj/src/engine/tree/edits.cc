#include "engine/tree/edits.h"

#include <algorithm>

namespace potoroo::engine {
namespace {

bool IsRange(const Operation* op) { return op->kind == Operation::Kind::kDeleteRange; }

bool Holds(const Operation* range, Bytes key) {
  return range->key <= key && (range->value.empty() || key < range->value);
}

// Ascending and disjoint.
void CollectRanges(const std::vector<const Operation*>& operations, std::vector<Range>* ranges) {
  std::vector<Range> all;
  for (const Operation* op : operations) {
    if (!IsRange(op)) continue;
    if (op->value.empty() || op->key < op->value)
      all.push_back({op->key, op->value, op->value.empty()});
  }
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.from < b.from; });
  for (const Range& range : all) {
    if (ranges->empty() || !(ranges->back().open || range.from <= ranges->back().to)) {
      ranges->push_back(range);
    } else if (Range& last = ranges->back(); !last.open && (range.open || last.to < range.to)) {
      last.to = range.to;
      last.open = range.open;
    }
  }
}

}  // namespace

bool Edits::Covered(Bytes key) const {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), key,
                                [](Bytes k, const Range& range) { return k < range.from; });
  if (after == ranges.begin()) return false;
  --after;
  return after->open || key < after->to;
}

bool Edits::Covers(Bytes low, Bytes high, bool no_high) const {
  for (const Range& range : ranges) {
    if (range.from <= low && (range.open || (!no_high && high <= range.to))) return true;
  }
  return false;
}

bool Edits::Overlaps(Bytes low, Bytes high, bool no_high) const {
  for (const Range& range : ranges) {
    if ((no_high || range.from < high) && (range.open || low < range.to)) return true;
  }
  return false;
}

Point PointOf(const Operation& operation) {
  bool buffer = operation.kind == Operation::Kind::kPutBuffer;
  return {operation.key, operation.value, buffer || operation.kind == Operation::Kind::kPut,
          buffer};
}

void CollectEdits(std::vector<const Operation*>* operations, Edits* edits) {
  edits->points.clear();
  edits->ranges.clear();
  bool with_ranges = std::any_of(operations->begin(), operations->end(), IsRange);
  if (with_ranges) {
    CollectRanges(*operations, &edits->ranges);
    // A range undoes the points before it that it holds. Walking back from the last operation,
    // each point need only be held against the ranges met so far.
    std::vector<const Operation*> later, points;
    for (auto op = operations->rbegin(); op != operations->rend(); ++op) {
      if (IsRange(*op)) {
        later.push_back(*op);
      } else if (std::none_of(later.begin(), later.end(),
                              [&](const Operation* range) { return Holds(range, (*op)->key); })) {
        points.push_back(*op);
      }
    }
    std::reverse(points.begin(), points.end());
    operations->swap(points);
  }
  std::vector<const Operation*>& points = *operations;
  auto less = [](const Operation* a, const Operation* b) { return a->key < b->key; };
  if (!std::is_sorted(points.begin(), points.end(), less)) {
    std::stable_sort(points.begin(), points.end(), less);
  }
  edits->points.reserve(points.size());
  for (const Operation* op : points) {
    Point point = PointOf(*op);
    if (!edits->points.empty() && edits->points.back().key == op->key) {
      edits->points.back() = point;
    } else {
      edits->points.push_back(point);
    }
  }
}

}  // namespace potoroo::engine
