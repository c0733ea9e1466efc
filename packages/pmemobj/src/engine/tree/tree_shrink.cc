// Trees that shrink: pages that are merged, and those that are given up.
#include "engine/tree/tree_writer.h"

namespace potoroo::engine {
namespace {

// Pages that are merged keep some room, so that the next insertion does not split them again.
constexpr size_t kMergedSize = kPageSize * 7 / 8;

}  // namespace

Code TreeWriter::MergeUnderfull(uint32_t level, Entries* kids) {
  for (size_t i = 0; i < kids->size() && kids->size() > 1;) {
    const NewEntry& kid = (*kids)[i];
    bool merged = false;
    if (kid.fresh && kid.child_size < kUnderfull) {
      size_t left = i > 0 ? i - 1 : 0;
      Code code = Merge(level, kids, left, &merged);
      if (code != Code::kOk) return code;
      if (!merged && i > 0 && i + 1 < kids->size()) {
        code = Merge(level, kids, left = i, &merged);
        if (code != Code::kOk) return code;
      }
      if (merged) i = left;
    }
    if (!merged) i++;
  }
  return Code::kOk;
}

// Joins the pages of kids `left` and `left` + 1 where they fit into one.
Code TreeWriter::Merge(uint32_t level, Entries* kids, size_t left, bool* merged) {
  NewEntry& a = (*kids)[left];
  NewEntry& b = (*kids)[left + 1];
  const char* data_a = store_->LoadPage(a.child, level);
  const char* data_b = store_->LoadPage(b.child, level);
  if (data_a == nullptr || data_b == nullptr) return Code::kCorrupt;
  Page page_a(data_a), page_b(data_b);
  if (page_a.header().size + page_b.header().size - sizeof(PageHeader) > kMergedSize) {
    return Code::kOk;
  }
  merging_.clear();
  for (uint32_t i = 0; i < page_a.count(); i++) merging_.push_back(EntryOf(page_a, i));
  for (uint32_t i = 0; i < page_b.count(); i++) merging_.push_back(EntryOf(page_b, i));
  if (level > 0) {
    // The right page's first key is the one that its parent has.
    NewEntry& first = merging_[page_a.count()];
    first.head = b.head;
    first.tail = b.tail;
    first.key_blob = b.key_blob;
  }
  if (PageWriter::Size(level, merging_.data(), merging_.size()) > kMergedSize) return Code::kOk;
  Entries out;
  Code code = writer_.Write(level, merging_.data(), merging_.size(), a, &out);
  if (code != Code::kOk) return code;
  if (level == 0) RetireKey(b.key_blob);
  Retire(page_a);
  Retire(page_b);
  a = out[0];
  kids->erase(kids->begin() + static_cast<ptrdiff_t>(left) + 1);
  *merged = true;
  return Code::kOk;
}

Code TreeWriter::DropPage(uint32_t number, uint32_t level, bool has_blobs) {
  // A leaf without blobs need not be read. Its birth is then unknown: 0 is the safe guess.
  if (level == 0 && !has_blobs) {
    transaction_->RetirePage(number, 0);
    return Code::kOk;
  }
  if (level > 0 && !thorough_) {
    transaction_->RetireTree(number);
    return Code::kOk;
  }
  const char* data = store_->LoadPage(number, level);
  if (data == nullptr) return Code::kCorrupt;
  Page page(data);
  for (uint32_t i = 0; i < page.count(); i++) {
    PageEntry entry = page.entry(i);
    if (level == 0) {
      RetireEntry(entry);
      continue;
    }
    RetireKey(entry.key_blob);
    Code code = DropPage(entry.child(), level - 1, entry.flags & kEntryChildHasBlobs);
    if (code != Code::kOk) return code;
  }
  Retire(page);
  return Code::kOk;
}

Code TreeWriter::Drop(uint32_t root) {
  if (root == 0) return Code::kOk;
  const char* data = store_->LoadPage(root);
  if (data == nullptr) return Code::kCorrupt;
  return DropPage(root, Page(data).level(), true);
}

}  // namespace potoroo::engine
