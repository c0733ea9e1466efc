// Memory: its lines, and what is done where the system refuses it.
//
// An allocation that fails throws, as C++ has it. Whatever can be called from outside catches that
// and returns kNoMemory; in between, things stay as they were before, or have been reserved ahead:
// from the moment that a commit is in the log, nothing allocates.
#ifndef POTOROO_ENGINE_BASE_MEMORY_H_
#define POTOROO_ENGINE_BASE_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

// Bytes that a processor flushes at once.
inline constexpr uint64_t kLine = 64;
inline constexpr uint64_t kMiB = uint64_t{1} << 20;

inline Status NoMemory() {
  static const std::string text = "out of memory";
  return Status(Code::kNoMemory, &text);
}
// Stands in for a failure that has to be kept when there is no memory for its words.
inline Status WriteFailed() {
  static const std::string text = "write failed";
  return Status(Code::kIo, &text);
}

// Returns the result of `call`, or kNoMemory if it was refused memory, or a thread.
template <typename Call>
Status Guarded(Call call) {
  try {
    return call();
  } catch (const std::exception&) {
    return NoMemory();
  }
}

// Out of line, so that ReserveMore is not.
template <typename Items>
__attribute__((noinline, cold)) void MoreThanDouble(Items* items, size_t more) {
  items->reserve(std::max(2 * items->capacity(), items->size() + more));
}

// Makes room for `more` items: adding them cannot fail then.
template <typename Items>
void ReserveMore(Items* items, size_t more) {
  if (__builtin_expect(items->capacity() - items->size() < more, 0)) MoreThanDouble(items, more);
}

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_BASE_MEMORY_H_
