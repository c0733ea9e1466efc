// Pages and blobs by reference, each verified before it is first read.
//
// Everything here but the changes to the table of big blobs is safe for readers.
#ifndef POTOROO_ENGINE_TREE_STORE_H_
#define POTOROO_ENGINE_TREE_STORE_H_

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "engine/base/blob.h"
#include "engine/base/cipher.h"
#include "engine/base/page.h"
#include "engine/medium/medium.h"
#include "engine/space/space.h"

namespace potoroo::engine {

// At the end of a page that is encrypted:
//
//   offset  size  field
//      992    28  seal      of the bytes before, as far as they are in use: see cipher.h
//     1020     2  size      bytes in use
//     1022     2  reserved  0
inline constexpr size_t kPageSeal = 32;

// What seals say of pages and blobs.
inline Sealed SealedPage(uint64_t offset) { return {Sealed::kPage, offset, 0, {}}; }
inline Sealed SealedBlob(const BlobRef& ref) {
  return {Sealed::kBlob, ref.offset(), ref.birth(), {}};
}
// Decrypts a page to `plain`, which is 8-byte aligned and has room for one. False where it is none.
bool OpenPage(const Cipher& cipher, const char* stored, uint64_t offset, char* plain);

class Store {
 public:
  explicit Store(std::unique_ptr<Medium> medium)
      : medium_(std::move(medium)), space_(medium_.get()), plain_(medium_->At(0)) {}
  ~Store();

  // The pool is encrypted. Before anything is loaded. kNoMemory: there are no addresses for it.
  Status SetCipher(std::unique_ptr<Cipher> cipher);
  const Cipher* cipher() const { return cipher_.get(); }

  // What is at an offset, as it is when it is not encrypted. Of a pool that is encrypted only what
  // was loaded, or written by the tree, is there.
  char* PlainAt(uint64_t offset) const { return plain_ + offset; }
  // Bytes of a page that entries may take.
  size_t page_room() const { return cipher_ == nullptr ? kPageSize : kPageSize - kPageSeal; }
  // What a blob takes.
  uint64_t StoredSize(uint64_t size) const { return cipher_ == nullptr ? size : size + kSealSize; }
  bool IsObject(uint64_t size) const { return StoredSize(size) > kMaxRunSize; }
  // Encrypts a page that is to be made durable, or a new blob at its place. False where OpenSSL
  // fails.
  bool SealPage(uint64_t offset) const;
  bool SealBlob(Bytes bytes, const BlobRef& ref) const;

  Medium* medium() { return medium_.get(); }
  Space* space() { return &space_; }
  const Space& space() const { return space_; }

  // The page with that number, or nullptr where there is no sound one.
  const char* LoadPage(uint32_t number) const {
    uint64_t offset = uint64_t{number} * kPageSize;
    if (offset >= space_.limit()) return nullptr;
    const char* data = PlainAt(offset);
    Prefetch(data, kPageSize * 3 / 4);
    // A page whose memory was lost since (see mapping.h) is an empty one, with another number.
    if (__builtin_expect(space_.Verified(offset) && Page(data).header().number == number, 1)) {
      return data;
    }
    return LoadUnverifiedPage(number);
  }
  // The same, of a page that its parent says is at `level`.
  const char* LoadPage(uint32_t number, uint32_t level) const {
    const char* data = LoadPage(number);
    return data != nullptr && Page(data).level() == level ? data : nullptr;
  }

  bool LoadBlob(const BlobRef& ref, Bytes* bytes) const {
    uint64_t offset = ref.offset();
    if (IsObject(ref.size) || offset >= space_.limit() || !space_.Verified(offset)) {
      return LoadUnverifiedBlob(ref, bytes);
    }
    *bytes = {PlainAt(offset), ref.size};
    return cipher_ != nullptr || medium_->IsThere(*bytes) || LoadUnverifiedBlob(ref, bytes);
  }

  // The bytes of a buffer: they have no checksum, and may change meanwhile.
  bool LoadBuffer(const BlobRef& ref, Bytes* bytes) const;

  // Whether they are sound as they are now, whatever they were when they were loaded.
  bool ScrubPage(uint32_t number, uint32_t level) const;
  bool ScrubBlob(const BlobRef& ref) const;

  // Asks for what will be loaded soon. Any number and reference will do: nothing is read.
  void PrefetchPage(uint32_t number) const {
    Prefetch(PlainAt(uint64_t{number} * kPageSize), kPageSize * 3 / 4);
  }
  void PrefetchBlob(const BlobRef& ref) const {
    Prefetch(PlainAt(ref.offset()), std::min<size_t>(ref.size, kPrefetchedValue));
  }

  // Big blobs: objects of libpmemobj's.
  // 0: no space. Durable when it returns, and reachable by nothing yet.
  uint64_t NewObject(uint64_t size, Medium::Fill fill, const void* argument);
  // What an opening finds; each is marked by what refers to it, by another thread perhaps. Then
  // those that nothing refers to are freed.
  void AddFoundObject(uint64_t offset, uint64_t size) { AddObject(offset, size, false); }
  bool MarkObject(uint64_t offset, uint64_t size);  // false if unknown or taken
  void FreeUnmarkedObjects();
  void RemoveObject(uint64_t offset);
  uint64_t objects_size() const { return objects_size_.load(std::memory_order_relaxed); }

 private:
  void AddObject(uint64_t offset, uint64_t size, bool marked);
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
  bool HasObject(uint64_t offset, uint64_t size) const;
  bool IsObjectVerified(uint64_t offset, uint64_t size) const;
  bool DecryptPage(uint32_t number) const;
  bool DecryptBlob(const BlobRef& ref) const;
  void GiveBackPlain(uint64_t offset, uint64_t size) const;
  // For what is decrypted: two readers may want it at the same time.
  std::mutex& MutexOf(uint64_t offset) const { return mutexes_[offset / kPageSize % kMutexes]; }

  static constexpr size_t kMutexes = 64;
  std::unique_ptr<Medium> medium_;
  mutable Space space_;
  mutable std::shared_mutex objects_mutex_;
  mutable std::unordered_map<uint64_t, Object> objects_;
  std::atomic<uint64_t> objects_size_{0};
  std::unique_ptr<Cipher> cipher_;
  // Where the pool is mapped; of one that is encrypted, as many addresses of memory of our own. Its
  // pages take memory once they are used.
  char* plain_;
  mutable std::mutex mutexes_[kMutexes];
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_STORE_H_
