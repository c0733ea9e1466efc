// Applying one point where it changes one leaf, and above it nothing but numbers of pages: most
// puts and deletes. Anything else is left to the general way.
#include "engine/tree/search.h"
#include "engine/tree/tree_writer.h"

namespace potoroo::engine {

Code TreeWriter::ApplyPoint(const Point& point, uint32_t* root) {
  bool done = false;
  if (*root != 0) {
    Code code = TryPoint(point, root, &done);
    if (code != Code::kOk || done) return code;
  }
  point_edits_.points.assign(1, point);
  return ApplyTogether(point_edits_, root);
}

Code TreeWriter::TryPoint(const Point& point, uint32_t* root, bool* done) {
  const char* data = store_->LoadPage(*root);
  if (data == nullptr) return Code::kCorrupt;
  const uint32_t top = Page(data).level();
  for (uint32_t level = top; level > 0; level--) {
    Page page(data);
    Place place = FindChild(*store_, page, point.key);
    if (!place.ok) return Code::kCorrupt;
    path_[level] = {data, place.index};
    data = store_->LoadPage(page.child(place.index), level - 1);
    if (data == nullptr) return Code::kCorrupt;
  }
  NewChild child{};
  Page leaf(data);
  Code code = point.put ? TryPut(leaf, point, &child, done) : TryDelete(leaf, point, &child, done);
  if (code != Code::kOk || child.number == 0) return code;
  return Climb(child, top, root);
}

Code TreeWriter::TryPut(Page leaf, const Point& point, NewChild* child, bool* done) {
  Place place = LowerBound(*store_, leaf, point.key);
  if (!place.ok) return Code::kCorrupt;
  size_t payload = point.value.size();
  if (payload > (point.buffer ? 0 : kMaxInlineValue)) payload = sizeof(BlobRef);
  *done = writer_.HasRoom(leaf, place.index, place.exact, point.key, payload);
  if (!*done) return Code::kOk;
  Entries& entries = kids_[0];
  entries.clear();
  Code code = AddPut(point, &entries);
  if (code != Code::kOk) return code;
  if (place.exact) RetireEntry(leaf.entry(place.index));
  return writer_.Insert(leaf, place.index, place.exact, entries[0], child);
}

Code TreeWriter::TryDelete(Page leaf, const Point& point, NewChild* child, bool* done) {
  Place place = LowerBound(*store_, leaf, point.key);
  if (!place.ok) return Code::kCorrupt;
  *done = !place.exact || PageWriter::CanSpare(leaf, place.index);
  if (!place.exact || !*done) return Code::kOk;
  RetireEntry(leaf.entry(place.index));
  return writer_.Remove(leaf, place.index, child);
}

// Climbs the path until a page may stay as it is.
Code TreeWriter::Climb(NewChild child, uint32_t top, uint32_t* root) {
  for (uint32_t level = 1; level <= top; level++) {
    const Step& step = path_[level];
    Page page(step.page);
    uint16_t flags = page.entry(step.index).flags & kEntryChildHasBlobs;
    const bool counts = child.more != 0 && EntriesOf(page.header()) != kNotKnown;
    if (page.child(step.index) == child.number && flags == child.flags && !counts) {
      return Code::kOk;
    }
    NewChild next;
    Code code = writer_.Repoint(page, step.index, child, &next);
    if (code != Code::kOk) return code;
    child = next;
  }
  *root = child.number;
  return Code::kOk;
}

}  // namespace potoroo::engine
