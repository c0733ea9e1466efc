// The pool as libpmemobj gives it: memory at offsets, objects, growth, and the only way to make
// bytes durable. Everything above this class is free of libpmemobj.
#ifndef POTOROO_ENGINE_MEDIUM_MEDIUM_H_
#define POTOROO_ENGINE_MEDIUM_MEDIUM_H_

#include <atomic>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/medium/mapping.h"
#include "engine/medium/part_files.h"

struct pmemobjpool;

namespace potoroo::engine {

// Types of the objects that we allocate from libpmemobj. On media.
enum class ObjectType : uint64_t { kExtent = 1, kBlob = 2 };

class Medium {
 public:
  static Status Create(const std::string& path, const PoolOptions& options,
                       std::unique_ptr<Medium>* medium);
  // `max_size`: raises that of a pool set where it is higher.
  static Status Open(const std::string& path, uint64_t max_size, std::unique_ptr<Medium>* medium);
  // Opens a pool to be read only, without libpmemobj, while others may write. Behind the pool's
  // bytes lies memory of our own, from which Allocate takes; to the pool itself nothing may be
  // written.
  static Status OpenToRead(const std::string& path, std::unique_ptr<Medium>* medium);
  // Create leaves the pool where Open does not find it until this is called, so that a crash in
  // between leaves nothing that cannot be opened.
  Status FinishCreation();
  ~Medium();
  Medium(const Medium&) = delete;
  Medium& operator=(const Medium&) = delete;

  char* At(uint64_t offset) const { return base_ + offset; }
  uint64_t OffsetOf(const void* address) const {
    return static_cast<uint64_t>(static_cast<const char*>(address) - base_);
  }
  bool is_pmem() const { return is_pmem_; }
  // Whether it is, for who writes: of a pool that is read only, nothing is flushed.
  bool lies_on_pmem() const { return is_pmem_ || lies_on_pmem_; }
  uint64_t size() const { return size_; }
  uint64_t max_size() const { return max_size_; }
  bool read_only() const { return pool_ == nullptr; }
  // Offsets are below it.
  uint64_t limit() const { return read_only() ? own_end_ : size_ < max_size_ ? max_size_ : size_; }
  // Offsets from it on may be written to.
  uint64_t writable_from() const { return own_from_; }
  // The file that has the byte at an offset: see PartFiles. Safe for all threads.
  Part PartOf(uint64_t offset) const { return parts_.Find(offset); }

  // Once a file could not be written, or a page of one was lost (see mapping.h): kIo, by this and
  // by all that is below, until the pool is opened again. Safe for all threads.
  Status status() const { return mapping_->status(); }
  bool failed() const { return mapping_->failed(); }
  bool lost() const { return mapping_->lost(); }
  // False where bytes that were there earlier may have been lost since.
  bool IsThere(Bytes bytes) const {
    constexpr uintptr_t kPage = 4096;
    const char* at = bytes.data();
    const char* end = at + bytes.size();
    for (; at < end; at += kPage - reinterpret_cast<uintptr_t>(at) % kPage) Touch(at);
    return !lost();
  }
  // Fails also once a file of the pool has been removed: writes to it would be lost.
  Status CheckThere() const;
  // The same, looked at once a second. By one thread at a time.
  Status CheckThereInTime();
  // The mapping, for callers that may outlive the medium.
  std::shared_ptr<const Mapping> mapping() const { return mapping_; }

  // 0: there is none yet.
  uint64_t RootSize() const;
  // The root object, at least `size` bytes, zeros when new.
  Status Root(uint64_t size, uint64_t* offset);

