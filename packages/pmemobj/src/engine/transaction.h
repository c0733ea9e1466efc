// What one commit allocates and gives up, and the memory it needs meanwhile.
#ifndef POTOROO_ENGINE_TRANSACTION_H_
#define POTOROO_ENGINE_TRANSACTION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "blob.h"
#include "page.h"
#include "store.h"

namespace potoroo::engine {

// A page (size 0) or a blob that a commit made or gave up.
struct Item {
  uint64_t offset;
  uint64_t birth;  // the epoch that wrote it
  uint32_t size;
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
  explicit Transaction(Store* store) : store_(store) {}

  // Pages that are younger than the epoch `shared` are changed in place: nobody reads them, and no
  // crash leads back to them. `reserve`: see Space::AllocatePage.
  void Begin(uint64_t epoch, uint64_t shared, bool reserve);
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
  char* PageAt(uint32_t number) const { return store_->medium()->At(uint64_t{number} * kPageSize); }
  bool NewBlob(Bytes bytes, BlobRef* ref);
  // The same for a buffer, see Operation.
  bool NewBuffer(Bytes bytes, BlobRef* ref);
  void RetirePage(uint32_t number, uint64_t birth);
  void RetireBlob(const BlobRef& ref);
  void RetireBuffer(const BlobRef& ref);

  bool changed() const { return !made_.empty() || !retired_.empty() || !undo_.empty(); }
  // Gives back all that was allocated, and pages that were changed in place what they held.
  void Abort();
  std::vector<Item>* retired() { return &retired_; }
  const std::vector<Item>& retired_buffers() const { return retired_buffers_; }
  static void Release(Store* store, const Item& item);

 private:
  bool Place(Bytes bytes, BlobRef* ref);

  Store* store_;
  uint64_t epoch_ = 0, shared_ = 0;
  uint32_t fresh_ = 0;  // the page that NewPageNumber gave last
  bool reserve_ = false;
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

#endif  // POTOROO_ENGINE_TRANSACTION_H_
