// Buffers that are changed: durably, or all or nothing by way of the undo area.
#ifndef POTOROO_ENGINE_POOL_BUFFERS_H_
#define POTOROO_ENGINE_POOL_BUFFERS_H_

#include <vector>

#include "engine/commit/checkpointer.h"
#include "engine/commit/committer.h"
#include "engine/commit/core.h"
#include "engine/log/undo.h"
#include "engine/pool/drafts.h"
#include "engine/tree/walk.h"

namespace potoroo::engine {

// See the functions of Pool that have to do with buffers. They take the write_mutex.
class Buffers {
 public:
  Buffers(Core* core, Undo* undo, Checkpointer* checkpointer, Committer* committer)
      : core_(core),
        undo_(undo),
        checkpointer_(checkpointer),
        committer_(committer),
        drafts_(core->store->medium()) {}

  Status Flush(const char* from, size_t size);
  Status Save(const char* from, size_t size);
  size_t saved() const { return undo_->saved().size(); }
  Status Restore(size_t count);
  Status Draft(char* from, size_t size);
  Status KeepDrafts();
  Status DropDrafts() { return drafts_.End(); }
  // Off persistent memory it is durable only once `*commit` is, which then has to be waited for.
  Status WriteSaved(const Operation* operations, size_t count, uint64_t* commit);

  // Takes back the changes of a transaction that was cut off, as a pool is opened; `salt`: of the
  // entries that count, `all`: the buffers there are.
  Status RollBack(uint64_t salt, const std::vector<Walk::Buffer>& all);

 private:
  bool InPool(const char* from, size_t size) const;
  Status FindUndo();
  Status MakeUndoRoom(size_t size);
  Status GrowUndo(size_t size);

  Core* const core_;
  Undo* const undo_;
  Checkpointer* const checkpointer_;
  Committer* const committer_;
  Drafts drafts_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_POOL_BUFFERS_H_
