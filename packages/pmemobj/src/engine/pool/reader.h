// Opening a pool to be read only, while another process may write.
//
// The latest checkpoint is pinned by a lock (see medium/reader_locks.h), and the log since then is
// replayed in memory of our own. The log is copied first. Its segments are written over as soon as
// there are later checkpoints, so whatever is read of them counts only if there were none
// meanwhile.
#ifndef POTOROO_ENGINE_POOL_READER_H_
#define POTOROO_ENGINE_POOL_READER_H_

#include <string>

#include "engine/commit/checkpointer.h"
#include "engine/commit/committer.h"
#include "engine/commit/core.h"
#include "engine/pool/recovery.h"

namespace potoroo::engine {

// How often an opening may be tried.
class ReadAttempts {
 public:
  // Notes that another attempt may succeed.
  Status Again(Status status);
  // Notes damage that another attempt may find repaired.
  Status Doubt(const char* what);
  // Whether there is to be another attempt, now.
  bool Next();

 private:
  bool again_ = false;
  int doubts_ = 0, count_ = 0;
};

// One attempt.
class Reader {
 public:
  Reader(Core* core, Checkpointer* checkpointer, Committer* committer, Recovery* recovery,
         ReadAttempts* attempts)
      : core_(core),
        checkpointer_(checkpointer),
        committer_(committer),
        recovery_(recovery),
        attempts_(attempts) {}

  Status Load(const std::string& path, Bytes key);

 private:
  Status PinLatest(const std::string& path);
  bool IsLatest(uint64_t number, uint64_t most) const;
  Status CopyLog(char* copy) const;

  Core* const core_;
  Checkpointer* const checkpointer_;
  Committer* const committer_;
  Recovery* const recovery_;
  ReadAttempts* const attempts_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_POOL_READER_H_
