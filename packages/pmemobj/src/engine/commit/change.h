// Work of a commit, and how it goes about it.
#ifndef POTOROO_ENGINE_COMMIT_CHANGE_H_
#define POTOROO_ENGINE_COMMIT_CHANGE_H_

#include <cstddef>
#include <string>

#include "engine/engine.h"
#include "engine/log/log.h"
#include "engine/space/space.h"

namespace potoroo::engine {

struct Core;

struct CommitMode {
  bool in_place = false;                      // brief: no snapshot can be taken meanwhile
  bool logged = true;                         // else it is a checkpoint of its own
  bool replayed = false;                      // from the log
  bool goes_back = false;                     // replayed to undo what is not durable
  Space::Room room = Space::Room::kOrdinary;  // see Space::AllocatePage
  bool saved = false;                         // commits the saved ranges of buffers
  bool moves = false;                         // changes nothing for readers: see compactor.h
};

// A stretch of a map that moves to other places.
struct Stretch {
  NamedMap map = {};      // kNoMap: the directory itself
  std::string from = {};  // the key to begin at; then the one to go on from
  bool done = false;      // with the map
};

// Operations, or one change of a map, or a stretch to be moved.
struct Change {
  LogKind kind = LogKind::kPut;  // or kCreateMap, kDropMap
  Bytes name = {};
  const Operation* operations = nullptr;
  size_t count = 0;
  Stretch* stretch = nullptr;
};

// Finds how the operations are to be committed; kInvalid where they are not. From any thread.
Status PlanCommit(const Core& core, const Operation* operations, size_t count, CommitMode* mode);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_CHANGE_H_