  // Copies into the pool. Durable after the next Fence. By one thread at a time, as all these.
  void Copy(void* to, const void* from, size_t size);
  // Writes zeros in the same way.
  void Clear(void* to, size_t size);
  // Makes bytes that were stored otherwise durable with the next Fence.
  void Flush(const void* address, size_t size);
  // kIo where the file could not be written: what is durable is unknown from then on.
  Status Fence();
  // Copy and Fence in one, while another thread may use what is above. Not under Copy's rule of one
  // thread.
  Status WriteDurably(void* to, const void* from, size_t size);
  // Off persistent memory: writes durably, past the mapping, which has the bytes then. Safe for all
  // threads.
  Status WriteThrough(uint64_t offset, const char* bytes, uint64_t size) const {
    return parts_.Write(offset, bytes, size);
  }
  // Copies; on persistent memory durably, otherwise only once Sync has returned.
  void Append(void* to, const void* from, size_t size);
  // Makes bytes that were stored durable. Safe for all threads.
  Status Persist(const char* from, size_t size);
  // Off persistent memory: makes a range of the mapping durable. Safe for all threads.
  static Status Sync(const char* from, const char* to);
  using Range = std::pair<const char*, const char*>;
  // Syncs many ranges with few calls.
  static Status SyncAll(std::vector<Range>* ranges);

  // Calls for each object of libpmemobj's heap.
  void EachObject(const std::function<void(ObjectType, uint64_t offset, uint64_t size)>& visit);
  // An object of `size` bytes, filled by `fill` (which flushes what it writes) before it is
  // published. Does not grow the pool. 0: no space.
  using Fill = void (*)(Medium* medium, char* address, size_t size, const void* argument);
  uint64_t Allocate(ObjectType type, uint64_t size, Fill fill, const void* argument);
  void Free(uint64_t offset);
  // Bytes that an object takes, which may be more than were asked for.
  uint64_t UsableSize(uint64_t offset) const;
  // Adds a part of at least `size` bytes. kNoSpace where the pool cannot grow by that.
  Status Grow(uint64_t size);
  // How the last attempt to grow ended since ForgetGrowth.
  Status growth() const { return growth_; }
  void ForgetGrowth() {
    if (!growth_.ok()) growth_ = Status();
  }
  // Whether it may; kNoSpace otherwise.
  void set_may_grow(bool may_grow) { may_grow_ = may_grow; }

 private:
  Medium() = default;
  Status CreateFile(const std::string& path, const PoolOptions& options);
  Status CreateFolder(const std::string& path, const PoolOptions& options);
  Status OpenFile(const std::string& path);
  Status OpenFolder(const std::string& path, uint64_t max_size);
  // Has libpmemobj open the pool, or make it.
  template <typename Call>
  pmemobjpool* Begin(Call call);
  Status Attach(const std::string& path, bool folder);
  bool HeapIsThere() const;
  Status GrowBy(uint64_t size);
  Status FinishGrowth();
  Status Map();
  uint64_t AllocateOwn(uint64_t size, Fill fill, const void* argument);
  // Has the kernel give the page, or lose it.
  static void Touch(const char* at) { *static_cast<const volatile char*>(at); }

  pmemobjpool* pool_ = nullptr;
  char* base_ = nullptr;
  bool is_pmem_ = false;
  bool lies_on_pmem_ = false;
  // While creating: the file that makes the pool one, its name so far (empty: none) and its name to
  // be.
  std::string draft_, final_;
  std::string made_;  // the folder, if it was not there before
  std::atomic<bool> named_{true};
  int file_ = -1;             // of a pool in one file that was created
  int folder_ = -1;           // with a lock
  std::string parts_folder_;  // empty: the pool is one file, and cannot grow
  PartFiles parts_;
  std::shared_ptr<Mapping> mapping_;
  int begin_error_ = 0;   // see Opening
  time_t looked_ = 0;     // when CheckThereInTime did
  bool growing_ = false;  // libpmemobj has a part that `parts_` does not have yet
  bool may_grow_ = true;
  Status growth_;
  uint64_t size_ = 0;
  uint64_t max_size_ = 0;
  // Read only: the addresses that were reserved, and the memory of our own in them, by offsets.
  char* reserved_ = nullptr;
  uint64_t reserved_size_ = 0;
  uint64_t own_from_ = 0, own_used_ = 0, own_end_ = 0;
  // Off persistent memory: what the next Fence has to sync.
  std::vector<Range> pending_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_MEDIUM_H_
