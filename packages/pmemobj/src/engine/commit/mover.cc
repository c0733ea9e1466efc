#include "engine/commit/mover.h"

#include "engine/tree/search.h"

namespace potoroo::engine {
namespace {

// Pages that one call looks at; to copy a KiB counts as much.
constexpr uint64_t kWork = 600;

}  // namespace

bool Mover::IsSpent() const { return work_ >= kWork; }

Code Mover::Move(uint32_t* root, std::string* from, bool* done) {
  work_ = 0;
  stopped_ = false;
  *done = true;
  if (*root == 0) return Code::kOk;
  const char* data = store_->LoadPage(*root);
  if (data == nullptr) return Code::kCorrupt;
  NewChild child{*root, kEntryChildHasBlobs, 0};
  Code code = MovePage(Page(data).level(), *from, &child);
  if (code != Code::kOk) return code;
  *root = child.number;
  *done = !stopped_;
  if (stopped_) from->swap(next_);
  return code;
}

Code Mover::MovePage(uint32_t level, Bytes from, NewChild* child) {
  work_++;
  bool changed = store_->space()->IsLeaving(uint64_t{child->number} * kPageSize, kPageSize);
  if (level == 0 && !changed && !(child->flags & kEntryChildHasBlobs)) return Code::kOk;
  const char* data = store_->LoadPage(child->number, level);
  if (data == nullptr) return Code::kCorrupt;
  Page page(data);
  PageHeader header = page.header();
  alignas(8) char image[kPageSize];
  memcpy(image, data, header.size);
  Code code = MoveBlobs(page, image, &changed);
  if (code == Code::kOk && level > 0) code = MoveChildren(page, from, image, &changed);
  if (code != Code::kOk || !changed) return code;
  transaction_->RetirePage(header.number, header.epoch);
  if (!transaction_->NewPageNumber(&header.number)) return Code::kNoSpace;
  const uint64_t entries = EntriesOf(header);
  header.epoch = transaction_->epoch();
  SetEntries(&header, entries);
  memcpy(image, &header, sizeof header);
  transaction_->WritePage(header.number, image, header.size);
  child->number = header.number;
  work_++;
  return code;
}

Code Mover::MoveChildren(Page page, Bytes from, char* image, bool* changed) {
  Place first = from.empty() ? Place{true, false, 0} : FindChild(*store_, page, from);
  if (!first.ok) return Code::kCorrupt;
  for (uint32_t i = first.index; i < page.count() && !stopped_; i++) {
    if (i > first.index && IsSpent()) {
      std::string buffer;
      Bytes key;
      if (!WholeKey(*store_, page, i, &buffer, &key)) return Code::kCorrupt;
      next_ = std::string(key);
      stopped_ = true;
      break;
    }
    PageEntry entry = page.entry(i);
    NewChild child{entry.child(), static_cast<uint16_t>(entry.flags & kEntryChildHasBlobs), 0};
    Code code = MovePage(page.level() - 1, i == first.index ? from : Bytes(), &child);
    if (code != Code::kOk) return code;
    if (child.number == entry.child()) continue;
    // The child is the last thing in an entry.
    memcpy(image + page.offsets()[i + 1] - 4, &child.number, 4);
    *changed = true;
  }
  return Code::kOk;
}

Code Mover::MoveBlobs(Page page, char* image, bool* changed) {
  for (uint32_t i = 0; i < page.count(); i++) {
    PageEntry entry = page.entry(i);
    Code code = Code::kOk;
    if (entry.key_blob != nullptr) code = MoveBlob(page, entry.key_blob, image, changed);
    bool value = page.level() == 0 && (entry.flags & kEntryValueBlob);
    if (code == Code::kOk && value && !(entry.flags & kEntryBuffer)) {
      code = MoveBlob(page, entry.payload.data(), image, changed);
    }
    if (code != Code::kOk) return code;
  }
  return Code::kOk;
}

Code Mover::MoveBlob(Page page, const char* reference, char* image, bool* changed) {
  BlobRef ref = BlobRef::Load(reference), moved;
  if (store_->IsObject(ref.size) ||
      !store_->space()->IsLeaving(ref.offset(), store_->StoredSize(ref.size))) {
    return Code::kOk;
  }
  Bytes bytes;
  if (!store_->LoadBlob(ref, &bytes)) return Code::kOk;
  if (!transaction_->CopyBlob(ref, bytes, &moved)) return Code::kNoSpace;
  transaction_->RetireBlob(ref);
  memcpy(image + (reference - page.data()), &moved, sizeof moved);
  work_ += 1 + ref.size / 1024;
  *changed = true;
  return Code::kOk;
}

}  // namespace potoroo::engine
