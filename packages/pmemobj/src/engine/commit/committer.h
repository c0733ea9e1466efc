// Commits: from operations to the state that readers see.
#ifndef POTOROO_ENGINE_COMMIT_COMMITTER_H_
#define POTOROO_ENGINE_COMMIT_COMMITTER_H_

#include <functional>
#include <memory>

#include "engine/commit/change.h"
#include "engine/commit/checkpointer.h"
#include "engine/commit/core.h"
#include "engine/commit/flusher.h"
#include "engine/commit/map_editor.h"
#include "engine/commit/reaper.h"
#include "engine/commit/space_finder.h"
#include "engine/log/log.h"
#include "engine/log/undo.h"
#include "engine/tree/transaction.h"

namespace potoroo::engine {

// Only the writing thread uses it. `undo` has the saved ranges of buffers, which no commit but that
// of their transaction may give up.
class Committer {
 public:
  Committer(Core* core, SpaceFinder* finder, Reaper* reaper, Checkpointer* checkpointer,
            const Undo* undo)
      : core_(core),
        finder_(finder),
        reaper_(reaper),
        checkpointer_(checkpointer),
        undo_(undo),
        flusher_(&core->syncer),
        transaction_(core->store.get()),
        editor_(core, &transaction_) {}

  // Encrypts what follows. Called before anything is read or written; nullptr: no encryption.
  Status UseCipher(std::unique_ptr<Cipher> cipher);
  // Called after each commit that fails because the log or the pool cannot be written.
  void SetWhenFailed(std::function<void()> when_failed) { when_failed_ = std::move(when_failed); }

  // `mode`: from PlanCommit. Durable once Syncer says so.
  Status Write(CommitMode mode, const Operation* operations, size_t count);
  Status CreateMap(Bytes name);
  Status DropMap(Bytes name);
  // Applies a record of the log again; `goes_back`: after a failure, for readers alone.
  Status Replay(const Change& change, bool in_place, bool goes_back);
  // Moves a stretch of a map out of regions that are being emptied; the pool does not grow for it.
  // kNotFound: the map is gone. `status`: of the commit.
  Code Move(Stretch* stretch, Status* status);
  // Makes a directory of before that of the latest commit again. With the view of states held.
  void GoBack(uint32_t directory);
  // Ends the thread of Durability::kRelaxed. Without the write_mutex.
  void Stop() { flusher_.Stop(); }

 private:
  Status Commit(const CommitMode& mode, const Change& change);
  Status TryCommit(const CommitMode& mode, const Change& change);
  Code Attempt(const CommitMode& mode, const Change& change, Status* status);
  Status Persist(const CommitMode& mode, uint32_t directory);
  Status Append(uint64_t commit);
  bool GivesUpSaved() const;
  void PreparePublish(States::Lock* lock);
  void Publish(States::Lock* lock, uint64_t next, uint32_t directory, bool checkpoint);
  void RecordOperations(const Operation* operations, size_t count);

  Core* const core_;
  SpaceFinder* const finder_;
  Reaper* const reaper_;
  Checkpointer* const checkpointer_;
  const Undo* const undo_;
  std::function<void()> when_failed_;
  Flusher flusher_;
  LogWriter record_;
  Transaction transaction_;
  MapEditor editor_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_COMMIT_COMMITTER_H_
