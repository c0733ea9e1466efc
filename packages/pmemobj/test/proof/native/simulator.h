// Power cuts in a process that does not know of them: which points are cut, and what the cuts left.
#ifndef POTOROO_TEST_SIMULATOR_H_
#define POTOROO_TEST_SIMULATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "media.h"

// The state that a cut left, in a folder that is not written to again before it is released.
struct CutImage {
  uint32_t slot;         // of its folder
  uint32_t first, last;  // states that were allowed, see Allow
  uint32_t mood;
  uint64_t point;
};

class Simulator {
 public:
  // Images lie in `images` + "0", "1", ... , of which there are `slots`.
  Simulator(const std::string& folder, Media::Kind kind, const std::string& images, uint32_t slots,
            uint64_t seed);
  ~Simulator();

  // From now on one fence, or msync, in `fences` is cut, and one flush in `flushes`. 0: none.
  void Plan(uint64_t fences, uint64_t flushes);
  // The states, as the caller counts them, that a cut may leave from now on.
  void Allow(uint32_t first, uint32_t last);
  // The cuts since the last call. If no slot is free, nothing is cut.
  std::vector<CutImage> Take();
  void Release(uint32_t slot);
  uint64_t points() const { return points_; }

 private:
  void AtPoint(bool fence);
  void Cut();

  Media media_;
  const std::string images_;
  Chance luck_;
  uint64_t fences_ = 0, flushes_ = 0, points_ = 0;
  uint32_t first_ = 0, last_ = 0;
  std::vector<uint32_t> free_;
  std::vector<CutImage> cuts_;
};

#endif  // POTOROO_TEST_SIMULATOR_H_
