#include "engine/tree/walk.h"

#include "engine/tree/search.h"

namespace potoroo::engine {
namespace {

// Most pages take less time than they take to arrive from memory, so they are asked for ahead.
constexpr uint32_t kAhead = 3;

Status Damaged(uint32_t number, const char* what) {
  return Status(Code::kCorrupt, "page " + std::to_string(number) + ": " + what);
}

Status DamagedBlob(Page page) {
  return Damaged(page.header().number,
                 "refers to a damaged value, to a place for none, or to one used twice");
}

}  // namespace

Status Walk::Run(uint32_t directory) { return VisitRoot(directory, true); }

Status Walk::VisitRoot(uint32_t number, bool directory) {
  if (number == 0) return Status::Ok();
  const char* data = store_->LoadPage(number);
  if (data == nullptr) return Damaged(number, "damaged");
  return Visit(number, Page(data).level(), true, directory);
}

Status Walk::Visit(uint32_t number, uint32_t level, bool has_blobs, bool directory) {
  if (stop_.load(std::memory_order_relaxed)) return Status(Code::kInvalid, "stopped");
  if (!marks_->MarkPage(uint64_t{number} * kPageSize)) {
    return Damaged(number, "not a place for a page, or used twice");
  }
  pages_++;
  if (level == 0 && !has_blobs && !directory && !thorough_) return Status::Ok();
  const char* data = store_->LoadPage(number, level);
  if (data == nullptr) return Damaged(number, "damaged");
  Page page(data);
  if (page.header().epoch > epoch_) return Damaged(number, "of a later commit");
  if (directory && level == 0) return VisitMaps(page);
  return level > 0 ? VisitChildren(page, directory) : VisitLeaf(page);
}

Status Walk::VisitChildren(Page page, bool directory) {
  for (uint32_t i = 0; i < page.count(); i++) {
    if (i + kAhead < page.count()) store_->PrefetchPage(page.child(i + kAhead));
    PageEntry entry = page.entry(i);
    if (entry.key_blob != nullptr && !MarkBlob(entry.key_blob, false)) return DamagedBlob(page);
    Status status =
        Visit(entry.child(), page.level() - 1, entry.flags & kEntryChildHasBlobs, directory);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status Walk::VisitLeaf(Page page) {
  const uint32_t count = page.count();
  entries_ += count;
  for (uint32_t i = 0; i < count; i++) {
    PageEntry entry = page.entry(i);
    if (entry.key_blob != nullptr && !MarkBlob(entry.key_blob, false)) return DamagedBlob(page);
    bool buffer = entry.flags & kEntryBuffer;
    if ((entry.flags & kEntryValueBlob) && !MarkBlob(entry.payload.data(), buffer)) {
      return DamagedBlob(page);
    }
  }
  return Status::Ok();
}

Status Walk::VisitMaps(Page page) {
  for (uint32_t i = 0; i < page.count(); i++) {
    PageEntry entry = page.entry(i);
    if (entry.key_blob != nullptr && !MarkBlob(entry.key_blob, false)) return DamagedBlob(page);
    DirectoryValue value;
    if ((entry.flags & (kEntryValueBlob | kEntryBuffer)) || entry.payload.size() != sizeof value) {
      return Damaged(page.header().number, "a map without a root");
    }
    std::string buffer;
    Bytes name;
    if (!WholeKey(*store_, page, i, &buffer, &name)) return DamagedBlob(page);
    maps_.emplace_back(name);
    memcpy(&value, entry.payload.data(), sizeof value);
    Status status = VisitRoot(value.root, false);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

bool Walk::MarkBlob(const char* reference, bool buffer) {
  BlobRef ref = BlobRef::Load(reference);
  const uint64_t size = store_->StoredSize(ref.size);
  bool marked = store_->IsObject(ref.size) ? store_->MarkObject(ref.offset(), size)
                                           : marks_->MarkBlob(ref.offset(), size);
  if (marked && buffer) buffers_.push_back({ref.offset(), ref.size});
  Bytes bytes;
  return marked && (buffer || !thorough_ || store_->LoadBlob(ref, &bytes));
}

}  // namespace potoroo::engine
