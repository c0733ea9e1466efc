// Which commits are durable, and the writes of the log that make them so where a cache-line flush
// does not: one for all who wait at that time (group commit).
//
// Records are held in memory until somebody waits, and then written to the file past the mapping,
// in whole pages: to sync a mapped page costs several times as much where the page cache has it in
// a large folio. Under Durability::kRelaxed they are stored in the mapping at once, where they
// survive the end of the process, and synced later.
#ifndef POTOROO_ENGINE_LOG_SYNCER_H_
#define POTOROO_ENGINE_LOG_SYNCER_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/medium/medium.h"

namespace potoroo::engine {

// Safe for all threads.
class Syncer {
 public:
  explicit Syncer(Medium* medium);

  // The record of a commit that is not durable yet, and its place in the pool. Epochs and, in a
  // segment of the log, places ascend.
  void Hold(uint64_t epoch, uint64_t place, Bytes record);
  // The same, but brings it into the mapping.
  void Store(uint64_t epoch, uint64_t place, Bytes record);
  // All commits up to this one are durable by other means.
  void SetDurable(uint64_t epoch);
  // The same, for a log in which nothing is ever held or stored.
  void SetDurableAtOnce(uint64_t epoch) { durable_.store(epoch, std::memory_order_release); }
  bool IsDurable(uint64_t epoch) const { return durable() >= epoch; }
  // The last commit that is known to be durable, with all before it.
  uint64_t durable() const { return durable_.load(std::memory_order_acquire); }
  Status Wait(uint64_t epoch);
  // All that was held or stored so far.
  Status WaitForAll();
  // Waits until no thread writes any longer: one that is late may be at what is durable by other
  // means since, at the place that it had then. Before the bytes of the log become something else.
  void Drain();
  // Drains, before the medium goes. Writes that are not durable then never are: kInvalid.
  void Leave();

  // Notes that the file could not be written. From then on nothing is known to be durable: the
  // kernel takes pages that it failed to write for clean ones, so a second try proves nothing.
  void Fail(const Status& status);
  Status status() const { return failed_ || mapping_->failed() ? Failure() : Status::Ok(); }

 private:
  // Records that lie one after the other.
  struct Stretch {
    uint64_t epoch;  // of the last commit in it
    uint64_t from, to;
    std::string bytes;  // of all pages from `from` on, or nothing where the mapping has them;
                        // with room for the rest of the last one
  };
  Status Failure() const;
  Stretch* StretchTo(uint64_t place);
  void KeepTail(const Stretch& stretch);
  Status Write(std::vector<Stretch>* stretches);

  Medium* const medium_;
  // It outlives the medium.
  const std::shared_ptr<const Mapping> mapping_;
  mutable std::mutex mutex_;
  std::condition_variable done_;
  std::vector<Stretch> stretches_;
  // The last page that was written: what follows in it is written together with it.
  uint64_t tail_at_ = 0;
  std::string tail_;
  bool syncing_ = false;
  uint64_t syncing_to_ = 0;  // the last commit that is being synced
  bool left_ = false;
  std::atomic<bool> failed_{false};
  Status failure_;
  std::atomic<uint64_t> durable_{0};
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_LOG_SYNCER_H_
