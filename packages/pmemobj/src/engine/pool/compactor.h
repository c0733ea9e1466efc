// Compaction: what lies in regions that are hardly used moves to others, and regions that are free
// then become holes in the files.
//
// It goes in small steps; others write between them. A step that moves something is a commit that
// changes nothing for readers: it has no record in the log, and the number of the commit before.
// After a crash, things are where they were at the last checkpoint. A region becomes a hole only
// when no checkpoint that a crash may lead back to, and no snapshot, has anything in it.
#ifndef POTOROO_ENGINE_POOL_COMPACTOR_H_
#define POTOROO_ENGINE_POOL_COMPACTOR_H_

#include <memory>
#include <vector>

#include "engine/commit/checkpointer.h"
#include "engine/commit/committer.h"
#include "engine/commit/core.h"
#include "engine/commit/reaper.h"
#include "engine/commit/space_finder.h"

namespace potoroo::engine {

// Only the writing thread uses it.
class Compactor {
 public:
  Compactor(Core* core, SpaceFinder* finder, Reaper* reaper, Checkpointer* checkpointer,
            Committer* committer)
      : core_(core),
        finder_(finder),
        reaper_(reaper),
        checkpointer_(checkpointer),
        committer_(committer) {}

  // Does the next step. After the last one, and where it fails, the one that follows is the first
  // of another compaction.
  Status Step(bool* done);

 private:
  // A compaction under way.
  struct Compaction {
    enum class Phase : uint8_t { kPlanning, kMoving, kJoining, kGiving };
    Phase phase = Phase::kPlanning;
    std::vector<NamedMap> maps;
    size_t at = 0;    // of `maps`
    Stretch stretch;  // of that map
  };
  Status TryStep(bool* done);
  void Plan();
  Status MoveSome();
  void JoinExtents();

  Core* const core_;
  SpaceFinder* const finder_;
  Reaper* const reaper_;
  Checkpointer* const checkpointer_;
  Committer* const committer_;
  std::unique_ptr<Compaction> compaction_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_POOL_COMPACTOR_H_
