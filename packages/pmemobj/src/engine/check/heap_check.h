// libpmemobj's own structures, read from the files: it follows some of them without checking, and
// would crash or loop where they are damaged.
#ifndef POTOROO_ENGINE_CHECK_HEAP_CHECK_H_
#define POTOROO_ENGINE_CHECK_HEAP_CHECK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/heap/heap_layout.h"
#include "engine/medium/pool_reader.h"

namespace potoroo::engine {

struct HeapObject {
  uint64_t type;    // an ObjectType, if it is one of ours
  uint64_t offset;  // of its bytes, after libpmemobj's header
  uint64_t size;    // usable bytes
  bool internal;    // the root object, say: not among what pmemobj_first and pmemobj_next give
};

// Walks all of libpmemobj's structures and tells of each object and each problem. Objects behind
// damage that hides where they begin are not seen.
class HeapCheck {
 public:
  using Problem = std::function<void(uint64_t offset, const std::string& what)>;
  using Visit = std::function<void(const HeapObject& object)>;

  HeapCheck(const PoolReader& reader, Problem problem, Visit visit)
      : reader_(reader), problem_(std::move(problem)), visit_(std::move(visit)) {}

  void Run();

  // The root object, 0 where there is none.
  uint64_t root() const { return root_; }
  uint64_t root_size() const { return root_size_; }
  // Bytes of chunks that hold nothing.
  uint64_t free() const { return free_; }

 private:
  struct Blocks {
    uint64_t at;  // of the first one
    uint64_t size;
    uint64_t count;
    uint16_t flags;
    std::vector<uint64_t> used;  // a bit for each
  };

  bool CheckFront();
  void CheckHeader(const char* front);
  bool CheckOffsets(const char* front);
  void CheckLanes();
  bool CheckHeap();
  bool CheckZone(uint64_t at);
  void CheckChunk(uint64_t at, const Chunk* chunk);
  void CheckRun(uint64_t at, const Chunk* chunk);
  bool FindBlocks(uint64_t at, const Chunk& chunk, Blocks* blocks);
  void CheckBlocks(const Blocks& blocks);
  bool CheckObject(uint64_t at, uint16_t flags, uint64_t room, uint64_t* size);

  const PoolReader& reader_;
  Problem problem_;
  Visit visit_;
  uint64_t lanes_at_ = 0, lanes_ = 0, heap_ = 0, heap_end_ = 0;
  uint64_t root_ = 0, root_size_ = 0, free_ = 0;
  bool root_seen_ = false;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_CHECK_HEAP_CHECK_H_
