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
#include "engine/tree/decrypted.h"

namespace potoroo::engine {

// At the end of a page that is encrypted:
//
//   offset  size  field
//      992    28  seal      of the bytes before, as far as they are in use: see cipher.h
//     1020     2  size      bytes in use
//     1022     2  reserved  0
inline constexpr size_t kPageSeal = 32;

// The statements of seals about pages and blobs.
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
  // Bytes that are decrypted count in `limit`, if there is one.
  Status SetCipher(std::unique_ptr<Cipher> cipher, DecryptedLimit* limit = nullptr);
  const Cipher* cipher() const { return cipher_.get(); }

  // The bytes at an offset, decrypted. An encrypted pool has only those there that were loaded, or
  // that the tree has written.
  char* PlainAt(uint64_t offset) const { return plain_ + offset; }
  // Bytes of a page that entries may take.
  size_t page_room() const { return cipher_ == nullptr ? kPageSize : kPageSize - kPageSeal; }
  // Bytes that a blob of `size` bytes takes.
  uint64_t StoredSize(uint64_t size) const { return cipher_ == nullptr ? size : size + kSealSize; }
  bool IsObject(uint64_t size) const { return StoredSize(size) > kMaxRunSize; }
  // Encrypts a page that is to be made durable, or a new blob at its place. False where OpenSSL
  // fails. By the writing thread.
  bool SealPage(uint64_t offset) const;
  bool SealBlob(Bytes bytes, const BlobRef& ref) const;
  // A new page is about to be written. By the writing thread.
  void TouchPage(uint64_t offset) const {
    if (cipher_ != nullptr) Touch(offset, kPageSize);
  }
  // Gives back some of the memory of what was decrypted; what has to be made durable stays. By the
  // writing thread, while nobody has pointers to pages and blobs. There is a limit.
  void GiveBackDecrypted();
  // Frees a blob that is no object. By the writing thread.
  void FreeBlob(uint64_t offset, uint64_t size);

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

  // The header alone of such a page: for those who read those of many.
  const PageHeader* LoadHeader(uint32_t number, uint32_t level) const {
    const uint64_t offset = uint64_t{number} * kPageSize;
    if (offset >= space_.limit()) return nullptr;
    const char* data = PlainAt(offset);
    if (!space_.Verified(offset) || Page(data).header().number != number) {
      data = LoadUnverifiedPage(number);
    }
    return data != nullptr && Page(data).level() == level ? &Page(data).header() : nullptr;
  }
  void PrefetchHeader(uint32_t number) const {
    __builtin_prefetch(PlainAt(uint64_t{number} * kPageSize));
  }

  bool LoadBlob(const BlobRef& ref, Bytes* bytes) const {
    if (cipher_ != nullptr) return LoadSealedBlob(ref, bytes);
    uint64_t offset = ref.offset();
    if (ref.size > kMaxRunSize || offset >= space_.limit() || !space_.Verified(offset)) {
      return LoadUnverifiedBlob(ref, bytes);
    }
    *bytes = {PlainAt(offset), ref.size};
    return medium_->IsThere(*bytes) || LoadUnverifiedBlob(ref, bytes);
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
  // Objects that an opening finds; each is marked by its references, perhaps by another thread.
  // Then those without a reference are freed.
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
    uint64_t verified;  // for which reference: see MarkOf; 0: for none
  };
  // The processor fetches the rest of a long value by itself.
  static constexpr size_t kPrefetchedValue = 256;

  // Side by side: the lines of a page are needed one after the other, and are seldom in a cache.
  static void Prefetch(const char* data, size_t size) {
    for (size_t line = 0; line < size; line += 64) __builtin_prefetch(data + line);
    // GCC leaves out calls of functions that do nothing else.
    asm volatile("");
  }
  // Compiled into their callers, the seldom ones would cost each page and value some registers.
  [[gnu::noinline]] const char* LoadUnverifiedPage(uint32_t number) const;
  [[gnu::noinline]] bool LoadUnverifiedBlob(const BlobRef& ref, Bytes* bytes) const;
  bool LoadObject(const BlobRef& ref, Bytes* bytes) const;
  bool HasObject(uint64_t offset, uint64_t size) const;
  uint64_t VerifiedObject(uint64_t offset, uint64_t size) const;
  void SetVerifiedObject(const BlobRef& ref) const;

  // sealed_store.cc
  [[gnu::noinline]] bool LoadSealedBlob(const BlobRef& ref, Bytes* bytes) const;
  bool LoadSealedObject(const BlobRef& ref, Bytes* bytes) const;
  bool DecryptPage(uint32_t number) const;
  bool DecryptBlob(const BlobRef& ref, uint64_t mark) const;
  uint64_t MarkOf(const BlobRef& ref) const;
  std::atomic<uint64_t>& MarkAt(uint64_t offset) const { return marks_[offset / kUnit]; }

  // decrypted.cc
  void Touch(uint64_t offset, uint64_t size) const;
  bool IsTouched(uint64_t region) const;
  void ForgetRegion(uint64_t region);
  void GiveBackPlain(uint64_t from, uint64_t to) const;
  // Guards decryption: two readers may want the same bytes at the same time.
  std::mutex& MutexOf(uint64_t offset) const { return mutexes_[offset / kPageSize % kMutexes]; }

  static constexpr size_t kMutexes = 64;
  std::unique_ptr<Medium> medium_;
  mutable Space space_;
  mutable std::shared_mutex objects_mutex_;
  mutable std::unordered_map<uint64_t, Object> objects_;
  std::atomic<uint64_t> objects_size_{0};
  std::unique_ptr<Cipher> cipher_;
  // The mapping of the pool; for an encrypted one as many addresses of our own memory, whose pages
  // take memory once they are used.
  char* plain_;
  // For each unit of an encrypted pool: the reference that the blob in plain_ there was decrypted
  // for. A page that refers to it may be older than what lies there now.
  std::atomic<uint64_t>* marks_ = nullptr;
  uint64_t mark_secret_ = 0;
  // ... and a bit for each page of memory of plain_ that is used.
  std::atomic<uint64_t>* touched_ = nullptr;
  DecryptedLimit* limit_ = nullptr;
  uint64_t hand_ = 0;  // the region that is given back next
  mutable std::mutex mutexes_[kMutexes];
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_STORE_H_
