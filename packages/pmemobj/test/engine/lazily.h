// Pools whose trees are walked only once they are open, however small they are.
#ifndef POTOROO_TEST_LAZILY_H_
#define POTOROO_TEST_LAZILY_H_

#include <cstdlib>

#include "engine/pool/recovery.h"

// While it lives, no pool is walked at once, in the processes that are started meanwhile, too.
struct Lazily {
  Lazily() : before(potoroo::engine::walked_at_once) {
    potoroo::engine::walked_at_once = 0;
    setenv("WALKED_AT_ONCE", "0", 1);
  }
  ~Lazily() {
    potoroo::engine::walked_at_once = before;
    unsetenv("WALKED_AT_ONCE");
  }
  const uint64_t before;
};

#endif  // POTOROO_TEST_LAZILY_H_
