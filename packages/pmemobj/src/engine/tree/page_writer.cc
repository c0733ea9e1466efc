#include "engine/tree/page_writer.h"

#include <algorithm>

namespace potoroo::engine {
namespace {

constexpr size_t kSlotSize = PageBuilder::kSlotSize, kFrame = PageBuilder::kFrame;

size_t CommonLength(Bytes a, Bytes b, size_t limit) {
  size_t size = std::min({a.size(), b.size(), limit}), i = 0;
  while (i < size && a[i] == b[i]) i++;
  return i;
}

size_t CommonLength(const NewEntry& a, const NewEntry& b) {
  char left[kMaxPrefix], right[kMaxPrefix];
  auto fill = [](const NewEntry& entry, char* to) {
    size_t head = std::min(entry.head.size(), kMaxPrefix);
    if (head > 0) memcpy(to, entry.head.data(), head);
    size_t tail = std::min(entry.tail.size(), kMaxPrefix - head);
    if (tail > 0) memcpy(to + head, entry.tail.data(), tail);
    return Bytes(to, head + tail);
  };
  return CommonLength(fill(a, left), fill(b, right), kMaxPrefix);
}

// The entries of a page are in order, so what the first and the last one share, all do.
size_t PrefixLength(uint32_t level, const NewEntry* entries, size_t count) {
  size_t first = level > 0 ? 1 : 0;
  if (count <= first) return 0;
  return CommonLength(entries[first], entries[count - 1]);
}

// Bytes of an entry without its key.
size_t FixedSize(uint32_t level, const NewEntry& entry) {
  return kSlotSize + 2 + (entry.key_blob != nullptr ? sizeof(BlobRef) : 0) +
         (level > 0 ? 4 : entry.payload.size());
}

size_t EntrySize(uint32_t level, const NewEntry& entry, size_t prefix) {
  return FixedSize(level, entry) + entry.key_size() - prefix;
}

size_t FirstSize(uint32_t level, const NewEntry& entry, size_t prefix) {
  return level > 0 ? kSlotSize + 2 + 4 : EntrySize(level, entry, prefix);
}

void CopySuffix(char* to, const NewEntry& entry, size_t prefix) {
  if (prefix < entry.head.size()) {
    memcpy(to, entry.head.data() + prefix, entry.head.size() - prefix);
    to += entry.head.size() - prefix;
    prefix = entry.head.size();
  }
  size_t skip = prefix - entry.head.size();
  if (skip < entry.tail.size()) memcpy(to, entry.tail.data() + skip, entry.tail.size() - skip);
}

// The first `size` bytes of a key.
void CopyPrefix(char* to, const NewEntry& entry, size_t size) {
  size_t head = std::min(entry.head.size(), size);
  if (head > 0) memcpy(to, entry.head.data(), head);
  if (size > head) memcpy(to + head, entry.tail.data(), size - head);
}

// Adds an entry and its slot. A bare one has no key: the first of an inner page.
inline void AddEntry(PageBuilder* page, uint32_t level, const NewEntry& entry, size_t prefix,
                     bool bare) {
  const size_t length = bare ? 0 : entry.key_size() - prefix, offset = page->size();
  const char* key_blob = bare ? nullptr : entry.key_blob;
  uint16_t flags = entry.flags & ~kEntryKeyBlob;
  if (key_blob != nullptr) flags |= kEntryKeyBlob;
  if (level == 0 && (flags & (kEntryValueBlob | kEntryKeyBlob))) page->AddFlags(kPageHasBlobs);
  page->AppendMeta(flags, length);
  char* suffix = page->Extend(length);
  if (length > 0) CopySuffix(suffix, entry, prefix);
  page->AddSlot(KeyHead(suffix, length), offset);
  if (key_blob != nullptr) page->Append(key_blob, sizeof(BlobRef));
  if (level > 0) {
    page->Append(&entry.child, sizeof entry.child);
  } else {
    page->Append(entry.payload.data(), entry.payload.size());
  }
}

NewChild ChildOf(const PageHeader& header, int more) {
  return {header.number, header.flags & kPageHasBlobs ? kEntryChildHasBlobs : uint16_t{0}, more};
}

// Counts on from what a page has had.
void AddEntries(PageHeader* header, uint64_t before, uint64_t more) {
  SetEntries(header, before == kNotKnown || more == kMoreNotKnown ? kNotKnown : before + more);
}

// Lets an entry of an inner page lead to another child. `image` has the entries of `page`.
void Refer(Page page, char* image, uint32_t index, uint32_t child, uint16_t flags) {
  char* entry = image + page.offsets()[index];
  uint16_t meta;
  memcpy(&meta, entry, 2);
  meta &= kEntryLength | kEntryKeyBlob;
  meta |= flags & ~kEntryKeyBlob;
  memcpy(entry, &meta, 2);
  // The child is the last thing in an entry.
  memcpy(image + page.offsets()[index + 1] - 4, &child, 4);
}

}  // namespace

NewEntry EntryOf(Page page, uint32_t index) {
  PageEntry old = page.entry(index);
  NewEntry entry;
  if (page.level() == 0 || index > 0) entry.head = page.prefix();
  entry.tail = old.suffix;
  entry.key_blob = old.key_blob;
  entry.flags = old.flags;
  if (page.level() > 0) {
    entry.child = old.child();
  } else {
    entry.payload = old.payload;
  }
  return entry;
}

size_t PageWriter::Size(uint32_t level, const NewEntry* entries, size_t count) {
  size_t prefix = PrefixLength(level, entries, count);
  size_t size = kFrame + prefix + FirstSize(level, entries[0], prefix);
  for (size_t i = 1; i < count; i++) size += EntrySize(level, entries[i], prefix);
  return size;
}

Code PageWriter::Replace(Page page, const NewEntry* entries, size_t count, const NewEntry& self,
                         std::vector<NewEntry>* out) {
  size_t total = Size(page.level(), entries, count);
  uint32_t number;
  if (total <= transaction_->store()->page_room()) {
    if (!transaction_->Succeed(page, &number)) return Code::kNoSpace;
    return WriteOne(number, page.level(), entries, count, self, out);
  }
  // Not in place: the entries' bytes lie in the page, and are needed for all of its successors.
  transaction_->RetirePage(page.header().number, page.header().epoch);
  return WriteMany(page.level(), entries, count, total, self, out);
}

Code PageWriter::Write(uint32_t level, const NewEntry* entries, size_t count, const NewEntry& self,
                       std::vector<NewEntry>* out) {
  size_t total = Size(level, entries, count);
  if (total > transaction_->store()->page_room()) {
    return WriteMany(level, entries, count, total, self, out);
  }
  uint32_t number;
  if (!transaction_->NewPageNumber(&number)) return Code::kNoSpace;
  return WriteOne(number, level, entries, count, self, out);
}

Code PageWriter::WriteMany(uint32_t level, const NewEntry* entries, size_t count, size_t total,
                           const NewEntry& self, std::vector<NewEntry>* out) {
  // Pages of even size, so that each has room for more; but where keys arrive in order, the room
  // would never be used: then all pages but the last are full.
  size_t prefix = PrefixLength(level, entries, count);
  size_t room = transaction_->store()->page_room() - kFrame - prefix;
  size_t pages = (total + room - 1) / room;
  bool ascending = entries[count - 1].fresh;
  size_t target = ascending ? room : std::min(room, (total + pages - 1) / pages);
  NewEntry parent = self;
  for (size_t from = 0; from < count;) {
    size_t size = FirstSize(level, entries[from], prefix), to = from + 1;
    while (to < count) {
      size_t more = EntrySize(level, entries[to], prefix);
      if (size + more > room || (size >= target && !ascending)) break;
      size += more;
      to++;
    }
    uint32_t number;
    if (!transaction_->NewPageNumber(&number)) return Code::kNoSpace;
    Code code = WriteOne(number, level, entries + from, to - from, parent, out);
    if (code != Code::kOk) return code;
    if (to < count) {
      if (level > 0) {
        parent = NewEntry();
        parent.head = entries[to].head;
        parent.tail = entries[to].tail;
        parent.key_blob = entries[to].key_blob;
      } else {
        code = Separate(entries[to - 1], entries[to], &parent);
        if (code != Code::kOk) return code;
      }
    }
    from = to;
  }
  return Code::kOk;
}

Code PageWriter::WriteOne(uint32_t number, uint32_t level, const NewEntry* entries, size_t count,
                          NewEntry parent, std::vector<NewEntry>* out) {
  const size_t prefix = PrefixLength(level, entries, count);
  PageHeader header{};
  header.number = number;
  header.count = static_cast<uint16_t>(count);
  header.level = static_cast<uint8_t>(level);
  header.prefix = static_cast<uint16_t>(prefix);
  header.epoch = transaction_->epoch();
  alignas(8) char image[kPageSize];
  PageBuilder page(image, header);
  if (prefix > 0) CopyPrefix(page.Extend(prefix), entries[level > 0 ? 1 : 0], prefix);
  for (size_t i = 0; i < count; i++)
    AddEntry(&page, level, entries[i], prefix, level > 0 && i == 0);
  header = page.Finish();
  uint64_t below = kNotKnown;
  if (level > 0 && !CountEntries(level, entries, count, &below)) return Code::kCorrupt;
  SetEntries(&header, below);
  Store(image, header);
  return Finish(header, parent, out);
}

// The entries below an inner page with these. False where a child is damaged.
bool PageWriter::CountEntries(uint32_t level, const NewEntry* kids, size_t count,
                              uint64_t* entries) const {
  const engine::Store& store = *transaction_->store();
  for (size_t i = 0; i < count; i++) {
    if (!kids[i].fresh) store.PrefetchHeader(kids[i].child);
  }
  uint64_t sum = 0;
  bool known = true;
  for (size_t i = 0; i < count && known; i++) {
    uint64_t more = kids[i].child_entries;
    if (!kids[i].fresh) {
      const PageHeader* header = store.LoadHeader(kids[i].child, level - 1);
      if (header == nullptr) return false;
      more = EntriesOf(*header);
    }
    sum += more;
    known = more != kNotKnown;
  }
  *entries = known ? sum : kNotKnown;
  return true;
}

// Counts what is below an inner page that an engine wrote which did not count, where all of its
// children tell now. They are as in `page`.
void PageWriter::CountUnknown(PageHeader* header, Page page) const {
  if (EntriesOf(*header) != kNotKnown) return;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < header->count; i++) {
    const PageHeader* child = transaction_->store()->LoadHeader(page.child(i), header->level - 1u);
    const uint64_t entries = child == nullptr ? kNotKnown : EntriesOf(*child);
    if (entries == kNotKnown) return;
    sum += entries;
  }
  SetEntries(header, sum);
}

