// The latest commit, kept by each thread that reads: a read then costs no snapshot of its own.
//
// A kept snapshot must never be read after a later write has returned, on whichever thread, and
// must pin no space while its thread does something else. So a write first takes away all that are
// kept, and counts itself; what is taken while one is under way is not kept.
#ifndef POTOROO_BINDING_LATEST_H_
#define POTOROO_BINDING_LATEST_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/engine.h"

namespace potoroo {

class Latest;

// All of a pool.
class LatestRegister {
 public:
  // Around each write.
  class Write {
   public:
    explicit Write(LatestRegister* all);
    ~Write() { all_->ended_.fetch_add(1); }
    Write(const Write&) = delete;
    Write& operator=(const Write&) = delete;

   private:
    LatestRegister* all_;
  };
  // Takes away all that are kept.
  void Drop();
  // Keeps the snapshot from being read again; readers under way go on without it. Takes no lock.
  void Outdate() {
    begun_.fetch_add(1);
    ended_.fetch_add(1);
  }

 private:
  friend class Latest;
  friend class LatestRead;
  std::mutex mutex_;
  std::vector<Latest*> members_;
  std::atomic<uint64_t> begun_{0};
  std::atomic<uint64_t> ended_{0};
};

// A thread's, of one pool.
class Latest {
 public:
  explicit Latest(LatestRegister* all);
  ~Latest() { Leave(); }
  Latest(const Latest&) = delete;
  Latest& operator=(const Latest&) = delete;
  // Called on the thread itself, before the pool goes.
  void Leave();

 private:
  friend class LatestRegister;
  friend class LatestRead;
  struct Kept {
    std::shared_ptr<Snapshot> snapshot;
    // Writes begun, and all of them ended, when it was taken; or kNever.
    uint64_t writes;
  };
  static constexpr uint64_t kNever = UINT64_MAX;
  std::unique_ptr<Kept> Claim() { return std::unique_ptr<Kept>(kept_.exchange(nullptr)); }

  LatestRegister* all_;
  std::atomic<Kept*> kept_{nullptr};
};

// A read on the thread of a Latest, which must outlive it: the snapshot stays as long as it.
class LatestRead {
 public:
  LatestRead() = default;
  ~LatestRead();
  LatestRead(const LatestRead&) = delete;
  LatestRead& operator=(const LatestRead&) = delete;

  // Null with `*status` set.
  const std::shared_ptr<Snapshot>* Begin(Pool* pool, Latest* latest, Status* status);

 private:
  Latest* latest_ = nullptr;
  std::unique_ptr<Latest::Kept> kept_;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_LATEST_H_
