// Contents of buffers from before a transaction over them that was cut off.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_UNDO_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_UNDO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/log/undo.h"
#include "engine/salvage/salvage_trees.h"

namespace potoroo::engine {

class SalvageUndo {
 public:
  // `committed`: the number of the last transaction that the log says was committed, or 0.
  void Load(const SalvagePages& pages, const SalvageTrees& trees, const RootSlot& slot,
            uint64_t committed);
  // Brings back what lay in a buffer.
  void Apply(const BlobRef& ref, std::string* bytes) const;

 private:
  struct Range {
    uint64_t place;
    std::string bytes;
  };
  std::vector<Range> ranges_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_UNDO_H_
