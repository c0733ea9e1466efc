#include "engine/tree/counts.h"

#include "engine/tree/search.h"

namespace potoroo::engine {
namespace {

// The entries of one child. False where it is damaged; kNotKnown.
bool CountChild(const Store& store, Page page, uint32_t index, uint64_t* entries) {
  const PageHeader* header = store.LoadHeader(page.child(index), page.level() - 1);
  if (header == nullptr) return false;
  *entries = EntriesOf(*header);
  return true;
}

// The entries of the children from `from` to before `to`, of which there are some. False where one
// is damaged; kNotKnown.
bool CountChildren(const Store& store, Page page, uint32_t from, uint32_t to, uint64_t* entries) {
  for (uint32_t i = from; i < to; i++) store.PrefetchHeader(page.child(i));
  uint64_t sum = 0;
  for (uint32_t i = from; i < to; i++) {
    uint64_t more;
    if (!CountChild(store, page, i, &more)) return false;
    if (more == kNotKnown) {
      *entries = kNotKnown;
      return true;
    }
    sum += more;
  }
  *entries = sum;
  return true;
}

// The entries of the children before one: counted from the nearer end.
Code CountBefore(const Store& store, Page page, uint32_t index, uint64_t* count, bool* known) {
  *count = 0;
  if (index == 0) return Code::kOk;
  const uint64_t all = EntriesOf(page.header());
  const bool backwards = index > page.count() / 2 && all != kNotKnown;
  uint64_t sum;
  if (!CountChildren(store, page, backwards ? index : 0, backwards ? page.count() : index, &sum)) {
    return Code::kCorrupt;
  }
  *known = sum != kNotKnown;
  if (backwards && sum > all) return Code::kCorrupt;
  *count = backwards ? all - sum : sum;
  return Code::kOk;
}

}  // namespace

Code CountBelow(const Store& store, uint32_t root, const Bytes* key, uint64_t* count, bool* known) {
  *count = 0;
  *known = true;
  if (root == 0) return Code::kOk;
  const char* data = store.LoadPage(root);
  if (data == nullptr) return Code::kCorrupt;
  if (key == nullptr) {
    Page page(data);
    *count = EntriesOf(page.header());
    const bool asks = *count == kNotKnown;
    if (asks && !CountChildren(store, page, 0, page.count(), count)) return Code::kCorrupt;
    *known = *count != kNotKnown;
    return Code::kOk;
  }
  while (Page(data).level() > 0) {
    Page page(data);
    Place place = FindChild(store, page, *key);
    if (!place.ok) return Code::kCorrupt;
    uint64_t before;
    Code code = CountBefore(store, page, place.index, &before, known);
    if (code != Code::kOk || !*known) return code;
    *count += before;
    data = store.LoadPage(page.child(place.index), page.level() - 1);
    if (data == nullptr) return Code::kCorrupt;
  }
  Place place = LowerBound(store, Page(data), *key);
  if (!place.ok) return Code::kCorrupt;
  *count += place.index;
  return Code::kOk;
}

bool SkipChildren(const Store& store, Page page, bool forward, uint32_t* index, uint64_t* skip,
                  Code* code) {
  // One before the first is above all numbers.
  const uint32_t step = forward ? 1 : ~uint32_t{0}, count = page.count();
  for (uint32_t i = *index; i < count; i += step) store.PrefetchHeader(page.child(i));
  for (; *index < count; *index += step) {
    uint64_t entries;
    if (!CountChild(store, page, *index, &entries)) {
      *code = Code::kCorrupt;
      return false;
    }
    if (entries == kNotKnown) return false;
    if (*skip < entries) return true;
    *skip -= entries;
  }
  *index = count;
  return true;
}

}  // namespace potoroo::engine
