// Memory that the system refuses.
//
// An allocation that fails throws, as C++ has it. Whatever can be called from outside catches that
// and returns kNoMemory; in between, things stay as they were before, or have been reserved ahead:
// from the moment that a commit is in the log, nothing allocates.
#ifndef POTOROO_ENGINE_BASE_MEMORY_H_
#define POTOROO_ENGINE_BASE_MEMORY_H_

#include <algorithm>
#include <exception>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

// So short that the text takes no memory.
inline Status NoMemory() { return Status(Code::kNoMemory, "out of memory"); }

// What `call` returns, or kNoMemory where it was refused memory, or a thread.
template <typename Call>
Status Guarded(Call call) {
  try {
    return call();
  } catch (const std::exception&) {
    return NoMemory();
  }
}

// Room for so many more items: to add them cannot fail then.
template <typename Items>
void ReserveMore(Items* items, size_t more) {
  const size_t room = items->capacity();
  if (room - items->size() < more) items->reserve(std::max(2 * room, items->size() + more));
}

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_BASE_MEMORY_H_
