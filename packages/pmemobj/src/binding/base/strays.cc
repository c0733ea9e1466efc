#include "binding/base/strays.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace potoroo {

void Strays::Add(const char* memory, size_t size) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t from = reinterpret_cast<uintptr_t>(memory);
  std::lock_guard<std::mutex> lock(mutex_);
  count_++;
  low_ = std::min(low_, from / page * page);
  high_ = std::max(high_, (from + size + page - 1) / page * page);
}

void Strays::Remove() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (--count_ == 0) Uncover();
}

// Maps one piece over all of them: it takes addresses, and no memory until it is written to.
void Strays::Cover() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (count_ == 0) return;
  void* at = reinterpret_cast<void*>(low_);
  cover_size_ = high_ - low_;
  cover_ = mmap(at, cover_size_, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (cover_ == at) return;
  if (cover_ != MAP_FAILED) munmap(cover_, cover_size_);
  cover_ = nullptr;
}

void Strays::Uncover() {
  if (cover_ != nullptr) munmap(cover_, cover_size_);
  cover_ = nullptr;
}

}  // namespace potoroo
