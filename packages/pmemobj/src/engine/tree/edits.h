// A group of operations, brought into the form in which a tree takes it: one edit a key, in order.
#ifndef POTOROO_ENGINE_TREE_EDITS_H_
#define POTOROO_ENGINE_TREE_EDITS_H_

#include <cstdint>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

struct Point {
  Bytes key;
  Bytes value;
  bool put;             // else: delete
  bool buffer = false;  // to put, as Operation::Kind::kPutBuffer
};

struct Range {
  Bytes from;
  Bytes to;
  bool open;  // to the end of the map; `to` is empty
};

// Old entries inside of a range go; then points are applied (also those inside of ranges).
struct Edits {
  std::vector<Point> points;  // ascending, one a key
  std::vector<Range> ranges;  // ascending, disjoint

  bool Covered(Bytes key) const;
  // `high` is where the interval ends; `no_high`: it does not.
  bool Covers(Bytes low, Bytes high, bool no_high) const;
  bool Overlaps(Bytes low, Bytes high, bool no_high) const;
};

// Returns the point of an operation, except one on a range.
Point PointOf(const Operation& operation);

// The operations on one map, given as pointers in the order in which they were made.
void CollectEdits(std::vector<const Operation*>* operations, Edits* edits);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_EDITS_H_
