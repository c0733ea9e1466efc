// Pages and blobs by reference, each verified before it is first read.
//
// Everything here but the changes to the table of big blobs is safe for readers.
#ifndef POTOROO_ENGINE_STORE_H_
#define POTOROO_ENGINE_STORE_H_

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "blob.h"
#include "medium.h"
#include "page.h"
#include "space.h"

namespace potoroo::engine {

class Store {
 public:
  explicit Store(std::unique_ptr<Medium> medium)
      : medium_(std::move(medium)), space_(medium_.get()) {}

  Medium* medium() { return medium_.get(); }
  Space* space() { return &space_; }
  const Space& space() const { return space_; }

  // The page with that number, or nullptr where there is no sound one.
  const char* LoadPage(uint32_t number) const {
    uint64_t offset = uint64_t{number} * kPageSize;
    if (offset >= space_.limit()) return nullptr;
    const char* data = medium_->At(offset);
    Prefetch(data, kPageSize * 3 / 4);
    if (__builtin_expect(space_.Verified(offset), 1)) return data;
    return LoadUnverifiedPage(number);
  }
  // The same, of a page that its parent says is at `level`.
  const char* LoadPage(uint32_t number, uint32_t level) const {
    const char* data = LoadPage(number);
    return data != nullptr && Page(data).level() == level ? data : nullptr;
  }

  bool LoadBlob(const BlobRef& ref, Bytes* bytes) const {
    uint64_t offset = ref.offset();
    if (ref.size > kMaxRunSize || offset >= space_.limit() || !space_.Verified(offset)) {
      return LoadUnverifiedBlob(ref, bytes);
    }
    *bytes = {medium_->At(offset), ref.size};
    return true;
  }

  // The bytes of a buffer: they have no checksum, and may change meanwhile.
  bool LoadBuffer(const BlobRef& ref, Bytes* bytes) const;

  // Asks for what will be loaded soon. Any number and reference will do: nothing is read.
  void PrefetchPage(uint32_t number) const {
    Prefetch(medium_->At(uint64_t{number} * kPageSize), kPageSize * 3 / 4);
  }
  void PrefetchBlob(const BlobRef& ref) const {
    Prefetch(medium_->At(ref.offset()), std::min<size_t>(ref.size, kPrefetchedValue));
  }

  // Big blobs: objects of libpmemobj's.
  // 0: no space. Durable when it returns, and reachable by nothing yet.
  uint64_t NewObject(uint64_t size, Medium::Fill fill, const void* argument);
  void AddObject(uint64_t offset, uint64_t size);
  bool MarkObject(uint64_t offset, uint64_t size);  // while opening: false if unknown or taken
  void FreeUnmarkedObjects();
  void RemoveObject(uint64_t offset);
  uint64_t objects_size() const { return objects_size_.load(std::memory_order_relaxed); }

 private:
  struct Object {
    uint64_t size;
    bool marked;
    bool verified;
  };
  // What follows of a long value is fetched by the processor by itself.
  static constexpr size_t kPrefetchedValue = 256;

  // Side by side: the lines of a page are needed one after the other, and are seldom in a cache.
  static void Prefetch(const char* data, size_t size) {
    for (size_t line = 0; line < size; line += 64) __builtin_prefetch(data + line);
    // GCC leaves out calls of functions that do nothing else.
    asm volatile("");
  }
  const char* LoadUnverifiedPage(uint32_t number) const;
  bool LoadUnverifiedBlob(const BlobRef& ref, Bytes* bytes) const;
  bool LoadObject(const BlobRef& ref, Bytes* bytes) const;

  std::unique_ptr<Medium> medium_;
  mutable Space space_;
  mutable std::shared_mutex objects_mutex_;
  mutable std::unordered_map<uint64_t, Object> objects_;
  std::atomic<uint64_t> objects_size_{0};
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_STORE_H_
