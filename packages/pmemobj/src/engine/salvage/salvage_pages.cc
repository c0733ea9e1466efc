#include "engine/salvage/salvage_pages.h"

#include "engine/base/checksum.h"

namespace potoroo::engine {

bool SalvagePages::Load(uint32_t number, PageCopy* copy) const {
  return pages_.ReadPage(number, copy->data()) == SealedReader::Found::kBytes &&
         VerifyPage(copy->data(), number);
}

bool SalvagePages::Key(Page page, uint32_t index, std::string* key) const {
  PageEntry entry = page.entry(index);
  std::string head(page.prefix());
  head.append(entry.suffix);
  if (entry.key_blob == nullptr) {
    *key = std::move(head);
    return true;
  }
  BlobRef ref = BlobRef::Load(entry.key_blob);
  return ref.size > kMaxInlineKey && ref.size <= kMaxKeySize && Blob(ref, false, key) &&
         key->compare(0, kLongKeyHead, head) == 0;
}

bool SalvagePages::Value(const PageEntry& entry, std::string* value) const {
  if (entry.flags & kEntryValueBlob) {
    return Blob(BlobRef::Load(entry.payload.data()), entry.flags & kEntryBuffer, value);
  }
  value->assign(entry.payload);
  return true;
}

bool SalvagePages::Blob(const BlobRef& ref, bool buffer, std::string* bytes) const {
  bytes->clear();
  if (cipher() != nullptr) return !buffer && pages_.ReadSealedBlob(ref, bytes);
  // Before memory is taken for it.
  if (ref.size > kMaxValueSize || ref.offset() + ref.size > reader_.size()) return false;
  bytes->reserve(ref.size);
  uint32_t checksum;
  auto read = [&](uint64_t from, char* to, size_t size) {
    if (!reader_.Read(ref.offset() + from, to, size)) return false;
    bytes->append(to, size);
    return true;
  };
  return ChecksumOfPieces(ref.size, buffer_.data(), buffer_.size(), read, &checksum) &&
         (buffer || checksum == ref.checksum);
}

}  // namespace potoroo::engine
