// What a Pool, its snapshots and its cursors share.
#ifndef POTOROO_ENGINE_POOL_IMPL_H_
#define POTOROO_ENGINE_POOL_IMPL_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "edits.h"
#include "engine.h"
#include "states.h"
#include "store.h"
#include "superblock.h"
#include "transaction.h"
#include "tree_writer.h"
#include "walk.h"

namespace potoroo::engine {

// The numbers of maps. They live as long as the pool is open and are never reused.
class MapNames {
 public:
  uint32_t Add(Bytes name);
  bool Find(Bytes name, uint32_t* map) const;
  bool Name(uint32_t map, std::string* name) const;
  uint32_t count() const;

 private:
  mutable std::shared_mutex mutex_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

// A damaged or closed pool, in words.
Status StatusOf(Code code);

}  // namespace potoroo::engine

namespace potoroo {

using namespace engine;

struct Pool::Impl {
  explicit Impl(std::unique_ptr<Medium> medium);

  // Rebuilds the space from the trees.
  Status Load(bool thorough);
  void Close();

  // The root of a map in a state. kNotFound, kInvalid, kCorrupt.
  Code FindRoot(State* state, uint32_t map, uint32_t* root) const;
  Code FindRootByName(uint32_t directory, Bytes name, uint32_t* root) const;

  Status Write(const Operation* operations, size_t count);
  Status OpenMap(Bytes name, uint32_t* map);
  Status DropMap(Bytes name);
  Status ListMaps(std::vector<std::string>* names);

  std::unique_ptr<Store> store;
  Root root;
  States states;
  MapNames names;
  std::atomic<bool> closed{false};
  std::mutex write_mutex;

 private:
  void Begin(bool reserve);
  Status Fail(Code code);
  Status Commit(uint32_t directory);
  Code ApplyToMap(uint32_t map, std::vector<const Operation*>* operations);
  void Recycle();

  Transaction transaction_;
  TreeWriter writer_;
  Edits edits_, directory_edits_;
  std::vector<const Operation*> pending_, group_;
  std::vector<Item> free_;
};

}  // namespace potoroo

#endif  // POTOROO_ENGINE_POOL_IMPL_H_
