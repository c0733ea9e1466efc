// Space that one commit allocates and gives up, and the memory that it needs meanwhile.
#ifndef POTOROO_ENGINE_TREE_TRANSACTION_H_
#define POTOROO_ENGINE_TREE_TRANSACTION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/blob.h"
#include "engine/base/page.h"
#include "engine/tree/store.h"

namespace potoroo::engine {

// A page (size 0) or a blob that a commit made or gave up; or a whole tree of pages and blobs, or
// the number of a map, that it gave up.
struct Item {
  static constexpr uint32_t kTree = ~uint32_t{0}, kMap = kTree - 1;
  uint64_t offset;  // of a tree, its root page's; of a map, its number
  uint64_t birth;   // the epoch that wrote it
  uint32_t size;

  bool IsTree() const { return size == kTree; }
  bool IsMap() const { return size == kMap; }
};

// Bytes that live as long as the transaction.
class Arena {
 public:
  char* Allocate(size_t size);
  Bytes Keep(Bytes bytes);
  void Clear();

 private:
  static constexpr size_t kChunk = 32 * 1024;
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t used_ = 0, room_ = 0, next_ = 0;
  std::vector<std::unique_ptr<char[]>> large_;
};

class Transaction {
 public:
  explicit Transaction(Store* store)
      : store_(store), first_own_(store->medium()->writable_from() / kPageSize) {}

  // Pages that are younger than the epoch `shared` are changed in place: nobody reads them, and no
  // crash leads back to them. `room`: see Space::AllocatePage.
  void Begin(uint64_t epoch, uint64_t shared, Space::Room room);
  Store* store() { return store_; }
  Arena* arena() { return &arena_; }
  uint64_t epoch() const { return epoch_; }

  bool NewPageNumber(uint32_t* number);
  // The number under which the successor of a page is to be written: its own, where it may be
  // changed in place, or else a new one. The page is given up then.
  bool Succeed(Page page, uint32_t* number);
  // Copies `size` bytes of an image into a page that one of these has just numbered. Its checksum
  // may not be made before a checkpoint.
  void WritePage(uint32_t number, char* image, size_t size);
  // A page is changed without WritePage.
  void SetDirty(uint32_t number) { store_->space()->SetDirty(uint64_t{number} * kPageSize, 0); }
  char* PageAt(uint32_t number) const { return store_->PlainAt(uint64_t{number} * kPageSize); }
  bool NewBlob(Bytes bytes, BlobRef* ref);
  // Makes a copy of a blob that is there, whose bytes are these.
  bool CopyBlob(const BlobRef& old, Bytes bytes, BlobRef* ref);
  // Makes a buffer, see Operation.
  bool NewBuffer(Bytes bytes, BlobRef* ref);
  void RetirePage(uint32_t number, uint64_t birth);
  void RetireBlob(const BlobRef& ref);
  // All that a page leads to, too: each of it may be older than the page.
  void RetireTree(uint32_t number) {
    retired_.push_back({uint64_t{number} * kPageSize, 0, Item::kTree});
  }
  void RetireMap(uint32_t map) { retired_.push_back({map, 0, Item::kMap}); }
  void RetireBuffer(const BlobRef& ref);

  bool changed() const { return !made_.empty() || !retired_.empty() || !undo_.empty(); }
  // Gives back all that was allocated, and pages that were changed in place what they held.
  void Abort();
  std::vector<Item>* retired() { return &retired_; }
  const std::vector<Item>& retired_buffers() const { return retired_buffers_; }
  static void Release(Store* store, const Item& item);

 private:
  bool Place(Bytes bytes, BlobRef* ref);
  bool PlaceObject(Bytes bytes, BlobRef* ref);
  void StorePlain(Bytes bytes, uint64_t offset);
  bool StoreSealed(Bytes bytes, const BlobRef& ref);

  Store* store_;
  const uint64_t first_own_;  // pages below it are never changed: see Medium::OpenToRead
  uint64_t epoch_ = 0, shared_ = 0;
  uint32_t fresh_ = 0;  // the page that NewPageNumber gave last
  Space::Room room_ = Space::Room::kOrdinary;
  Arena arena_;
  std::vector<Item> made_, retired_;
  std::vector<Item> retired_buffers_;  // of `retired_`
  struct Undo {
    uint32_t number;
    Bytes image;
  };
  std::vector<Undo> undo_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_TRANSACTION_H_
