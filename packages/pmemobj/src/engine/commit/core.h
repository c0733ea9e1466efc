// The state that all parts of an open pool share: the store, the commits that somebody may read,
// and which of them is the latest.
#ifndef POTOROO_ENGINE_COMMIT_CORE_H_
#define POTOROO_ENGINE_COMMIT_CORE_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/log/syncer.h"
#include "engine/maps/map_names.h"
#include "engine/states/states.h"
#include "engine/tree/decrypted.h"
#include "engine/tree/store.h"

namespace potoroo::engine {

// A damaged or closed pool, in words.
Status StatusOf(Code code);
Status ReadOnly();

// The number of no map.
inline constexpr uint32_t kNoMap = ~uint32_t{0};

struct Core {
  Core(std::unique_ptr<Medium> medium, const PoolOptions& options);

  // The root of a map in a state. kNotFound, kInvalid, kCorrupt.
  Code FindRoot(State* state, uint32_t map, uint32_t* root) const;
  Code FindRootByName(uint32_t directory, Bytes name, uint32_t* root) const;
  // Numbers the maps of the last checkpoint.
  void AddNames(const std::vector<std::string>& maps);
  // Makes that commit, which is durable, the latest one.
  void Begin(uint64_t at, uint32_t from);

  DecryptedLimit decrypted;
  std::unique_ptr<Store> store;  // none once the pool is closed
  States states;
  MapNames names;
  Syncer syncer;
  const Durability durability;
  const bool read_only;
  std::atomic<bool> closed{false};
  // Held by the thread that writes. It guards all that is not atomic, or safe by itself.
  std::mutex write_mutex;
  std::atomic<uint64_t> epoch{0};  // the latest commit
  uint32_t directory = 0;          // of the latest commit
  std::atomic<uint32_t> undo_map{kNoMap};
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_CORE_H_
