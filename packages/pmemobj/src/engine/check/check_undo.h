// Checks the undo area: what opening would bring back.
#ifndef POTOROO_ENGINE_CHECK_CHECK_UNDO_H_
#define POTOROO_ENGINE_CHECK_CHECK_UNDO_H_

#include <cstdint>

#include "engine/check/check_tree.h"
#include "engine/check/checker.h"
#include "engine/medium/pool_reader.h"

namespace potoroo::engine {

class CheckUndo {
 public:
  CheckUndo(const PoolReader& reader, const CheckTree& tree, CheckReport* report)
      : reader_(reader), tree_(tree), report_(report), problems_(report) {}

  // `committed`: the last transaction that is over. After the trees and the log.
  void Run(uint64_t salt, uint64_t committed);

 private:
  const PoolReader& reader_;
  const CheckTree& tree_;
  CheckReport* report_;
  Problems problems_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_CHECK_CHECK_UNDO_H_
