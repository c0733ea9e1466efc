// Brings the operations of a commit into the trees of maps, and their new roots into the directory.
#ifndef POTOROO_ENGINE_COMMIT_MAP_EDITOR_H_
#define POTOROO_ENGINE_COMMIT_MAP_EDITOR_H_

#include <cstdint>
#include <vector>

#include "engine/commit/change.h"
#include "engine/commit/core.h"
#include "engine/tree/edits.h"
#include "engine/tree/transaction.h"
#include "engine/tree/tree_writer.h"

namespace potoroo::engine {

// Only the writing thread uses it.
class MapEditor {
 public:
  MapEditor(Core* core, Transaction* transaction)
      : core_(core), transaction_(transaction), writer_(transaction) {}

  // Begins a commit. `thorough`: see TreeWriter.
  void Begin(bool thorough);
  // `directory` is then the root of the new one, unless nothing has changed.
  Code Apply(const CommitMode& mode, const Change& change, uint32_t* directory);
  // RootWords of the maps that the commit changes.
  const std::vector<uint64_t>& new_roots() const { return new_roots_; }
  // Takes the memory that Finish needs.
  void Prepare();
  // The commit is the latest one. Cannot fail.
  void Finish();
  // Forgets the roots of maps: there is another directory.
  void Forget() { map_roots_.clear(); }

 private:
  Code ApplyOperations(const Operation* operations, size_t count, uint32_t* directory);
  Code ApplyToMap(uint32_t map);
  Code ApplyOne(const Operation& operation, uint32_t* directory);
  Code CreateMap(Bytes name, uint32_t* directory);
  Code DropMap(Bytes name, bool goes_back, uint32_t* directory);
  Code Move(Stretch* stretch, uint32_t* directory);
  Code RootOf(uint32_t map, Bytes name, uint32_t* root);
  void NoteRoot(uint32_t map, Bytes name, uint32_t root);
  uint32_t MakePlaceOf(uint64_t root);
  void NoteMapRoot(uint64_t root);

  Core* const core_;
  Transaction* const transaction_;
  TreeWriter writer_;
  Edits edits_, directory_edits_;
  std::vector<const Operation*> pending_, group_;
  std::vector<uint64_t> map_roots_;  // by map's place: a RootWord of the latest commit, or 0
  std::vector<uint64_t> new_roots_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_MAP_EDITOR_H_
