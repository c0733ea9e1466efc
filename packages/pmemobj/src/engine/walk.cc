#include "walk.h"

#include "search.h"

namespace potoroo::engine {
namespace {

Status Damaged(uint32_t number, const char* what) {
  return Status(Code::kCorrupt, "page " + std::to_string(number) + ": " + what);
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
  if (!store_->space()->MarkPage(uint64_t{number} * kPageSize)) {
    return Damaged(number, "not a place for a page, or used twice");
  }
  pages_++;
  if (level == 0 && !has_blobs && !directory && !thorough_) return Status::Ok();
  const char* data = store_->LoadPage(number, level);
  if (data == nullptr) return Damaged(number, "damaged");
  Page page(data);
  for (uint32_t i = 0; i < page.count(); i++) {
    Status status = VisitEntry(page, i, directory);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status Walk::VisitEntry(Page page, uint32_t index, bool directory) {
  PageEntry entry = page.entry(index);
  uint32_t number = page.header().number;
  if (entry.key_blob != nullptr) {
    Status status = MarkBlob(BlobRef::Load(entry.key_blob), number);
    if (!status.ok()) return status;
  }
  if (page.level() > 0) {
    return Visit(entry.child(), page.level() - 1, entry.flags & kEntryChildHasBlobs, directory);
  }
  if (!directory) entries_++;
  if (entry.flags & kEntryValueBlob) {
    if (directory) return Damaged(number, "a map without a root");
    return MarkBlob(BlobRef::Load(entry.payload.data()), number);
  }
  if (!directory) return Status::Ok();
  std::string buffer;
  Bytes name;
  if (!WholeKey(*store_, page, index, &buffer, &name)) return Damaged(number, "a damaged name");
  if (entry.payload.size() != sizeof(DirectoryValue))
    return Damaged(number, "a map without a root");
  maps_.emplace_back(name);
  DirectoryValue value;
  memcpy(&value, entry.payload.data(), sizeof value);
  return VisitRoot(value.root, false);
}

Status Walk::MarkBlob(const BlobRef& ref, uint32_t page) {
  bool marked = ref.size > kMaxRunSize ? store_->MarkObject(ref.offset(), ref.size)
                                       : store_->space()->MarkBlob(ref.offset(), ref.size);
  if (!marked) return Damaged(page, "refers to a place for no value, or used twice");
  Bytes bytes;
  if (thorough_ && !store_->LoadBlob(ref, &bytes)) return Damaged(page, "a damaged value");
  return Status::Ok();
}

}  // namespace potoroo::engine
