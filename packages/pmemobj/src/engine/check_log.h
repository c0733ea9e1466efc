// Checks the redo log of a pool: where it lies, its records, and that none is missing.
#ifndef POTOROO_ENGINE_CHECK_LOG_H_
#define POTOROO_ENGINE_CHECK_LOG_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "check_space.h"
#include "check_tree.h"
#include "checker.h"
#include "log.h"
#include "pool_reader.h"
#include "superblock.h"

namespace potoroo::engine {

class CheckLog {
 public:
  CheckLog(const PoolReader& reader, CheckSpace* space, CheckReport* report)
      : reader_(reader), space_(space), report_(report), problems_(report) {}

  // Takes the log's place in the space. Before the trees are checked, which have all other places.
  bool Place(const RootSlot& slot);
  // Reads the records that follow the commit of the slot, on the maps that the report names.
  void Run(const RootSlot& slot);
  // The last transaction over buffers that was committed by a record; 0: none.
  uint64_t undo_committed() const { return undo_committed_; }

 private:
  bool Load(uint32_t segment, uint64_t position);
  bool Holds(uint32_t segment, uint64_t position, LogRecord* record) const;
  void CheckRecord(const LogRecord& record, const char* at);
  bool CheckOperations(const char* at, const char* end, uint32_t* count);
  bool CheckUndoPut(Bytes key, Bytes value);
  bool CheckOperation(const LogOperation& operation, Bytes key, Bytes value);
  bool Goes() const;
  uint64_t OffsetOf(uint32_t segment, uint64_t position) const;

  const PoolReader& reader_;
  CheckSpace* space_;
  CheckReport* report_;
  Problems problems_;
  RootSlot slot_{};
  std::vector<char> bytes_;  // both segments
  uint32_t segment_ = 0;
  uint64_t position_ = 0;
  std::set<std::string> maps_;
  bool on_map_ = false, on_undo_ = false;
  uint64_t undo_committed_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_CHECK_LOG_H_
