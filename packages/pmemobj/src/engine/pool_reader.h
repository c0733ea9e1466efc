// The files of a pool, read without libpmemobj: as one stretch of bytes, in which offsets are those
// that libpmemobj has in the pool. Bytes that the disk cannot give are an error, where a mapping
// would end the process.
#ifndef POTOROO_ENGINE_POOL_READER_H_
#define POTOROO_ENGINE_POOL_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine.h"

namespace potoroo::engine {

class PoolReader {
 public:
  enum class For { kReading, kRepair };

  PoolReader() = default;
  ~PoolReader();
  PoolReader(const PoolReader&) = delete;
  PoolReader& operator=(const PoolReader&) = delete;

  // Opens all files, and holds libpmemobj's lock on the pool as long as this object lives: shared
  // for reading, else exclusive. kInUse where somebody else has it.
  Status Open(const std::string& path, bool folder, For what);

  // Removes unfinished parts, and closes gaps in the numbers of the others, which a failed attempt
  // to grow leaves and with which libpmemobj would not open the pool.
  Status Tidy(const std::string& folder);

  // Bytes of all parts but the unfinished ones.
  uint64_t size() const { return size_; }
  // Parts at the end that a crash while the pool grew has left, and that nothing refers to.
  size_t unfinished() const { return unfinished_.size(); }

  // False where not all of it is there, or can be read.
  bool Read(uint64_t offset, void* to, uint64_t size) const;

 private:
  struct File {
    std::string name;
    int fd;
    uint64_t start;
    uint64_t size;
  };
  Status Add(const std::string& name, int flags);

  std::vector<File> files_;
  std::vector<std::string> unfinished_;
  uint64_t size_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_POOL_READER_H_
