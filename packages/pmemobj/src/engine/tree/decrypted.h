// How much memory takes what was decrypted, and how much may.
//
// It is given back only while nobody reads: pointers to it are held as long as a snapshot lives.
#ifndef POTOROO_ENGINE_TREE_DECRYPTED_H_
#define POTOROO_ENGINE_TREE_DECRYPTED_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "engine/base/memory.h"

namespace potoroo::engine {

// A quarter of the machine's memory.
uint64_t DefaultDecrypted();

// Safe for all threads.
class DecryptedLimit {
 public:
  explicit DecryptedLimit(uint64_t most) : most_(most == 0 ? DefaultDecrypted() : most) {}
  // Called over and over once it is full, by who decrypts: it may take no lock. Set once.
  void SetWhenFull(std::function<void()> when_full) {
    kept_ = std::move(when_full);
    when_full_.store(&kept_, std::memory_order_release);
  }

  bool IsFull() const { return used() > most_; }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  void Add(uint64_t bytes) {
    const uint64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before + bytes <= most_) return;
    const std::function<void()>* when_full = when_full_.load(std::memory_order_acquire);
    const bool tells = before <= most_ || (before + bytes) / kMiB != before / kMiB;
    if (tells && when_full != nullptr) (*when_full)();
  }
  void Remove(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const uint64_t most_;
  std::atomic<uint64_t> used_{0};
  std::function<void()> kept_;
  std::atomic<const std::function<void()>*> when_full_{nullptr};
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_DECRYPTED_H_
