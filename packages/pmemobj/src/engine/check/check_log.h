// Checks the redo log of a pool: where it lies, its records, and that none is missing.
#ifndef POTOROO_ENGINE_CHECK_CHECK_LOG_H_
#define POTOROO_ENGINE_CHECK_CHECK_LOG_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/check/check_space.h"
#include "engine/check/check_tree.h"
#include "engine/check/checker.h"
#include "engine/log/log_reader.h"
#include "engine/medium/pool_reader.h"
#include "engine/space/superblock.h"

namespace potoroo::engine {

class CheckLog {
 public:
  CheckLog(const PoolReader& reader, const Cipher* cipher, CheckSpace* space, CheckReport* report)
      : reader_(reader), cipher_(cipher), space_(space), report_(report), problems_(report) {}

  // Takes the log's place in the space. Before the trees are checked, which have all other places.
  bool Place(const RootSlot& slot);
  // Reads the bytes again, as somebody writes to them; false where they cannot be read.
  bool Read() { return reader_.Read(slot_.log, bytes_.data(), bytes_.size()); }
  bool Misses() const;
  // Reads the records that follow the commit of the slot, on the maps that the report names.
  void Run(const RootSlot& slot);
  // The last transaction over buffers that was committed by a record; 0: none.
  uint64_t undo_committed() const { return undo_committed_; }

 private:
  void CheckRecord(LogReader* reader);
  bool CheckOperations(LogReader* reader, uint32_t* count);
  bool CheckUndoPut(Bytes key, Bytes value);
  bool CheckOperation(const LogOperation& operation, Bytes key, Bytes value);
  uint64_t OffsetOf(const LogReader& reader) const;

  const PoolReader& reader_;
  const Cipher* const cipher_;
  CheckSpace* space_;
  CheckReport* report_;
  Problems problems_;
  RootSlot slot_{};
  std::vector<char> bytes_;  // both segments
  std::set<std::string> maps_;
  bool on_map_ = false, on_undo_ = false;
  uint64_t undo_committed_ = 0;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_CHECK_CHECK_LOG_H_
