#include "binding/pool/write_queue.h"

#include <algorithm>
#include <utility>

#include "binding/base/guard.h"
#include "binding/pool/shared_pool.h"

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

// Only pools that need it have a thread.
bool WriteQueue::Start() {
  if (!started_) started_ = uv_thread_create(&thread_, Main, this) == 0;
  return started_;
}

bool WriteQueue::Add(Job job) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!Start()) return false;
  jobs_.push_back(std::move(job));
  pending_.fetch_add(1, std::memory_order_release);
  added_.notify_one();
  return true;
}

bool WriteQueue::AddSync(const void* owner, uint64_t commit, Finish finish) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!Start()) return false;
  syncs_.push_back({owner, commit, std::move(finish)});
  added_.notify_one();
  return true;
}

void WriteQueue::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return stopping_ || !jobs_.empty() || !syncs_.empty(); });
    if (!syncs_.empty()) {
      RunSyncs(&lock);
    } else if (!jobs_.empty()) {
      RunJob(&lock);
    } else {
      return;
    }
    done_.notify_all();
  }
}

void WriteQueue::RunSyncs(std::unique_lock<std::mutex>* lock) {
  syncing_.swap(syncs_);
  lock->unlock();
  uint64_t newest = 0;
  for (const Waiting& waiting : syncing_) newest = std::max(newest, waiting.commit);
  const Status status = newest == kAll ? pool_->Flush() : pool_->Sync(newest);
  for (const Waiting& waiting : syncing_) {
    // Writes that were durable before a failure are acknowledged all the same.
    const bool good = waiting.commit != kAll && pool_->get()->IsDurable(waiting.commit);
    waiting.finish(good ? Status::Ok() : status);
  }
  lock->lock();
  syncing_.clear();
}

void WriteQueue::RunJob(std::unique_lock<std::mutex>* lock) {
  {
    // Its end, with what it holds, is before the lock is taken again.
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    running_ = job.owner;
    lock->unlock();
    const Status status = Guarded([&] { return job.run(); });
    pending_.fetch_sub(1, std::memory_order_release);
    job.finish(status);
  }
  lock->lock();
  running_ = nullptr;
}

bool WriteQueue::Has(const void* owner) const {
  const auto mine = [&](const auto& item) { return item.owner == owner; };
  return running_ == owner || std::any_of(jobs_.begin(), jobs_.end(), mine) ||
         std::any_of(syncs_.begin(), syncs_.end(), mine) ||
         std::any_of(syncing_.begin(), syncing_.end(), mine);
}

void WriteQueue::WaitFor(const void* owner) {
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [&] { return !Has(owner); });
}

void WriteQueue::Abandon(const void* owner) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto mine = [&](const auto& item) { return item.owner == owner; };
  const auto from = std::remove_if(jobs_.begin(), jobs_.end(), mine);
  pending_.fetch_sub(static_cast<size_t>(jobs_.end() - from), std::memory_order_release);
  jobs_.erase(from, jobs_.end());
  syncs_.erase(std::remove_if(syncs_.begin(), syncs_.end(), mine), syncs_.end());
  done_.wait(lock, [&] { return !Has(owner); });
}

}  // namespace potoroo
