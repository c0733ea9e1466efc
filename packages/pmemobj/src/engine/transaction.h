// What one commit allocates and gives up, and the memory it needs meanwhile.
#ifndef POTOROO_ENGINE_TRANSACTION_H_
#define POTOROO_ENGINE_TRANSACTION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "blob.h"
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

  void Begin(uint64_t epoch, bool reserve);
  Store* store() { return store_; }
  Arena* arena() { return &arena_; }
  uint64_t epoch() const { return epoch_; }

  // Copies `size` bytes of an image into a new page, which has been numbered before.
  bool NewPageNumber(uint32_t* number);
  void WritePage(uint32_t number, const char* image, size_t size);
  bool NewBlob(Bytes bytes, BlobRef* ref);
  void RetirePage(uint32_t number, uint64_t birth);
  void RetireBlob(const BlobRef& ref);

  // After the fence: what was made is good, and need not be verified by readers. Not earlier,
  // because an atomic operation waits for the stores before it to arrive in memory.
  void SetVerified();
  // Gives back all that was allocated.
  void Abort();
  std::vector<Item>* retired() { return &retired_; }
  static void Release(Store* store, const Item& item);

 private:
  Store* store_;
  uint64_t epoch_ = 0;
  bool reserve_ = false;
  Arena arena_;
  std::vector<Item> made_, retired_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TRANSACTION_H_
