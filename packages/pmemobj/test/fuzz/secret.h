// The key of the pools that a fuzzer makes: those of the fuzzers that are built with FUZZ_ENCRYPTED
// are encrypted.
#ifndef POTOROO_FUZZ_SECRET_H_
#define POTOROO_FUZZ_SECRET_H_

#include <string>

#include "engine/engine.h"

#ifdef FUZZ_ENCRYPTED
inline const std::string kSecret(potoroo::kKeySize, 'k');
#else
inline const std::string kSecret;
#endif

inline potoroo::PoolOptions WithSecret(uint64_t size = 0, uint64_t max_size = 0) {
  potoroo::PoolOptions options;
  options.size = size;
  options.max_size = max_size;
  options.key = kSecret;
  return options;
}

#endif  // POTOROO_FUZZ_SECRET_H_
