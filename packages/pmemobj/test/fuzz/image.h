// Pools that are copied, not made, for each input: a copy takes a tenth of the time.
#ifndef POTOROO_FUZZ_IMAGE_H_
#define POTOROO_FUZZ_IMAGE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The file of a pool, in memory.
class Image {
 public:
  void Load(const std::string& path);
  // Writes it as a file at `path`, with holes where there are only zeros.
  void Write(const std::string& path) const;
  const char* data() const { return bytes_.data(); }
  uint64_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  // offset and size of what is not zeros
};

#endif  // POTOROO_FUZZ_IMAGE_H_
