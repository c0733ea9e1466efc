// Root slots of a pool whose heap, superblock or slots may be damaged.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_ROOTS_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_ROOTS_H_

#include <cstdint>
#include <vector>

#include "engine/medium/pool_reader.h"
#include "engine/space/superblock.h"

namespace potoroo::engine {

// The place of the slots, and those that are sound, the latest first.
struct FoundRoots {
  uint64_t offset;
  std::vector<RootSlot> slots;
};

// Returns the slots to which libpmemobj's descriptor leads, through the root object.
FoundRoots FindRoots(const PoolReader& reader);

// The superblock that the same leads to. False where none is sound.
bool FindSuperblock(const PoolReader& reader, RootView* view);

// Whatever looks like root slots, for where nothing leads to them. Users may have stored the like.
std::vector<FoundRoots> SearchRoots(const PoolReader& reader);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_ROOTS_H_
