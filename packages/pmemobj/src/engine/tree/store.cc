#include "engine/tree/store.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/checksum.h"
#include "engine/base/memory.h"

namespace potoroo::engine {
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
  if (offset % kUnit != 0 || !space_.Contains(offset, ref.size)) return false;
  const char* data = PlainAt(offset);
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

// The objects of a pool that is read only are not known until they were found good.
bool Store::HasObject(uint64_t offset, uint64_t size) const {
  if (medium_->read_only()) {
    return size <= medium_->size() && offset <= medium_->size() - size;
  }
  std::shared_lock<std::shared_mutex> lock(objects_mutex_);
  auto found = objects_.find(offset);
  return found != objects_.end() && found->second.size >= size;
}

// 0: it was not.
uint64_t Store::VerifiedObject(uint64_t offset, uint64_t size) const {
  std::shared_lock<std::shared_mutex> lock(objects_mutex_);
  auto found = objects_.find(offset);
  return found == objects_.end() || found->second.size < size ? 0 : found->second.verified;
}

void Store::SetVerifiedObject(const BlobRef& ref) const {
  std::unique_lock<std::shared_mutex> lock(objects_mutex_);
  if (medium_->read_only()) objects_[ref.offset()].size = StoredSize(ref.size);
  auto found = objects_.find(ref.offset());
  if (found != objects_.end()) found->second.verified = MarkOf(ref);
}

bool Store::LoadObject(const BlobRef& ref, Bytes* bytes) const {
  *bytes = {PlainAt(ref.offset()), ref.size};
  if (!HasObject(ref.offset(), ref.size)) return false;
  if (VerifiedObject(ref.offset(), ref.size) != 0 && medium_->IsThere(*bytes)) return true;
  if (Checksum(bytes->data(), ref.size) != ref.checksum) return false;
  SetVerifiedObject(ref);
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
  uint64_t offset = medium_->Allocate(ObjectType::kBlob, size, fill, argument);
  if (offset == 0 && space_.GiveBackExtents()) {
    offset = medium_->Allocate(ObjectType::kBlob, size, fill, argument);
  }
  if (offset == 0 && medium_->Grow(std::max(8 * kMiB, size + kMiB)).ok()) {
    offset = medium_->Allocate(ObjectType::kBlob, size, fill, argument);
  }
  // Gives up the space that a compaction has kept free for itself.
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
  objects_[offset] = {size, marked, 0};
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

void Store::RemoveObject(uint64_t offset) {
  {
    std::unique_lock<std::shared_mutex> lock(objects_mutex_);
    auto found = objects_.find(offset);
    if (found == objects_.end()) return;
    objects_size_ -= found->second.size;
    if (cipher_ != nullptr) GiveBackPlain(offset, offset + found->second.size);
    objects_.erase(found);
  }
  medium_->Free(offset);
}

}  // namespace potoroo::engine
