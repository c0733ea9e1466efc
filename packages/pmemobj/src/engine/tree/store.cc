#include "engine/tree/store.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/checksum.h"

namespace potoroo::engine {
namespace {

// Blobs up to it are decrypted without taking memory.
constexpr size_t kSmallBlob = 4096;

}  // namespace

bool OpenPage(const Cipher& cipher, const char* stored, uint64_t offset, char* plain) {
  const char* seal = stored + kPageSize - kPageSeal;
  uint16_t size;
  memcpy(&size, seal + kSealSize, sizeof size);
  if (size < sizeof(PageHeader) || size > kPageSize - kPageSeal) return false;
  return cipher.Open(SealedPage(offset), stored, size, seal, plain) &&
         reinterpret_cast<const PageHeader*>(plain)->size == size;
}

Store::~Store() {
  if (cipher_ != nullptr) munmap(plain_, space_.limit());
}

Status Store::SetCipher(std::unique_ptr<Cipher> cipher) {
  void* plain = mmap(nullptr, space_.limit(), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (plain == MAP_FAILED) {
    return Status(Code::kNoMemory, "there are no addresses for a pool that is encrypted");
  }
  // A core file is no place for it.
  madvise(plain, space_.limit(), MADV_DONTDUMP);
  plain_ = static_cast<char*>(plain);
  cipher_ = std::move(cipher);
  return Status::Ok();
}

bool Store::SealPage(uint64_t offset) const {
  const char* plain = PlainAt(offset);
  char* stored = medium_->At(offset);
  const uint16_t size = Page(plain).header().size;
  char end[kPageSeal] = {};
  if (!cipher_->Seal(SealedPage(offset), plain, size, stored, end)) return false;
  memcpy(end + kSealSize, &size, sizeof size);
  memcpy(stored + kPageSize - kPageSeal, end, sizeof end);
  return true;
}

bool Store::SealBlob(Bytes bytes, const BlobRef& ref) const {
  char* stored = medium_->At(ref.offset());
  return cipher_->Seal(SealedBlob(ref), bytes.data(), bytes.size(), stored, stored + bytes.size());
}

bool Store::DecryptPage(uint32_t number) const {
  const uint64_t offset = uint64_t{number} * kPageSize;
  std::lock_guard<std::mutex> lock(MutexOf(offset));
  if (space_.Verified(offset)) return true;
  alignas(8) char page[kPageSize];
  if (!OpenPage(*cipher_, medium_->At(offset), offset, page) || !VerifyPage(page, number)) {
    return false;
  }
  const size_t size = Page(page).header().size;
  // It may be there already, and be read: see Space::SetVerified.
  if (memcmp(PlainAt(offset), page, size) != 0) memcpy(PlainAt(offset), page, size);
  space_.SetVerified(offset);
  return true;
}

bool Store::DecryptBlob(const BlobRef& ref) const {
  const uint64_t offset = ref.offset();
  std::lock_guard<std::mutex> lock(MutexOf(offset));
  if (space_.Verified(offset)) return true;
  char small[kSmallBlob];
  std::unique_ptr<char[]> large;
  if (ref.size > sizeof small) large.reset(new char[ref.size]);
  char* bytes = ref.size > sizeof small ? large.get() : small;
  const char* stored = medium_->At(offset);
  if (bytes == nullptr ||
      !cipher_->Open(SealedBlob(ref), stored, ref.size, stored + ref.size, bytes) ||
      Checksum(bytes, ref.size) != ref.checksum) {
    return false;
  }
  if (memcmp(PlainAt(offset), bytes, ref.size) != 0) memcpy(PlainAt(offset), bytes, ref.size);
  space_.SetVerified(offset);
  return true;
}

const char* Store::LoadUnverifiedPage(uint32_t number) const {
  uint64_t offset = uint64_t{number} * kPageSize;
  if (!space_.Contains(offset, kPageSize)) return nullptr;
  const char* data = PlainAt(offset);
  if (cipher_ != nullptr) return DecryptPage(number) ? data : nullptr;
  if (!VerifyPage(data, number)) return nullptr;
  space_.SetVerified(offset);
  return data;
}

bool Store::LoadUnverifiedBlob(const BlobRef& ref, Bytes* bytes) const {
  if (IsObject(ref.size)) return LoadObject(ref, bytes);
  uint64_t offset = ref.offset();
  if (offset % kUnit != 0 || !space_.Contains(offset, StoredSize(ref.size))) return false;
  const char* data = PlainAt(offset);
  if (cipher_ != nullptr) {
    *bytes = {data, ref.size};
    return DecryptBlob(ref);
  }
  if (Checksum(data, ref.size) != ref.checksum) return false;
  space_.SetVerified(offset);
  *bytes = {data, ref.size};
  return true;
}

bool Store::LoadBuffer(const BlobRef& ref, Bytes* bytes) const {
  uint64_t offset = ref.offset();
  *bytes = {medium_->At(offset), ref.size};
  if (ref.size <= kMaxRunSize) return offset % kUnit == 0 && space_.Contains(offset, ref.size);
  return HasObject(offset, ref.size);
}

// Of a pool that is read only, no objects are known until they were found good.
bool Store::HasObject(uint64_t offset, uint64_t size) const {
  if (medium_->read_only()) {
    return size <= medium_->size() && offset <= medium_->size() - size;
  }
  std::shared_lock<std::shared_mutex> lock(objects_mutex_);
  auto found = objects_.find(offset);
  return found != objects_.end() && found->second.size >= size;
}

bool Store::IsObjectVerified(uint64_t offset, uint64_t size) const {
  std::shared_lock<std::shared_mutex> lock(objects_mutex_);
  auto found = objects_.find(offset);
  return found != objects_.end() && found->second.verified && found->second.size >= size;
}

bool Store::LoadObject(const BlobRef& ref, Bytes* bytes) const {
  char* data = PlainAt(ref.offset());
  *bytes = {data, ref.size};
  // One after the other decrypts it.
  std::unique_lock<std::mutex> decrypting(MutexOf(ref.offset()), std::defer_lock);
  if (cipher_ != nullptr) decrypting.lock();
  const uint64_t size = StoredSize(ref.size);
  if (!HasObject(ref.offset(), size)) return false;
  if (IsObjectVerified(ref.offset(), size) && (cipher_ != nullptr || medium_->IsThere(*bytes))) {
    return true;
  }
  if (cipher_ != nullptr) {
    const char* stored = medium_->At(ref.offset());
    if (!cipher_->Open(SealedBlob(ref), stored, ref.size, stored + ref.size, data)) return false;
  }
  if (Checksum(data, ref.size) != ref.checksum) return false;
  std::unique_lock<std::shared_mutex> lock(objects_mutex_);
  if (medium_->read_only()) objects_[ref.offset()].size = size;
  auto found = objects_.find(ref.offset());
  if (found != objects_.end()) found->second.verified = true;
  return true;
}

bool Store::ScrubPage(uint32_t number, uint32_t level) const {
  uint64_t offset = uint64_t{number} * kPageSize;
  if (offset >= space_.limit() || !space_.Contains(offset, kPageSize)) return false;
  const char* data = medium_->At(offset);
  alignas(8) char plain[kPageSize];
  if (cipher_ != nullptr) {
    if (!OpenPage(*cipher_, data, offset, plain)) return false;
    data = plain;
  }
  return VerifyPage(data, number) && Page(data).level() == level;
}

bool Store::ScrubBlob(const BlobRef& ref) const {
  const uint64_t offset = ref.offset(), stored = StoredSize(ref.size);
  if (IsObject(ref.size)) {
    if (!HasObject(offset, stored)) return false;
  } else if (offset % kUnit != 0 || !space_.Contains(offset, stored)) {
    return false;
  }
  const char* data = medium_->At(offset);
  std::unique_ptr<char[]> plain;
  if (cipher_ != nullptr) {
    plain.reset(new char[ref.size]);
    if (!cipher_->Open(SealedBlob(ref), data, ref.size, data + ref.size, plain.get())) {
      return false;
    }
    data = plain.get();
  }
  return Checksum(data, ref.size) == ref.checksum;
}

uint64_t Store::NewObject(uint64_t size, Medium::Fill fill, const void* argument) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  uint64_t offset = medium_->Allocate(ObjectType::kBlob, size, fill, argument);
  if (offset == 0 && space_.GiveBackExtents()) {
    offset = medium_->Allocate(ObjectType::kBlob, size, fill, argument);
  }
  if (offset == 0 && medium_->Grow(std::max(8 * kMiB, size + kMiB)).ok()) {
    offset = medium_->Allocate(ObjectType::kBlob, size, fill, argument);
  }
  // What a compaction has kept free for itself.
  if (offset == 0 && space_.EndLeaving() && space_.GiveBackExtents()) {
    offset = medium_->Allocate(ObjectType::kBlob, size, fill, argument);
  }
  if (offset == 0) return 0;
  try {
    AddObject(offset, medium_->UsableSize(offset), true);
  } catch (...) {
    medium_->Free(offset);
    throw;
  }
  return offset;
}

void Store::AddObject(uint64_t offset, uint64_t size, bool marked) {
  std::unique_lock<std::shared_mutex> lock(objects_mutex_);
  objects_[offset] = {size, marked, false};
  objects_size_ += size;
}

bool Store::MarkObject(uint64_t offset, uint64_t size) {
  std::unique_lock<std::shared_mutex> lock(objects_mutex_);
  auto found = objects_.find(offset);
  if (found == objects_.end() || found->second.marked || found->second.size < size) return false;
  found->second.marked = true;
  return true;
}

void Store::FreeUnmarkedObjects() {
  std::vector<uint64_t> lost;
  {
    std::shared_lock<std::shared_mutex> lock(objects_mutex_);
    for (const auto& object : objects_) {
      if (!object.second.marked) lost.push_back(object.first);
    }
  }
  for (uint64_t offset : lost) RemoveObject(offset);
}

// The memory of what was decrypted there.
void Store::GiveBackPlain(uint64_t offset, uint64_t size) const {
  constexpr uint64_t kMemoryPage = 4096;
  const uint64_t from = (offset + kMemoryPage - 1) / kMemoryPage * kMemoryPage;
  const uint64_t to = (offset + size) / kMemoryPage * kMemoryPage;
  if (from < to) madvise(PlainAt(from), to - from, MADV_DONTNEED);
}

void Store::RemoveObject(uint64_t offset) {
  {
    std::unique_lock<std::shared_mutex> lock(objects_mutex_);
    auto found = objects_.find(offset);
    if (found == objects_.end()) return;
    objects_size_ -= found->second.size;
    if (cipher_ != nullptr) GiveBackPlain(offset, found->second.size);
    objects_.erase(found);
  }
  medium_->Free(offset);
}

}  // namespace potoroo::engine
