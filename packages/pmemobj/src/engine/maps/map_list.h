// The names of a pool's maps, read from their directory without the maps.
#ifndef POTOROO_ENGINE_TREE_MAP_LIST_H_
#define POTOROO_ENGINE_TREE_MAP_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/tree/store.h"

namespace potoroo::engine {

// Lists maps by the root page of the directory, of the commit `epoch`. kCorrupt.
Status ListMaps(const Store& store, uint32_t directory, uint64_t epoch,
                std::vector<std::string>* names);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_MAP_LIST_H_
