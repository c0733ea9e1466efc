// Memory of a pool that JavaScript may still reach when the pool is gone.
#ifndef POTOROO_BINDING_STRAYS_H_
#define POTOROO_BINDING_STRAYS_H_

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace potoroo {

// Outlives the pool, and what is never out of reach.
class Strays {
 public:
  Strays() = default;
  Strays(const Strays&) = delete;
  Strays& operator=(const Strays&) = delete;

  void Add(const char* memory, size_t size);
  // Notes that one of those that were added is out of reach.
  void Remove();
  // Puts memory of zeros, which nothing but them uses, in the place of what was unmapped, until
  // all are out of reach.
  void Cover();

 private:
  void Uncover();

  std::mutex mutex_;
  size_t count_ = 0;
  uintptr_t low_ = UINTPTR_MAX;
  uintptr_t high_ = 0;
  void* cover_ = nullptr;
  size_t cover_size_ = 0;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_STRAYS_H_
