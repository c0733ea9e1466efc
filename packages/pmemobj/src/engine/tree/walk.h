// Walks all trees from a root, to find what is in use.
#ifndef POTOROO_ENGINE_TREE_WALK_H_
#define POTOROO_ENGINE_TREE_WALK_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/tree/store.h"

namespace potoroo::engine {

// A map in the directory: the value of an entry is the number of its root page (4 bytes, 0 of an
// empty map) and 4 bytes of 0.
struct DirectoryValue {
  uint32_t root;
  uint32_t reserved;
};
static_assert(sizeof(DirectoryValue) == 8, "DirectoryValue is on media");

class Walk {
 public:
  // The trees of the commit `epoch`. `thorough` also reads the leaves and blobs that need not be
  // read to find what is in use.
  Walk(Store* store, Space* marks, uint64_t epoch, bool thorough)
      : store_(store), marks_(marks), epoch_(epoch), thorough_(thorough) {}

  // Marks in `marks` all that the directory leads to. kCorrupt where a page is damaged, or two
  // places refer to the same bytes; kInvalid: it was stopped. Others may use the store meanwhile.
  Status Run(uint32_t directory);
  // May be called from any thread.
  void Stop() { stop_ = true; }
  const std::vector<std::string>& maps() const { return maps_; }
  // The places of buffers, except empty ones.
  struct Buffer {
    uint64_t offset;
    uint64_t size;
  };
  const std::vector<Buffer>& buffers() const { return buffers_; }
  uint64_t pages() const { return pages_; }
  uint64_t entries() const { return entries_; }

 private:
  Status Visit(uint32_t number, uint32_t level, bool has_blobs, bool directory);
  Status VisitRoot(uint32_t number, bool directory);
  Status VisitChildren(Page page, bool directory);
  Status VisitLeaf(Page page);
  Status VisitMaps(Page page);
  bool MarkBlob(const char* reference, bool buffer);

  Store* store_;
  Space* marks_;
  std::atomic<bool> stop_{false};
  uint64_t epoch_;
  bool thorough_;
  uint64_t pages_ = 0, entries_ = 0;
  std::vector<std::string> maps_;
  std::vector<Buffer> buffers_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_WALK_H_
