#include "engine/tree/tree_writer.h"

#include <algorithm>

#include "engine/tree/search.h"

namespace potoroo::engine {
namespace {

// From this level of the root on, hardly two points of a batch are on the same leaf.
constexpr uint32_t kSparseLevel = 2;
// Whether a parent that refers to a child as `before`, which had `entries`, may leave it at that.
bool Same(const NewEntry& before, uint64_t entries, const NewEntry& now) {
  return now.child == before.child && ((now.flags ^ before.flags) & kEntryChildHasBlobs) == 0 &&
         !(now.fresh && (now.child_size < kUnderfull || now.child_entries != entries));
}

const Point* FirstAtLeast(const Point* begin, const Point* end, Bytes key) {
  return std::lower_bound(begin, end, key,
                          [](const Point& point, Bytes k) { return point.key < k; });
}

}  // namespace

Code TreeWriter::Apply(const Edits& edits, uint32_t* root) {
  bool sparse = false;
  if (edits.ranges.empty() && *root != 0) {
    const char* data = store_->LoadPage(*root);
    if (data == nullptr) return Code::kCorrupt;
    sparse = edits.points.size() <= Page(data).count() || Page(data).level() >= kSparseLevel;
  }
  if (!sparse) return ApplyTogether(edits, root);
  for (const Point& point : edits.points) {
    Code code = ApplyPoint(point, root);
    if (code != Code::kOk) return code;
  }
  return Code::kOk;
}

Code TreeWriter::ApplyTogether(const Edits& edits, uint32_t* root) {
  edits_ = &edits;
  Points points{edits.points.data(), edits.points.data() + edits.points.size()};
  Entries top;
  NewEntry self;
  uint32_t level = 0;
  if (*root == 0) {
    Entries& entries = kids_[0];
    entries.clear();
    for (const Point* point = points.begin; point < points.end; point++) {
      if (!point->put) continue;
      Code code = AddPut(*point, &entries);
      if (code != Code::kOk) return code;
    }
    if (entries.empty()) return Code::kOk;
    Code code = writer_.Write(0, entries.data(), entries.size(), self, &top);
    if (code != Code::kOk) return code;
  } else {
    const char* data = store_->LoadPage(*root);
    if (data == nullptr) return Code::kCorrupt;
    Page page(data);
    level = page.level();
    self.child = *root;
    Code code = ApplyPage(page, self, points, {{}, {}, true}, &top);
    if (code != Code::kOk) return code;
  }
  return Finish(&top, level, root);
}

// Grows or cuts the tree at its top until there is one root.
Code TreeWriter::Finish(Entries* top, uint32_t level, uint32_t* root) {
  while (top->size() > 1) {
    if (level == kMaxLevel) return Code::kInvalid;
    Entries kids;
    kids.swap(*top);
    Code code = writer_.Write(++level, kids.data(), kids.size(), NewEntry(), top);
    if (code != Code::kOk) return code;
  }
  if (top->empty()) {
    *root = 0;
    return Code::kOk;
  }
  const NewEntry& only = (*top)[0];
  uint32_t number = only.child;
  if (!only.fresh && number == *root) return Code::kOk;
  if (only.fresh && (level == 0 || only.child_count > 1)) {
    *root = number;
    return Code::kOk;
  }
  for (;;) {
    const char* data = store_->LoadPage(number, level);
    if (data == nullptr) return Code::kCorrupt;
    Page page(data);
    if (level == 0 || page.count() > 1) break;
    Retire(page);
    number = page.child(0);
    level--;
  }
  *root = number;
  return Code::kOk;
}

Code TreeWriter::ApplyPage(Page page, const NewEntry& self, Points points, const Bounds& bounds,
                           Entries* out) {
  if (page.level() == 0) return ApplyLeaf(page, self, points, out);
  return ApplyInner(page, self, points, bounds, out);
}

Code TreeWriter::AddPut(const Point& point, Entries* entries) {
  NewEntry entry;
  entry.fresh = true;
  BlobRef ref;
  auto keep = [&] {
    return transaction_->arena()->Keep({reinterpret_cast<const char*>(&ref), sizeof ref});
  };
  if (point.key.size() <= kMaxInlineKey) {
    entry.tail = point.key;
  } else {
    if (!transaction_->NewBlob(point.key, &ref)) return Code::kNoSpace;
    entry.tail = point.key.substr(0, kLongKeyHead);
    entry.key_blob = keep().data();
  }
  if (point.buffer) entry.flags |= kEntryBuffer;
  if (point.buffer && !point.value.empty()) {
    if (!transaction_->NewBuffer(point.value, &ref)) return Code::kNoSpace;
    entry.payload = keep();
    entry.flags |= kEntryValueBlob;
  } else if (point.value.size() <= kMaxInlineValue) {
    entry.payload = point.value;
  } else {
    if (!transaction_->NewBlob(point.value, &ref)) return Code::kNoSpace;
    entry.payload = keep();
    entry.flags |= kEntryValueBlob;
  }
  entries->push_back(entry);
  return Code::kOk;
}

void TreeWriter::RetireEntry(const PageEntry& entry) {
  RetireKey(entry.key_blob);
  if (!(entry.flags & kEntryValueBlob)) return;
  BlobRef ref = BlobRef::Load(entry.payload.data());
  entry.flags& kEntryBuffer ? transaction_->RetireBuffer(ref) : transaction_->RetireBlob(ref);
}

Code TreeWriter::CopyLeafRun(Page page, uint32_t from, uint32_t to, Entries* entries,
                             bool* changed) {
  bool ranges = !edits_->ranges.empty();
  std::string buffer;
  for (uint32_t i = from; i < to; i++) {
    if (ranges) {
      Bytes key;
      if (!WholeKey(*store_, page, i, &buffer, &key)) return Code::kCorrupt;
      if (edits_->Covered(key)) {
        RetireEntry(page.entry(i));
        *changed = true;
        continue;
      }
    }
    entries->push_back(EntryOf(page, i));
  }
  return Code::kOk;
}

Code TreeWriter::ApplyLeaf(Page page, const NewEntry& self, Points points, Entries* out) {
  Entries& entries = kids_[0];
  entries.clear();
  bool changed = false;
  uint32_t index = 0;
  for (const Point* point = points.begin; point < points.end; point++) {
    Place place = LowerBound(*store_, page, point->key, index);
    if (!place.ok) return Code::kCorrupt;
    Code code = CopyLeafRun(page, index, place.index, &entries, &changed);
    if (code != Code::kOk) return code;
    index = place.index;
    if (place.exact) {
      RetireEntry(page.entry(index++));
      changed = true;
    }
    if (point->put) {
      code = AddPut(*point, &entries);
      if (code != Code::kOk) return code;
      changed = true;
    }
  }
  Code code = CopyLeafRun(page, index, page.count(), &entries, &changed);
  if (code != Code::kOk) return code;
  if (!changed) {
    out->push_back(self);
    return Code::kOk;
  }
  if (!entries.empty()) return writer_.Replace(page, entries.data(), entries.size(), self, out);
  Retire(page);
  return Code::kOk;
}

Code TreeWriter::ApplyInner(Page page, const NewEntry& self, Points points, const Bounds& bounds,
                            Entries* out) {
  if (edits_->ranges.empty()) return ApplyTouched(page, self, points, out);
  Entries* kids = &kids_[page.level()];
  kids->clear();
  bool changed = false;
  Code code = VisitAll(page, points, bounds, kids, &changed);
  if (code != Code::kOk) return code;
  if (changed) return WriteInner(page, self, kids, out);
  out->push_back(self);
  return Code::kOk;
}

Code TreeWriter::WriteInner(Page page, const NewEntry& self, Entries* kids, Entries* out) {
  Code code = MergeUnderfull(page.level() - 1, kids);
  if (code != Code::kOk) return code;
  if (kids->empty()) {
    Retire(page);
    return code;
  }
  // The first key of a page is not stored.
  RetireKey(kids->front().key_blob);
  kids->front().key_blob = nullptr;
  return writer_.Replace(page, kids->data(), kids->size(), self, out);
}

// Mostly each child gives way to one other, and only their numbers change in the page.
Code TreeWriter::ApplyTouched(Page page, const NewEntry& self, Points points, Entries* out) {
  uint32_t level = page.level();
  Entries& kids = kids_[level];
  const std::vector<Visit>& visits = visits_[level];
  bool changed = false;
  Code code = VisitTouched(page, points, &kids, &changed);
  if (code != Code::kOk) return code;
  if (!changed) {
    out->push_back(self);
    return Code::kOk;
  }
  if (OneForOne(kids, visits)) {
    places_.clear();
    for (const Visit& visit : visits) places_.push_back(visit.index);
    const uint64_t more = MoreEntries(kids, visits);
    return writer_.Patch(page, places_.data(), kids.data(), kids.size(), more, self, out);
  }
  Entries all;
  all.reserve(page.count() + kids.size());
  uint32_t index = 0;
  size_t kid = 0;
  for (const Visit& visit : visits) {
    for (; index < visit.index; index++) all.push_back(EntryOf(page, index));
    for (; kid < visit.end; kid++) all.push_back(kids[kid]);
    index++;
  }
  for (; index < page.count(); index++) all.push_back(EntryOf(page, index));
  return WriteInner(page, self, &all, out);
}

bool TreeWriter::OneForOne(const Entries& kids, const std::vector<Visit>& visits) const {
  if (kids.size() != visits.size()) return false;
  for (size_t i = 0; i < visits.size(); i++) {
    if (visits[i].end != i + 1) return false;
    if (kids[i].fresh && kids[i].child_size < kUnderfull) {
      return false;
    }
  }
  return true;
}

// Returns how many entries the kids have more than the children before them, or kMoreNotKnown.
uint64_t TreeWriter::MoreEntries(const Entries& kids, const std::vector<Visit>& visits) const {
  uint64_t more = 0;
  for (size_t i = 0; i < kids.size(); i++) {
    if (!kids[i].fresh) continue;
    if (kids[i].child_entries == kNotKnown || visits[i].entries == kNotKnown) return kMoreNotKnown;
    more += kids[i].child_entries - visits[i].entries;
  }
  return more;
}

// Visits only the children under which points belong.
Code TreeWriter::VisitTouched(Page page, Points points, Entries* kids, bool* changed) {
  std::vector<Visit>& visits = visits_[page.level()];
  kids->clear();
  visits.clear();
  uint32_t index = 0;
  std::string buffer;
  while (points.begin < points.end) {
    Place place = FindChild(*store_, page, points.begin->key, index);
    if (!place.ok) return Code::kCorrupt;
    index = place.index;
    const Point* end = points.end;
    if (index + 1 < page.count() && points.begin + 1 < points.end) {
      Bytes next;
      if (!WholeKey(*store_, page, index + 1, &buffer, &next)) return Code::kCorrupt;
      end = FirstAtLeast(points.begin + 1, points.end, next);
    } else if (index + 1 < page.count()) {
      end = points.begin + 1;
    }
    uint64_t entries;
    Code code =
        ApplyChild(page, index, {points.begin, end}, {{}, {}, true}, kids, changed, &entries);
    if (code != Code::kOk) return code;
    points.begin = end;
    visits.push_back({index++, kids->size(), entries});
  }
  return Code::kOk;
}

// Visits all children, each against the ranges. A child that lies in a range as a whole is dropped
// unread.
Code TreeWriter::VisitAll(Page page, Points points, const Bounds& bounds, Entries* kids,
                          bool* changed) {
  std::string low_buffer, high_buffer;
  Bounds child{bounds.low, {}, false};
  for (uint32_t i = 0; i < page.count(); i++) {
    child.high = bounds.high;
    child.no_high = bounds.no_high;
    if (i + 1 < page.count()) {
      if (!WholeKey(*store_, page, i + 1, &high_buffer, &child.high)) return Code::kCorrupt;
      child.no_high = false;
    }
    const Point* end =
        child.no_high ? points.end : FirstAtLeast(points.begin, points.end, child.high);
    bool touched = points.begin < end;
    if (!touched && edits_->Covers(child.low, child.high, child.no_high)) {
      PageEntry entry = page.entry(i);
      Code code = DropPage(entry.child(), page.level() - 1, entry.flags & kEntryChildHasBlobs);
      if (code != Code::kOk) return code;
      RetireKey(entry.key_blob);
      *changed = true;
    } else if (touched || edits_->Overlaps(child.low, child.high, child.no_high)) {
      uint64_t entries;
      Code code = ApplyChild(page, i, {points.begin, end}, child, kids, changed, &entries);
      if (code != Code::kOk) return code;
    } else {
      kids->push_back(EntryOf(page, i));
    }
    points.begin = end;
    // A key in a blob stays where it is; one in the buffer moves over.
    bool buffered = child.high.data() == high_buffer.data();
    low_buffer.swap(high_buffer);
    child.low = buffered ? Bytes(low_buffer) : child.high;
  }
  return Code::kOk;
}

Code TreeWriter::ApplyChild(Page page, uint32_t index, Points points, const Bounds& bounds,
                            Entries* kids, bool* changed, uint64_t* entries) {
  NewEntry self = EntryOf(page, index);
  const char* data = store_->LoadPage(self.child, page.level() - 1);
  if (data == nullptr) return Code::kCorrupt;
  size_t before = kids->size();
  // It may be changed in place.
  *entries = EntriesOf(Page(data).header());
  Code code = ApplyPage(Page(data), self, points, bounds, kids);
  if (code != Code::kOk) return code;
  if (kids->size() == before) RetireKey(self.key_blob);
  *changed = *changed || kids->size() != before + 1 || !Same(self, *entries, kids->back());
  return Code::kOk;
}

}  // namespace potoroo::engine
