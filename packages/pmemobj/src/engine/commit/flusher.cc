#include "engine/commit/flusher.h"

#include <chrono>

#include "engine/base/memory.h"

namespace potoroo::engine {
namespace {

// The time whose writes a power cut may take under Durability::kRelaxed.
constexpr std::chrono::seconds kRelaxedDelay{1};

}  // namespace

void Flusher::Need() {
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
}

void Flusher::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// A second from the start of one sync to that of the next.
void Flusher::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    const auto next = std::chrono::steady_clock::now() + kRelaxedDelay;
    lock.unlock();
    // It keeps a failure for all who ask later.
    (void)Guarded([&] { return syncer_->WaitForAll(); });
    lock.lock();
    stopped_.wait_until(lock, next, [&] { return stop_; });
  }
}

}  // namespace potoroo::engine
