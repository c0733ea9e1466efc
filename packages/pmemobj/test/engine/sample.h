// Takes a part of many trials that differ only in their place.
#ifndef POTOROO_TEST_SAMPLE_H_
#define POTOROO_TEST_SAMPLE_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>

// With DAMAGE_ONE_IN=n one trial in n is run; otherwise all are. With 4, damage_test.cc still has
// all places of libpmemobj's structures; with 5 or 6 it has not.
inline uint64_t DamageOneIn() {
  const char* text = getenv("DAMAGE_ONE_IN");
  return text == nullptr ? 1 : std::max<uint64_t>(1, strtoull(text, nullptr, 10));
}

// Chooses trials of one sort: the first, and each n-th after it.
class Sample {
 public:
  bool Next() { return count_++ % DamageOneIn() == 0; }

 private:
  uint64_t count_ = 0;
};

#endif  // POTOROO_TEST_SAMPLE_H_
