// Bytes that look like what the engine itself has on media, with checksums that hold: whoever
// stores them tries to have them taken for headers, records of the log, pages, entries of the undo
// area or root slots. He knows the formats, of this layout version and the one before, and how many
// commits there are; he does not know the salts.
#ifndef POTOROO_TEST_HOSTILE_H_
#define POTOROO_TEST_HOSTILE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "model.h"

class Hostile {
 public:
  // `latest` gives the epoch of the latest commit, or about that.
  explicit Hostile(std::function<uint64_t()> latest) : latest_(std::move(latest)) {}

  // `size` bytes; how far they are out of step with what they look like is anything up to a page.
  std::string Make(Chance* chance, size_t size) const;
  // Returns a chance's own way to make values: see Chance::SetBytes.
  std::function<std::string(Chance*, size_t)> Maker() const;

 private:
  uint64_t Salt(Chance* chance) const;
  std::string Record(Chance* chance, uint64_t epoch, size_t value) const;
  std::string Segment(Chance* chance, size_t size, bool follow) const;
  std::string Undo(Chance* chance, size_t size) const;
  std::string Roots(Chance* chance, size_t size) const;

  std::function<uint64_t()> latest_;
};

// A pool of this engine that was opened several times, each time with something left in its log,
// and one of the layout version before, which has an undo area in use.
const std::string& OtherPool(bool earlier_version);

#endif  // POTOROO_TEST_HOSTILE_H_
