// What a thread of JavaScript must not wait for, done in order on a thread of the pool's own.
#ifndef POTOROO_BINDING_WRITE_QUEUE_H_
#define POTOROO_BINDING_WRITE_QUEUE_H_

#include <uv.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "engine/engine.h"

namespace potoroo {

class WriteQueue {
 public:
  struct Job {
    // Whose it is.
    const void* owner;
    std::function<Status()> run;
    // Told what `run` gave, on the same thread.
    std::function<void(const Status&)> finish;
  };

  WriteQueue() = default;
  // Does all that is queued.
  ~WriteQueue();
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  // False where the system gives no thread.
  bool Add(Job job);
  // Nothing is queued or under way.
  bool idle() const { return pending_.load(std::memory_order_acquire) == 0; }
  // Waits until the owner's jobs are done.
  void Finish(const void* owner);
  // Drops those of the owner's jobs that have not begun, and waits for the one that has.
  void Abandon(const void* owner);

 private:
  static void Main(void* queue) { static_cast<WriteQueue*>(queue)->Work(); }
  void Work();
  bool Has(const void* owner) const;

  std::mutex mutex_;
  std::condition_variable added_, done_;
  std::deque<Job> jobs_;
  const void* running_ = nullptr;
  std::atomic<size_t> pending_{0};
  bool started_ = false;
  bool stopping_ = false;
  uv_thread_t thread_;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_WRITE_QUEUE_H_
