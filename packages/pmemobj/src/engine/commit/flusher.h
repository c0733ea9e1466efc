// Under Durability::kRelaxed, a thread syncs the log every second, which a checkpoint may take
// longer than.
#ifndef POTOROO_ENGINE_COMMIT_FLUSHER_H_
#define POTOROO_ENGINE_COMMIT_FLUSHER_H_

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/log/syncer.h"

namespace potoroo::engine {

class Flusher {
 public:
  explicit Flusher(Syncer* syncer) : syncer_(syncer) {}

  // Starts the thread, if there is none. By the writing thread.
  void Need();
  void Stop();

 private:
  void Run();

  Syncer* const syncer_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_FLUSHER_H_
