// Memory that the system refuses is an exception of C++: it must not get to Node.js, nor end a
// thread.
#ifndef POTOROO_BINDING_GUARD_H_
#define POTOROO_BINDING_GUARD_H_

#include <exception>

#include "engine/engine.h"

namespace potoroo {

// Returns kNoMemory. Its text is so short that it takes no memory.
inline Status NoMemory() {
  static const std::string text = "out of memory";
  return Status(Code::kNoMemory, &text);
}

// Returns the result of `call`, or kNoMemory if it was refused memory.
template <typename Call>
Status Guarded(Call call) {
  try {
    return call();
  } catch (const std::exception&) {
    return NoMemory();
  }
}

}  // namespace potoroo

#endif  // POTOROO_BINDING_GUARD_H_
