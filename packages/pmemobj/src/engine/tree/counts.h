// How many entries there are, in logarithmic time: inner pages say how many are below them.
#ifndef POTOROO_ENGINE_TREE_COUNTS_H_
#define POTOROO_ENGINE_TREE_COUNTS_H_

#include <cstdint>

#include "engine/base/page.h"
#include "engine/tree/store.h"

namespace potoroo::engine {

// Counts the entries with keys below `key`, or all of them where it is nullptr. `root`: 0 of an
// empty tree. `known` is false where pages do not say it: an earlier engine wrote them.
Code CountBelow(const Store& store, uint32_t root, const Bytes* key, uint64_t* count, bool* known);

// Finds the child of an inner page that the entry lies below which comes `*skip` entries after the
// first one of child `index`, or backwards as many before its last one. `*skip` becomes what is
// left of it there, and `index` the page's count where the page has no such entry. False: not
// known, or damaged, which `code` tells.
bool SkipChildren(const Store& store, Page page, bool forward, uint32_t* index, uint64_t* skip,
                  Code* code);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_COUNTS_H_
