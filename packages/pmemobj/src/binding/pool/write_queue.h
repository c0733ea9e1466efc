// Work that a thread of JavaScript must not wait for, done in order on a thread of the pool's own.
#ifndef POTOROO_BINDING_WRITE_QUEUE_H_
#define POTOROO_BINDING_WRITE_QUEUE_H_

#include <uv.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "engine/engine.h"

namespace potoroo {

class SharedPool;

class WriteQueue {
 public:
  // Told how it ended, on the queue's thread.
  using Finish = std::function<void(const Status&)>;
  struct Job {
    // The handle that queued it.
    const void* owner;
    std::function<Status()> run;
    Finish finish;
  };
  // All commits so far, which a relaxed pool would flush later.
  static constexpr uint64_t kAll = UINT64_MAX;

  WriteQueue() = default;
  // Called before the first Add.
  void Serve(SharedPool* pool) { pool_ = pool; }
  // Does all that is queued.
  ~WriteQueue();
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  // False where the system gives no thread.
  bool Add(Job job);
  // Waits until a commit is durable, before the jobs that are queued, and together with the others
  // that wait: they share a flush. Does not count as a job. False where the system gives no thread.
  bool AddSync(const void* owner, uint64_t commit, Finish finish);
  // No job is queued or under way.
  bool idle() const { return pending_.load(std::memory_order_acquire) == 0; }
  // Waits until all of the owner's is done.
  void WaitFor(const void* owner);
  // Drops what has not begun of the owner's, and waits for what has.
  void Abandon(const void* owner);

 private:
  static void Main(void* queue) { static_cast<WriteQueue*>(queue)->Work(); }
  struct Waiting {
    const void* owner;
    uint64_t commit;
    Finish finish;
  };
  bool Start();
  void Work();
  void RunSyncs(std::unique_lock<std::mutex>* lock);
  void RunJob(std::unique_lock<std::mutex>* lock);
  bool Has(const void* owner) const;

  SharedPool* pool_ = nullptr;
  std::mutex mutex_;
  std::condition_variable added_, done_;
  std::deque<Job> jobs_;
  std::vector<Waiting> syncs_;
  // Owner of the work under way.
  const void* running_ = nullptr;
  std::vector<Waiting> syncing_;
  std::atomic<size_t> pending_{0};
  bool started_ = false;
  bool stopping_ = false;
  uv_thread_t thread_;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_WRITE_QUEUE_H_
