#include "binding/write_queue.h"

#include <algorithm>
#include <utility>

namespace potoroo {

WriteQueue::~WriteQueue() {
  if (!started_) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  added_.notify_one();
  uv_thread_join(&thread_);
}

bool WriteQueue::Add(Job job) {
  std::lock_guard<std::mutex> lock(mutex_);
  // Only pools that need it have a thread.
  if (!started_ && uv_thread_create(&thread_, Main, this) != 0) return false;
  started_ = true;
  jobs_.push_back(std::move(job));
  pending_.fetch_add(1, std::memory_order_release);
  added_.notify_one();
  return true;
}

void WriteQueue::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    {
      // Its end, with what it holds, is before the lock is taken again.
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      running_ = job.owner;
      lock.unlock();
      const Status status = job.run();
      pending_.fetch_sub(1, std::memory_order_release);
      job.finish(status);
    }
    lock.lock();
    running_ = nullptr;
    done_.notify_all();
  }
}

bool WriteQueue::Has(const void* owner) const {
  return running_ == owner || std::any_of(jobs_.begin(), jobs_.end(),
                                          [&](const Job& job) { return job.owner == owner; });
}

void WriteQueue::Finish(const void* owner) {
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [&] { return !Has(owner); });
}

void WriteQueue::Abandon(const void* owner) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto mine = [&](const Job& job) { return job.owner == owner; };
  const auto from = std::remove_if(jobs_.begin(), jobs_.end(), mine);
  pending_.fetch_sub(static_cast<size_t>(jobs_.end() - from), std::memory_order_release);
  jobs_.erase(from, jobs_.end());
  done_.wait(lock, [&] { return !Has(owner); });
}

}  // namespace potoroo
