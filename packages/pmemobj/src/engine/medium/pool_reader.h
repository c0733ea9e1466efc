// The files of a pool, read without libpmemobj: as one stretch of bytes, in which offsets are those
// that libpmemobj has in the pool. Bytes that the disk cannot give are an error, where a mapping
// would end the process.
#ifndef POTOROO_ENGINE_MEDIUM_POOL_READER_H_
#define POTOROO_ENGINE_MEDIUM_POOL_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

class PoolReader {
 public:
  // kSalvage: as kReading, but parts that are cut short are read too. kBeside: without a lock,
  // while others may write.
  enum class For { kReading, kRepair, kSalvage, kBeside };

  PoolReader() = default;
  ~PoolReader();
  PoolReader(const PoolReader&) = delete;
  PoolReader& operator=(const PoolReader&) = delete;

  // Opens all files, and holds libpmemobj's lock on the pool as long as this object lives: shared
  // for reading, else exclusive; but none where it reads beside others. kInUse where somebody else
  // has it.
  Status Open(const std::string& path, bool folder, For what);

  bool folder() const { return folder_; }

  // Removes unfinished parts, and closes gaps in the numbers of the others, which a failed attempt
  // to grow leaves and with which libpmemobj would not open the pool. Makes the missing part.
  Status Tidy(const std::string& folder);
  // Makes libpmemobj begin its shutdown state again, as it does with one that was torn: after
  // growth it no longer covers all parts. Our own data have checksums of their own.
  Status ClearShutdownState() const;
  // Allocates what is not: a store there would fail on a full file system. But whole regions within
  // the extents, given by offset and size, are left to Space, which fills them before it uses them.
  // kNoSpace.
  using Extents = std::map<uint64_t, uint64_t>;
  Status FillHoles(const Extents& extents) const;

  // Bytes of all parts but the unfinished ones, and of the missing one.
  uint64_t size() const { return size_ + missing_; }
  // A power cut while the pool grew may leave a heap that has a part already which is not there. As
  // long as nothing lies in it, an empty one takes its place. Until then it is read as zeros.
  uint64_t missing() const { return missing_; }
  // Parts at the end that a crash while the pool grew has left, and that nothing refers to.
  size_t unfinished() const { return unfinished_.size(); }

  // The files, by where they begin in the pool: one after the other as their names have them,
  // unless MoveFiles says that one of them begins elsewhere (none lies over another then).
  size_t files() const { return files_.size(); }
  uint64_t FileStart(size_t file) const { return files_[file].start; }
  uint64_t FileSize(size_t file) const { return files_[file].size; }
  const std::string& FileName(size_t file) const { return files_[file].name; }
  // Descriptor of the first file, for locks.
  int descriptor() const { return files_[0].fd; }
  void MoveFiles(const std::vector<uint64_t>& starts);

  // False where not all of it is there, or can be read.
  bool Read(uint64_t offset, void* to, uint64_t size) const;

 private:
  struct File {
    std::string name;
    int fd;
    uint64_t start;
    uint64_t size;
  };
  void Close();
  Status Add(const std::string& name, int flags);
  Status FillHole(const File& file, uint64_t from, uint64_t to, const Extents& extents) const;
  void FindMissing();
  Status MakeMissing(const std::string& folder) const;

  std::vector<File> files_;
  std::vector<std::string> unfinished_;
  bool folder_ = false;
  uint64_t size_ = 0;
  uint64_t missing_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_POOL_READER_H_
