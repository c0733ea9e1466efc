// Makes pages of entries.
#ifndef POTOROO_ENGINE_TREE_PAGE_WRITER_H_
#define POTOROO_ENGINE_TREE_PAGE_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/page.h"
#include "engine/tree/page_builder.h"
#include "engine/tree/transaction.h"

namespace potoroo::engine {

// An entry on its way into a page. Its bytes lie in old pages, in the arena of the transaction or
// in the caller's operations.
struct NewEntry {
  // The part of the key in the page (all of it, unless the key is long): head, then tail.
  Bytes head;
  Bytes tail;
  const char* key_blob = nullptr;
  Bytes payload;       // of a leaf's entry
  uint32_t child = 0;  // of an inner page's
  uint16_t flags = 0;
  bool fresh = false;        // written by this transaction; inner: the child was, and then
  uint16_t child_size = 0;   // the child's header says so: reading back what has just been
  uint16_t child_count = 0;  // written would wait for it to arrive in memory
  uint64_t child_entries = kNotKnown;  // of a fresh child: see EntriesOf

  size_t key_size() const { return head.size() + tail.size(); }
};

NewEntry EntryOf(Page page, uint32_t index);

// A page in the place of another one, as its parent has to refer to it.
struct NewChild {
  uint32_t number;
  uint16_t flags;  // kEntryChildHasBlobs
  int more;        // how many entries it has more than the other one: -1, 0 or 1
};

// A page below this is joined with a neighbour where both fit into one.
inline constexpr size_t kUnderfull = kPageSize / 4;

// No page loses that many.
inline constexpr uint64_t kMoreNotKnown = uint64_t{1} << 63;

class PageWriter {
 public:
  explicit PageWriter(Transaction* transaction) : transaction_(transaction) {}

  // Bytes of a page with these entries.
  static size_t Size(uint32_t level, const NewEntry* entries, size_t count);

  // Whether Insert can put an entry with this key and `payload` bytes of payload at `index`, or in
  // the place of the entry there.
  bool HasRoom(Page page, uint32_t index, bool replace, Bytes key, size_t payload) const;

  // Copies a leaf with one more entry, or one replaced, without looking at the others.
  Code Insert(Page page, uint32_t index, bool replace, const NewEntry& entry, NewChild* child);

  // Whether a leaf is not underfull without an entry; and writes it so.
  static bool CanSpare(Page page, uint32_t index);
  Code Remove(Page page, uint32_t index, NewChild* child);

  // Copies an inner page in which one child has another number, other flags or other entries.
  Code Repoint(Page page, uint32_t index, const NewChild& kid, NewChild* child);

  // Copies an inner page whose children at these places are others, under the same keys. All
  // children together have `more` entries than before; or fewer, as numbers wrap; or kMoreNotKnown.
  Code Patch(Page page, const uint32_t* places, const NewEntry* kids, size_t count, uint64_t more,
             const NewEntry& self, std::vector<NewEntry>* out);

  // Writes as many pages in the place of one as the entries need (at least one entry, all with its
  // level).
  Code Replace(Page page, const NewEntry* entries, size_t count, const NewEntry& self,
               std::vector<NewEntry>* out);

  // Writes as many pages as the entries need (at least one entry) and appends to `out` how their
  // parent refers to them; the first one under the key of `self`.
  Code Write(uint32_t level, const NewEntry* entries, size_t count, const NewEntry& self,
             std::vector<NewEntry>* out);

 private:
  bool CountEntries(uint32_t level, const NewEntry* kids, size_t count, uint64_t* entries) const;
  Code WriteOne(uint32_t number, uint32_t level, const NewEntry* entries, size_t count,
                NewEntry parent, std::vector<NewEntry>* out);
  Code WriteMany(uint32_t level, const NewEntry* entries, size_t count, size_t total,
                 const NewEntry& self, std::vector<NewEntry>* out);
  void CountUnknown(PageHeader* header, Page page) const;
  void Store(char* image, const PageHeader& header);
  Code Finish(const PageHeader& header, NewEntry parent, std::vector<NewEntry>* out);
  Code Separate(const NewEntry& left, const NewEntry& right, NewEntry* separator);
  bool Whole(const NewEntry& entry, std::string* buffer, Bytes* key);

  Transaction* transaction_;
  std::string left_, right_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_PAGE_WRITER_H_
