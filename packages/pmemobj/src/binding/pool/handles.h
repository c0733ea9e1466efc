// Handles of JavaScript on the engine: a pool, and the snapshots and iterators over it.
//
// JavaScript owns each through an External and frees it by garbage collection, in any order, or
// has the External hold another one once it is closed; a pool closes those that are open when
// it closes, or goes, itself.
#ifndef POTOROO_BINDING_HANDLES_H_
#define POTOROO_BINDING_HANDLES_H_

#include <node_api.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "binding/pool/latest.h"
#include "binding/pool/shared_pool.h"
#include "engine/engine.h"

namespace potoroo {

class PoolHandle;

// Keeps a pool open while another thread reads it, which does not go by the pool's queue.
class ReadersGate {
 public:
  // False once it is closed.
  bool Enter() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return false;
    inside_++;
    return true;
  }
  void Leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--inside_ == 0) empty_.notify_all();
  }
  // Waits for those that are inside.
  void Close() {
    std::unique_lock<std::mutex> lock(mutex_);
    closed_ = true;
    empty_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable empty_;
  size_t inside_ = 0;
  bool closed_ = false;
};

class Handle {
 public:
  enum class Kind : uint32_t {
    kPool = 0x706f6f6c,
    kSnapshot = 0x736e6170,
    kIterator = 0x69746572,
    kView = 0x76696577
  };

  explicit Handle(Kind kind) : kind_(kind) {}
  virtual ~Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  Kind kind() const { return kind_; }

  // The External for a handle, which deletes it when it is collected: `spare`, unless it is
  // undefined, whose own handle is closed. V8 frees Externals in its slow collections only, so
  // new ones for each reader would make those longer and longer.
  static napi_value Wrap(napi_env env, std::unique_ptr<Handle> handle, napi_value spare = nullptr);
  // Null, with a TypeError pending, where `value` is not the External of such a handle.
  static Handle* Unwrap(napi_env env, napi_value value, Kind kind);

 private:
  const Kind kind_;
};

// A handle that a pool closes with itself: a node of the pool's list.
class Dependent : public Handle {
 public:
  Dependent(Kind kind, PoolHandle* pool);
  ~Dependent() override { Unlink(); }

  // Null once closed.
  PoolHandle* pool() const { return pool_; }
  // Lets go of what it holds of the engine. Closing twice is allowed.
  void Close();

 protected:
  virtual void Release() = 0;

 private:
  friend class PoolHandle;
  void Unlink();

  PoolHandle* pool_;
  Dependent* previous_ = nullptr;
  Dependent* next_ = nullptr;
};

// A thread's part in a pool.
class PoolHandle : public Handle {
 public:
  // Joined by `env`'s thread, as `this_thread`.
  PoolHandle(napi_env env, SharedPool* pool, const void* this_thread);
  ~PoolHandle() override { (void)Close(); }

  bool open() const { return pool_ != nullptr; }
  SharedPool* operator->() const { return pool_; }
  SharedPool* pool() const { return pool_; }
  Latest* latest() { return latest_.get(); }
  // Whether its thread is the one that may write objects: the first that asks, until it closes.
  bool ClaimObjects() { return pool_->ClaimObjects(this_thread_); }
  void DisclaimObjects() { pool_->DisclaimObjects(this_thread_); }
  // Whether its thread wants to be told what commits of objects have changed, until it closes; and
  // whether others do.
  void WatchObjects(bool watches) {
    if (watches != watches_) pool_->watchers()->fetch_add(watches ? 1 : -1);
    watches_ = watches;
  }
  bool OthersWatch() const { return pool_->watchers()->load() > (watches_ ? 1 : 0); }
  Status HoldMap(Bytes name, Holding holding, uint32_t* map) {
    return pool_->HoldMap(this_thread_, name, holding, map);
  }
  Status DropMap(Bytes name) { return pool_->DropMap(this_thread_, name); }
  void ReleaseMap(Bytes name) { pool_->ReleaseMap(this_thread_, name); }
  // Whether the latest step of a compaction that the thread has queued is done.
  std::atomic<bool>* compacted() { return &compacted_; }
  const std::shared_ptr<ReadersGate>& gate() const { return gate_; }
  // Waits for what it has queued. Is closed afterwards, whatever SharedPool::Leave says.
  Status Close();

  // The open pool of an External; null with an exception pending.
  static PoolHandle* Unwrap(napi_env env, napi_value value);

 private:
  friend class Dependent;
  static void CloseAtExit(void* handle);

  napi_env env_;
  SharedPool* pool_;
  const void* const this_thread_;
  std::unique_ptr<Latest> latest_;
  Dependent* dependents_ = nullptr;
  bool watches_ = false;
  std::atomic<bool> compacted_{false};
  const std::shared_ptr<ReadersGate> gate_ = std::make_shared<ReadersGate>();
};

// The first arguments of every call on a map: (pool, map, ...).
struct MapCall {
  // False with an exception pending.
  bool Read(napi_env env, napi_value pool_value, napi_value map_value);
  PoolHandle* pool = nullptr;
  uint32_t map = 0;
};

class SnapshotHandle : public Dependent {
 public:
  SnapshotHandle(PoolHandle* pool, std::shared_ptr<Snapshot> snapshot)
      : Dependent(Kind::kSnapshot, pool), snapshot_(std::move(snapshot)) {}
  ~SnapshotHandle() override { Close(); }
  const std::shared_ptr<Snapshot>& snapshot() const { return snapshot_; }

  // Returns the snapshot of `value`; null with an exception pending.
  static const std::shared_ptr<Snapshot>* Unwrap(napi_env env, PoolHandle* pool, napi_value value);

 protected:
  void Release() override { snapshot_.reset(); }

 private:
  std::shared_ptr<Snapshot> snapshot_;
};

// The snapshot that a call reads from.
class ReadSnapshot {
 public:
  // Returns the snapshot of `value`, or the latest commit if it is undefined (or null). It stays as
  // long as this, unless JavaScript runs meanwhile: then copy it. Null with an exception pending.
  const std::shared_ptr<Snapshot>* Choose(napi_env env, PoolHandle* pool, napi_value value);

 private:
  LatestRead latest_;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_HANDLES_H_
