// Finding keys in pages.
#ifndef POTOROO_ENGINE_TREE_SEARCH_H_
#define POTOROO_ENGINE_TREE_SEARCH_H_

#include <string>

#include "engine/base/page.h"
#include "engine/tree/store.h"

namespace potoroo::engine {

// A place in a page. `ok` is false where a long key's blob is damaged.
struct Place {
  bool ok;
  bool exact;
  uint32_t index;
};

// The first entry with a key >= `key`, among those from `from` on; count() if there is none.
// `skip_first`: an inner page, whose first entry stands for less than everything.
Place LowerBound(const Store& store, Page page, Bytes key, uint32_t from = 0);

// The child of an inner page under which `key` belongs.
Place FindChild(const Store& store, Page page, Bytes key, uint32_t from = 0);

// The whole key of an entry: points into the page, into a blob, or into `buffer`.
bool WholeKey(const Store& store, Page page, uint32_t index, std::string* buffer, Bytes* key);

// The value of a leaf's entry.
bool LoadValue(const Store& store, const PageEntry& entry, Bytes* value);

// The leaf's entry with that key, from a tree's root (0: an empty tree).
Code FindEntry(const Store& store, uint32_t root, Bytes key, PageEntry* entry);

// Finds its value, too.
Code Lookup(const Store& store, uint32_t root, Bytes key, Bytes* value);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_SEARCH_H_