void PageWriter::Store(char* image, const PageHeader& header) {
  memcpy(image, &header, sizeof header);
  transaction_->WritePage(header.number, image, header.size);
}

Code PageWriter::Finish(const PageHeader& header, NewEntry parent, std::vector<NewEntry>* out) {
  parent.child = header.number;
  parent.flags = header.flags & kPageHasBlobs ? kEntryChildHasBlobs : 0;
  parent.fresh = true;
  parent.child_size = header.size;
  parent.child_count = header.count;
  parent.child_entries = EntriesOf(header);
  out->push_back(parent);
  return Code::kOk;
}

bool PageWriter::HasRoom(Page page, uint32_t index, bool replace, Bytes key, size_t payload) const {
  Bytes prefix = page.prefix();
  if (key.size() > kMaxInlineKey || key.substr(0, prefix.size()) != prefix) return false;
  size_t size = page.header().size + 2 + key.size() - prefix.size() + payload;
  size += replace ? 0 : kSlotSize;
  size -= replace ? page.offsets()[index + 1] - page.offsets()[index] : 0;
  return size <= transaction_->store()->page_room();
}

Code PageWriter::Insert(Page page, uint32_t index, bool replace, const NewEntry& entry,
                        NewChild* child) {
  PageHeader header = page.header();
  const uint16_t* old = page.offsets();
  const uint32_t kept = replace ? 1 : 0;  // what follows moves on by one place, or by none
  const uint32_t after = index + kept;
  if (!transaction_->Succeed(page, &header.number)) return Code::kNoSpace;
  header.epoch = transaction_->epoch();
  header.count = static_cast<uint16_t>(header.count + 1 - kept);
  if (entry.flags & kEntryValueBlob) header.flags |= kPageHasBlobs;
  const Bytes suffix = entry.tail.substr(header.prefix);
  const size_t size = 2 + suffix.size() + entry.payload.size();
  const size_t slots = (1 - kept) * kSlotSize;

  alignas(8) char image[kPageSize];
  PageBuilder next(image, header);
  next.CopySlots(page, 0, index, slots);
  next.AddSlot(KeyHead(suffix.data(), suffix.size()), old[index] + slots);
  next.CopySlots(page, after, page.count() - after, slots + size - (old[after] - old[index]));

  const char* from = page.prefix().data();
  next.Append(from, static_cast<size_t>(page.data() + old[index] - from));
  next.AppendMeta(entry.flags, suffix.size());
  next.Append(suffix.data(), suffix.size());
  next.Append(entry.payload.data(), entry.payload.size());
  next.Append(page.data() + old[after], page.header().size - old[after]);
  header = next.Finish();
  Store(image, header);
  *child = ChildOf(header, replace ? 0 : 1);
  return Code::kOk;
}

