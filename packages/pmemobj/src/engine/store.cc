#include "store.h"

#include <algorithm>
#include <vector>

#include "checksum.h"

namespace potoroo::engine {

const char* Store::LoadUnverifiedPage(uint32_t number) const {
  uint64_t offset = uint64_t{number} * kPageSize;
  if (!space_.Contains(offset, kPageSize)) return nullptr;
  const char* data = medium_->At(offset);
  if (!VerifyPage(data, number)) return nullptr;
  space_.SetVerified(offset);
  return data;
}

bool Store::LoadUnverifiedBlob(const BlobRef& ref, Bytes* bytes) const {
  if (ref.size > kMaxRunSize) return LoadObject(ref, bytes);
  uint64_t offset = ref.offset();
  if (offset % kUnit != 0 || !space_.Contains(offset, ref.size)) return false;
  const char* data = medium_->At(offset);
  if (Checksum(data, ref.size) != ref.checksum) return false;
  space_.SetVerified(offset);
  *bytes = {data, ref.size};
  return true;
}

bool Store::LoadBuffer(const BlobRef& ref, Bytes* bytes) const {
  uint64_t offset = ref.offset();
  *bytes = {medium_->At(offset), ref.size};
  if (ref.size <= kMaxRunSize) return offset % kUnit == 0 && space_.Contains(offset, ref.size);
  std::shared_lock<std::shared_mutex> lock(objects_mutex_);
  auto found = objects_.find(offset);
  return found != objects_.end() && found->second.size >= ref.size;
}

bool Store::LoadObject(const BlobRef& ref, Bytes* bytes) const {
  const char* data = medium_->At(ref.offset());
  {
    std::shared_lock<std::shared_mutex> lock(objects_mutex_);
    auto found = objects_.find(ref.offset());
    if (found == objects_.end() || found->second.size < ref.size) return false;
    *bytes = {data, ref.size};
    if (found->second.verified) return true;
  }
  if (Checksum(data, ref.size) != ref.checksum) return false;
  std::unique_lock<std::shared_mutex> lock(objects_mutex_);
  auto found = objects_.find(ref.offset());
  if (found != objects_.end()) found->second.verified = true;
  return true;
}

uint64_t Store::NewObject(uint64_t size, Medium::Fill fill, const void* argument) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  uint64_t offset = medium_->Allocate(ObjectType::kBlob, size, fill, argument);
  if (offset == 0 && medium_->Grow(std::max(8 * kMiB, size + kMiB)).ok()) {
    offset = medium_->Allocate(ObjectType::kBlob, size, fill, argument);
  }
  if (offset == 0) return 0;
  AddObject(offset, medium_->UsableSize(offset));
  return offset;
}

void Store::AddObject(uint64_t offset, uint64_t size) {
  std::unique_lock<std::shared_mutex> lock(objects_mutex_);
  objects_[offset] = {size, false, false};
  objects_size_ += size;
}

bool Store::MarkObject(uint64_t offset, uint64_t size) {
  auto found = objects_.find(offset);
  if (found == objects_.end() || found->second.marked || found->second.size < size) return false;
  found->second.marked = true;
  return true;
}

void Store::FreeUnmarkedObjects() {
  std::vector<uint64_t> lost;
  for (const auto& object : objects_) {
    if (!object.second.marked) lost.push_back(object.first);
  }
  for (uint64_t offset : lost) RemoveObject(offset);
}

void Store::RemoveObject(uint64_t offset) {
  {
    std::unique_lock<std::shared_mutex> lock(objects_mutex_);
    auto found = objects_.find(offset);
    if (found == objects_.end()) return;
    objects_size_ -= found->second.size;
    objects_.erase(found);
  }
  medium_->Free(offset);
}

}  // namespace potoroo::engine
