// Which commits are durable, and the flushes of the file that make them so where a cache-line flush
// does not: one for all who wait at that time (group commit).
#ifndef POTOROO_ENGINE_SYNCER_H_
#define POTOROO_ENGINE_SYNCER_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine.h"
#include "medium.h"

namespace potoroo::engine {

// Safe for all threads.
class Syncer {
 public:
  // A record that is not durable yet. Epochs ascend.
  void Appended(uint64_t epoch, const char* from, const char* to);
  // All commits up to this one are durable by other means.
  void SetDurable(uint64_t epoch);
  // The same where nothing is ever appended.
  void SetDurableAtOnce(uint64_t epoch) { durable_.store(epoch, std::memory_order_release); }
  bool IsDurable(uint64_t epoch) const { return durable_.load(std::memory_order_acquire) >= epoch; }
  Status Wait(uint64_t epoch);
  // All that was appended so far.
  Status WaitForAll();
  bool idle() const;

  // The file could not be written. What is durable is unknown from then on: the kernel takes pages
  // that it failed to write for clean ones, so to try again proves nothing.
  void Fail(const Status& status);
  Status status() const;

 private:
  struct Record {
    uint64_t epoch;  // of the last commit in it
    Medium::Range range;
  };

  mutable std::mutex mutex_;
  std::condition_variable done_;
  std::vector<Record> records_;
  bool syncing_ = false;
  std::atomic<bool> failed_{false};
  Status failure_;
  std::atomic<uint64_t> durable_{0};
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SYNCER_H_
