#include "engine/tree/search.h"

#include <algorithm>

namespace potoroo::engine {
namespace {

// The key without the page's prefix, or where the whole page lies of it.
struct Suffix {
  int side;  // -1: the key is below every entry, 1: above every entry, 0: it shares the prefix
  Bytes rest;
  uint32_t head;
};

Suffix WithoutPrefix(Page page, Bytes key) {
  Bytes prefix = page.prefix();
  size_t common = std::min(prefix.size(), key.size());
  int order = key.compare(0, common, prefix, 0, common);
  if (order != 0) return {order < 0 ? -1 : 1, {}, 0};
  if (key.size() < prefix.size()) return {-1, {}, 0};
  Bytes rest = key.substr(prefix.size());
  return {0, rest, KeyHead(rest.data(), rest.size())};
}

// Less than, equal to or greater than 0 as the entry's key is to the searched one. Heads are equal.
bool CompareEntry(const Store& store, Page page, uint32_t index, Bytes key, Bytes rest,
                  int* order) {
  PageEntry entry = page.entry(index);
  if (entry.key_blob == nullptr) {
    *order = entry.suffix.compare(rest);
    return true;
  }
  *order = entry.suffix.compare(rest.substr(0, entry.suffix.size()));
  if (*order != 0) return true;
  Bytes whole;
  if (!store.LoadBlob(BlobRef::Load(entry.key_blob), &whole)) return false;
  *order = whole.compare(key);
  return true;
}

Place Search(const Store& store, Page page, Bytes key, uint32_t from) {
  Suffix suffix = WithoutPrefix(page, key);
  if (suffix.side < 0) return {true, false, from};
  if (suffix.side > 0) return {true, false, page.count()};
  const uint32_t* heads = page.heads();
  uint32_t low = from, high = page.count();
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    int order = heads[middle] < suffix.head ? -1 : 1;
    if (heads[middle] == suffix.head) {
      if (!CompareEntry(store, page, middle, key, suffix.rest, &order)) return {false, false, 0};
      if (order == 0) return {true, true, middle};
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {true, false, low};
}

}  // namespace

Place LowerBound(const Store& store, Page page, Bytes key, uint32_t from) {
  return Search(store, page, key, from);
}

Place FindChild(const Store& store, Page page, Bytes key, uint32_t from) {
  Place place = Search(store, page, key, std::max(from, 1u));
  if (!place.exact) place.index--;
  return place;
}

bool WholeKey(const Store& store, Page page, uint32_t index, std::string* buffer, Bytes* key) {
  PageEntry entry = page.entry(index);
  if (entry.key_blob != nullptr) return store.LoadBlob(BlobRef::Load(entry.key_blob), key);
  if (page.level() > 0 && index == 0) {
    *key = {};
    return true;
  }
  Bytes prefix = page.prefix();
  if (prefix.empty()) {
    *key = entry.suffix;
    return true;
  }
  buffer->assign(prefix);
  buffer->append(entry.suffix);
  *key = *buffer;
  return true;
}

bool LoadValue(const Store& store, const PageEntry& entry, Bytes* value) {
  if (!(entry.flags & kEntryValueBlob)) {
    *value = entry.payload;
    return true;
  }
  if (entry.flags & kEntryBuffer) {
    return store.LoadBuffer(BlobRef::Load(entry.payload.data()), value);
  }
  return store.LoadBlob(BlobRef::Load(entry.payload.data()), value);
}

Code FindEntry(const Store& store, uint32_t root, Bytes key, PageEntry* entry) {
  if (root == 0) return Code::kNotFound;
  const char* data = store.LoadPage(root);
  while (data != nullptr) {
    Page page(data);
    if (page.level() == 0) {
      Place place = LowerBound(store, page, key);
      if (!place.ok) return Code::kCorrupt;
      if (!place.exact) return Code::kNotFound;
      *entry = page.entry(place.index);
      return Code::kOk;
    }
    Place place = FindChild(store, page, key);
    if (!place.ok) return Code::kCorrupt;
    data = store.LoadPage(page.child(place.index), page.level() - 1);
  }
  return Code::kCorrupt;
}

Code Lookup(const Store& store, uint32_t root, Bytes key, Bytes* value) {
  PageEntry entry;
  Code code = FindEntry(store, root, key, &entry);
  if (code != Code::kOk) return code;
  return LoadValue(store, entry, value) ? Code::kOk : Code::kCorrupt;
}

}  // namespace potoroo::engine