bool PageWriter::CanSpare(Page page, uint32_t index) {
  size_t entry = kSlotSize + page.offsets()[index + 1] - page.offsets()[index];
  return page.count() > 1 && page.header().size - entry >= kUnderfull;
}

Code PageWriter::Remove(Page page, uint32_t index, NewChild* child) {
  PageHeader header = page.header();
  const uint16_t* old = page.offsets();
  if (!transaction_->Succeed(page, &header.number)) return Code::kNoSpace;
  header.epoch = transaction_->epoch();
  const size_t count = --header.count;

  alignas(8) char image[kPageSize];
  PageBuilder next(image, header);
  next.CopySlots(page, 0, index, -kSlotSize);
  next.CopySlots(page, index + 1, count - index, old[index] - old[index + 1] - kSlotSize);

  const char* from = page.prefix().data();
  next.Append(from, static_cast<size_t>(page.data() + old[index] - from));
  next.Append(page.data() + old[index + 1], page.header().size - old[index + 1]);
  header = next.Finish();
  Store(image, header);
  *child = ChildOf(header, -1);
  return Code::kOk;
}

Code PageWriter::Repoint(Page page, uint32_t index, const NewChild& kid, NewChild* child) {
  PageHeader header = page.header();
  const uint64_t before = EntriesOf(header);
  if (!transaction_->Succeed(page, &header.number)) return Code::kNoSpace;
  header.epoch = transaction_->epoch();
  AddEntries(&header, before, static_cast<uint64_t>(kid.more));
  *child = ChildOf(header, kid.more);
  char* to = transaction_->PageAt(header.number);
  if (to == page.data()) {
    Refer(page, to, index, kid.number, kid.flags);
    CountUnknown(&header, page);
    memcpy(to, &header, sizeof header);
    transaction_->SetDirty(header.number);
    return Code::kOk;
  }
  alignas(8) char image[kPageSize];
  memcpy(image, page.data(), header.size);
  Refer(page, image, index, kid.number, kid.flags);
  CountUnknown(&header, Page(image));
  Store(image, header);
  return Code::kOk;
}

