// The files that a pool consists of, each with a descriptor of our own: for what a mapping cannot
// do, such as writing with RWF_DSYNC, or allocating a range of the file.
#ifndef POTOROO_ENGINE_MEDIUM_PART_FILES_H_
#define POTOROO_ENGINE_MEDIUM_PART_FILES_H_

#include <fcntl.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

// Holes are made in the files by regions of this size: see Space.
inline constexpr uint64_t kRegionSize = uint64_t{1} << 20;

// One part. libpmemobj's lock on the pool is on a descriptor of its own.
struct Part {
  uint64_t start = 0;  // where in the pool it begins
  uint64_t size = 0;
  int fd = -1;  // open for reading, and mostly for writing, as long as the pool is
};

// Safe for all threads.
class PartFiles {
 public:
  PartFiles() = default;
  ~PartFiles();
  PartFiles(const PartFiles&) = delete;
  PartFiles& operator=(const PartFiles&) = delete;

  // Takes the memory for the next file.
  void Reserve();
  // Opens the next file, to be written too.
  Status Add(const std::string& path) { return Add(path, O_RDWR); }
  // Adds a part to be read only.
  Status AddForReading(const std::string& path) { return Add(path, O_RDONLY | O_NONBLOCK); }
  // Makes the last one, or all, durable, as files: not their names.
  Status SyncLast() const;
  Status SyncAll() const;
  // The part that has the offset; one without a descriptor where there is none.
  Part Find(uint64_t offset) const;
  uint64_t size() const;
  // Whether each of them still has a name.
  bool AllNamed() const;
  // Writes bytes to the file, durably, without touching the mapping, which has them then. kIo.
  Status Write(uint64_t offset, const char* bytes, uint64_t size) const;

 private:
  Status Add(const std::string& path, int flags);

  mutable std::mutex mutex_;
  std::vector<Part> parts_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_PART_FILES_H_
