// Checks the trees of a pool: every page and value, the order of keys across pages, and what refers
// to what.
#ifndef POTOROO_ENGINE_CHECK_CHECK_TREE_H_
#define POTOROO_ENGINE_CHECK_CHECK_TREE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/blob.h"
#include "engine/base/page.h"
#include "engine/check/check_space.h"
#include "engine/check/checker.h"
#include "engine/check/sealed_reader.h"
#include "engine/medium/pool_reader.h"

namespace potoroo::engine {

// The problems of a report.
class Problems {
 public:
  explicit Problems(CheckReport* report) : report_(report) {}
  void Add(const char* kind, uint64_t offset, std::string message);

 private:
  CheckReport* report_;
};

class CheckTree {
 public:
  // `cipher`: nullptr where the pool is not encrypted.
  CheckTree(const PoolReader& reader, const Cipher* cipher, CheckSpace* space, CheckReport* report)
      : reader_(reader, cipher),
        space_(space),
        report_(report),
        problems_(report),
        buffer_(kBuffer) {}

  // All that a root slot leads to.
  void Run(uint32_t directory);
  // Whether some page could not be read, so that what it refers to is not known.
  bool blind() const { return blind_; }
  // The undo area (see undo.h), whose size is 0 where there is none, and the last transaction that
  // was committed.
  const BlobRef& undo_area() const { return undo_area_; }
  uint64_t undo_committed() const { return undo_committed_; }
  // Whether the bytes lie in one buffer.
  bool InBuffer(uint64_t offset, uint64_t size) const;

 private:
  static constexpr size_t kBuffer = 256 * 1024;
  // Demands on a page by its place in the tree.
  struct Expected {
    int level;       // -1: any, for a root
    bool has_blobs;  // the parent says so, or there is none
    const std::string* low;
    const std::string* high;  // nullptr: none
  };
  struct Tree {
    bool directory;
    CheckMap* map;
    std::string last;  // the key before, in leaves
    bool any;          // whether there was one
  };

  void Root(uint32_t number, Tree* tree);
  // Return how many entries of leaves there are below, or kNotKnown.
  uint64_t Visit(uint32_t number, const Expected& expected, Tree* tree);
  uint64_t Inner(Page page, const Expected& expected, Tree* tree);
  bool Load(uint32_t number, int level, char* data);
  void CheckHeader(Page page, const Expected& expected);
  void Leaf(Page page, const Expected& expected, Tree* tree);
  bool Key(Page page, uint32_t index, Tree* tree, std::string* key);
  void LeafKey(Page page, const std::string& key, const Expected& expected, Tree* tree);
  void Value(Page page, const PageEntry& entry, Tree* tree);
  void MapRoot(Page page, const PageEntry& entry, const std::string& name);
  bool Mark(uint64_t offset, CheckSpace::Place place, const std::string& what);
  void Buffer(Page page, const PageEntry& entry, Tree* tree);
  void Undo(Page page, const PageEntry& entry, const std::string& key);
  // Marks what a reference leads to; `what` says in words what that is.
  bool Refer(Page page, const BlobRef& ref, uint64_t least, uint64_t most, Tree* tree,
             std::string* what);
  bool Blob(Page page, const BlobRef& ref, uint64_t least, uint64_t most, Tree* tree,
            std::string* bytes);
  bool BlobBytes(const BlobRef& ref, std::string* bytes);

  const SealedReader reader_;
  CheckSpace* space_;
  CheckReport* report_;
  Problems problems_;
  std::vector<char> buffer_;
  std::map<uint64_t, uint64_t> buffers_;  // sizes, by offset
  BlobRef undo_area_{};
  uint64_t undo_committed_ = 0;
  bool blind_ = false;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_CHECK_CHECK_TREE_H_