Code PageWriter::Patch(Page page, const uint32_t* places, const NewEntry* kids, size_t count,
                       uint64_t more, const NewEntry& self, std::vector<NewEntry>* out) {
  alignas(8) char image[kPageSize];
  PageHeader header = page.header();
  const uint64_t before = EntriesOf(header);
  if (!transaction_->Succeed(page, &header.number)) return Code::kNoSpace;
  header.epoch = transaction_->epoch();
  AddEntries(&header, before, more);
  memcpy(image, page.data(), header.size);
  for (size_t i = 0; i < count; i++) Refer(page, image, places[i], kids[i].child, kids[i].flags);
  CountUnknown(&header, Page(image));
  Store(image, header);
  return Finish(header, self, out);
}

bool PageWriter::Whole(const NewEntry& entry, std::string* buffer, Bytes* key) {
  if (entry.key_blob != nullptr) {
    return transaction_->store()->LoadBlob(BlobRef::Load(entry.key_blob), key);
  }
  buffer->assign(entry.head);
  buffer->append(entry.tail);
  *key = *buffer;
  return true;
}

// The shortest key that is above `left` and not above `right`.
Code PageWriter::Separate(const NewEntry& left, const NewEntry& right, NewEntry* separator) {
  Bytes low, high;
  if (!Whole(left, &left_, &low) || !Whole(right, &right_, &high)) return Code::kCorrupt;
  Bytes key = high.substr(0, CommonLength(low, high, high.size()) + 1);
  *separator = NewEntry();
  if (key.size() <= kMaxInlineKey) {
    separator->tail = transaction_->arena()->Keep(key);
    return Code::kOk;
  }
  separator->tail = transaction_->arena()->Keep(key.substr(0, kLongKeyHead));
  BlobRef ref;
  if (!transaction_->NewBlob(key, &ref)) return Code::kNoSpace;
  separator->key_blob =
      transaction_->arena()->Keep({reinterpret_cast<const char*>(&ref), sizeof ref}).data();
  return Code::kOk;
}

}  // namespace potoroo::engine
