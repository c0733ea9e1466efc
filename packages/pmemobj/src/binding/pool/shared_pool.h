// One engine Pool for all threads of the process that have it open.
//
// The first thread that opens a path opens the engine's Pool; others join it, by whatever path they
// name it; the last one that leaves closes it.
#ifndef POTOROO_BINDING_SHARED_POOL_H_
#define POTOROO_BINDING_SHARED_POOL_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>

#include "binding/base/strays.h"
#include "binding/pool/latest.h"
#include "binding/pool/write_queue.h"
#include "engine/engine.h"

namespace potoroo {

struct OpenRequest {
  std::string path;
  bool create_if_missing = true;
  bool error_if_exists = false;
  // Fail where another thread has it, and keep others out.
  bool exclusive = false;
  // `durability` where it is wanted, else that of the threads that have it.
  bool durability_given = false;
  // New limit of an existing pool; 0 leaves it.
  uint64_t raise_max_size = 0;
  PoolOptions options;
};

// How a thread holds a map: beside others, as the only one that writes it, or alone.
enum class Holding { kShared, kWriter, kAlone };

class SharedPool {
 public:
  // `thread`: whatever stands for the calling one. kInUse where it has the pool open already. The
  // sizes that those ask for who join do not count; kInvalid where they ask for another durability.
  // They need the key of a pool that is encrypted, as the first one did. A pool that is to be read
  // only is shared with nobody: each has the state of the moment when it was opened.
  static Status Join(const OpenRequest& request, const void* thread, SharedPool** pool);
  // The last one that leaves destroys it; it has left, too, where writes of a relaxed pool could
  // not be made durable.
  Status Leave(const void* thread);

  Pool* get() const { return pool_.get(); }
  Durability durability() const { return durability_; }
  LatestRegister* latest() { return &latest_; }
  WriteQueue* queue() { return &queue_; }
  const std::shared_ptr<Strays>& strays() const { return strays_; }

  // Whether WriteAtOnce may be tried: it takes no longer than others may be kept waiting.
  bool IsSmall(const Operation* operations, size_t count) const;
  // A small write, unless it would have to wait for a big one, or for what is queued: false then.
  // `*commit` is what to wait for until it is durable.
  bool WriteAtOnce(const Operation* operations, size_t count, uint64_t* commit, Status* status);
  // Waits for whatever is under way, and makes the small ones wait, or be queued, meanwhile.
  // Durable.
  Status WriteAlone(const Operation* operations, size_t count);
  // Durable, together with what was saved of buffers.
  Status WriteSaved(const Operation* operations, size_t count);
  // Pool::Sync, Pool::Flush. If they fail, the pool goes back to what is durable.
  Status Sync(uint64_t commit);
  Status Flush();
  Status OpenMap(Bytes name, uint32_t* map);
  // kInUse if a thread other than `thread` holds it.
  Status DropMap(const void* thread, Bytes name);
  // OpenMap; nobody drops it before `thread` releases it, or leaves. kInUse where it holds it; as a
  // writer, where another writer does; alone, where any thread does, and for all others from then
  // on.
  Status HoldMap(const void* thread, Bytes name, Holding holding, uint32_t* map);
  // Pool::Checkpoint, and Pool::GiveBack.
  Status Checkpoint() { return pool_->Checkpoint(); }
  Status GiveBack(bool* begun) { return pool_->GiveBack(begun); }
  // A step of Pool::Compact.
  Status Compact(bool* done);
  void ReleaseMap(const void* thread, Bytes name);
  // Pool::RotateKey; who joins later needs that key.
  Status RotateKey(Bytes key);
  // Whether one more user may have it with these options: kInvalid, or a key's code, as from Join.
  Status Admit(const OpenRequest& request) const;

  // Whether `thread` is the one that may write objects: the first that asks, until it leaves.
  bool ClaimObjects(const void* thread);
  void DisclaimObjects(const void* thread);
  // How many threads want to be told what commits of objects have changed.
  std::atomic<int>* watchers() { return &watchers_; }

 private:
  friend struct Registry;
  SharedPool() = default;
  static Status JoinToRead(const OpenRequest& request, const void* thread, SharedPool** pool);
  // Called under the registry's mutex.
  Status Suit(const OpenRequest& request) const;
  // Called by every thread that leaves.
  void ReleaseMaps(const void* thread);

  LatestRegister latest_;  // before the pool, which tells it when it is full
  std::unique_ptr<Pool> pool_;
  bool read_only_ = false;
  bool is_pmem_ = false;
  Durability durability_ = Durability::kStrict;
  const std::shared_ptr<Strays> strays_ = std::make_shared<Strays>();
  // Small writes share it: their order is the engine's affair.
  std::shared_mutex gate_;

  // The thread that may write objects.
  std::atomic<const void*> objects_writer_{nullptr};
  std::atomic<int> watchers_{0};

  std::mutex held_mutex_;
  struct Holders {
    std::set<const void*> threads;
    bool alone = false;
    const void* writer = nullptr;
    void Erase(const void* thread);
  };
  std::map<std::string, Holders> held_;

  // The registry's, under its mutex.
  std::set<const void*> threads_;
  bool exclusive_ = false;
  std::string key_;

  // Last, for its thread uses all the others until it ends.
  WriteQueue queue_;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_SHARED_POOL_H_
