#include "engine/check/sealed_reader.h"

#include "engine/base/checksum.h"
#include "engine/tree/store.h"

namespace potoroo::engine {

SealedReader::Found SealedReader::ReadPage(uint32_t number, char* data) const {
  const uint64_t offset = uint64_t{number} * kPageSize;
  if (cipher_ == nullptr) {
    return files_->Read(offset, data, kPageSize) ? Found::kBytes : Found::kUnreadable;
  }
  char stored[kPageSize];
  if (!files_->Read(offset, stored, kPageSize)) return Found::kUnreadable;
  return OpenPage(*cipher_, stored, offset, data) ? Found::kBytes : Found::kNotSealed;
}

bool SealedReader::ReadSealedBlob(const BlobRef& ref, std::string* bytes) const {
  bytes->clear();
  const uint64_t size = StoredSize(ref.size);
  // Before memory is taken for it.
  if (ref.size > kMaxValueSize || ref.offset() > files_->size()) return false;
  if (size > files_->size() - ref.offset()) return false;
  bytes->resize(size);
  if (!files_->Read(ref.offset(), &(*bytes)[0], size)) return false;
  const bool sealed = cipher_->Open(SealedBlob(ref), bytes->data(), ref.size,
                                    bytes->data() + ref.size, &(*bytes)[0]);
  bytes->resize(ref.size);
  return sealed && Checksum(bytes->data(), bytes->size()) == ref.checksum;
}

}  // namespace potoroo::engine
