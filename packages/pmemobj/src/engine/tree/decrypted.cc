#include "engine/tree/decrypted.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "engine/tree/store.h"

namespace potoroo::engine {
namespace {

constexpr uint64_t kMemoryPage = 4096;
constexpr uint64_t kWordsPerRegion = kRegionSize / kMemoryPage / 64;
// Bytes that are given back at once: some milliseconds, in which nobody can begin to read or write.
constexpr uint64_t kGivenAtOnce = uint64_t{32} << 20;
// The longest run may reach into a region from this many before it.
constexpr uint64_t kRegionsOfRun = (kMaxRunSize + kRegionSize - 1) / kRegionSize;

}  // namespace

uint64_t DefaultDecrypted() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return uint64_t{1} << 30;
  return static_cast<uint64_t>(pages) / 4 * static_cast<uint64_t>(size);
}

// Notes the memory of what is to be decrypted there.
void Store::Touch(uint64_t offset, uint64_t size) const {
  if (limit_ == nullptr) return;
  uint64_t taken = 0;
  for (uint64_t at = offset / kMemoryPage; at * kMemoryPage < offset + size; at++) {
    std::atomic<uint64_t>& word = touched_[at / 64];
    const uint64_t bit = uint64_t{1} << (at % 64);
    if ((word.load(std::memory_order_relaxed) & bit) != 0) continue;
    if ((word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0) taken += kMemoryPage;
  }
  if (taken != 0) limit_->Add(taken);
}

// Whole pages of memory.
void Store::GiveBackPlain(uint64_t from, uint64_t to) const {
  from = (from + kMemoryPage - 1) / kMemoryPage * kMemoryPage;
  to = to / kMemoryPage * kMemoryPage;
  if (from >= to) return;
  madvise(PlainAt(from), to - from, MADV_DONTNEED);
  if (limit_ == nullptr) return;
  uint64_t given = 0;
  for (uint64_t at = from / kMemoryPage; at < to / kMemoryPage; at++) {
    const uint64_t bit = uint64_t{1} << (at % 64);
    if ((touched_[at / 64].fetch_and(~bit, std::memory_order_relaxed) & bit) != 0) {
      given += kMemoryPage;
    }
  }
  limit_->Remove(given);
}

bool Store::IsTouched(uint64_t region) const {
  const std::atomic<uint64_t>* words = touched_ + region * kWordsPerRegion;
  return std::any_of(words, words + kWordsPerRegion, [](const std::atomic<uint64_t>& word) {
    return word.load(std::memory_order_relaxed) != 0;
  });
}

void Store::GiveBackDecrypted() {
  const uint64_t before = limit_->used(), regions = space_.limit() / kRegionSize;
  for (uint64_t i = 0; i < regions && before - limit_->used() < kGivenAtOnce; i++) {
    if (IsTouched(hand_)) ForgetRegion(hand_);
    hand_ = (hand_ + 1) % regions;
  }
}

// Bytes of the region, and of runs that reach into it, are decrypted again when they are read.
void Store::ForgetRegion(uint64_t region) {
  const uint64_t from = region * kRegionSize, to = from + kRegionSize;
  {
    std::unique_lock<std::shared_mutex> lock(objects_mutex_);
    for (auto& [offset, object] : objects_) {
      if (object.verified == 0 || offset >= to || offset + object.size <= from) continue;
      object.verified = 0;
      GiveBackPlain(offset, offset + object.size);
    }
  }
  const uint64_t first = region - std::min(region, kRegionsOfRun);
  madvise(&MarkAt(first * kRegionSize), (region + 1 - first) * kRegionSize / kUnit * sizeof *marks_,
          MADV_DONTNEED);
  space_.ForgetVerified(from, [this](uint64_t begin, uint64_t end) { GiveBackPlain(begin, end); });
}

}  // namespace potoroo::engine
