// What a Pool, its snapshots and its cursors share.
#ifndef POTOROO_ENGINE_POOL_IMPL_H_
#define POTOROO_ENGINE_POOL_IMPL_H_

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "edits.h"
#include "engine.h"
#include "log.h"
#include "states.h"
#include "store.h"
#include "superblock.h"
#include "syncer.h"
#include "transaction.h"
#include "tree_writer.h"
#include "undo.h"
#include "walk.h"

namespace potoroo::engine {

// The numbers of maps. They live as long as the pool is open and are never reused.
class MapNames {
 public:
  uint32_t Add(Bytes name);
  bool Find(Bytes name, uint32_t* map) const;
  bool Name(uint32_t map, std::string* name) const;
  // For the thread that calls Add: null if there is none.
  const std::string* Known(uint32_t map) const {
    return map < names_.size() ? &names_[map] : nullptr;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::deque<std::string> names_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

// A damaged or closed pool, in words.
Status StatusOf(Code code);

}  // namespace potoroo::engine

namespace potoroo {

using namespace engine;

struct Pool::Impl {
  Impl(std::unique_ptr<Medium> medium, Durability durability);
  ~Impl();

  // The superblock and the log of a pool that has just been created.
  Status Create();
  Status Begin();
  // Rebuilds the space from the trees of the last checkpoint, and does anew what the log has.
  Status Load();
  // A last checkpoint; then nothing of the pool may be used any more.
  void Close();

  // The root of a map in a state. kNotFound, kInvalid, kCorrupt.
  Code FindRoot(State* state, uint32_t map, uint32_t* root) const;
  Code FindRootByName(uint32_t directory, Bytes name, uint32_t* root) const;

  Status Write(const Operation* operations, size_t count, uint64_t* commit);
  Status Sync(uint64_t commit);
  Status Flush();
  Status Checkpoint();
  Status OpenMap(Bytes name, uint32_t* map);
  Status DropMap(Bytes name);
  Status ListMaps(std::vector<std::string>* names);
  PoolStats Stats();

  Status FlushBuffer(const char* from, size_t size);
  Status SaveBuffer(const char* from, size_t size);
  size_t SavedBuffers() const { return undo_.saved().size(); }
  Status RestoreBuffers(size_t count);
  Status WriteSaved(const Operation* operations, size_t count);

  std::unique_ptr<Store> store;
  States states;
  MapNames names;
  Syncer syncer;
  const Durability durability;
  std::atomic<bool> closed{false};
  std::atomic<uint64_t> epoch{0};  // the latest commit
  std::mutex write_mutex;

 private:
  // How a commit goes about it.
  struct Mode {
    bool in_place = false;  // brief: no snapshot can be taken meanwhile
    bool logged = true;     // else it is a checkpoint of its own
    bool replayed = false;  // from the log
    bool reserve = false;   // see Space::AllocatePage
    bool saved = false;     // commits the saved ranges of buffers
  };
  // A state on its way to being the one that a crash leads back to.
  struct Frozen {
    std::vector<Space::Dirty> dirty;
    RootSlot next;
    State* state = nullptr;
  };
  // What a commit does: operations, or one thing to a map.
  struct Change {
    LogKind kind = LogKind::kPut;  // or kCreateMap, kDropMap
    Bytes name = {};
    const Operation* operations = nullptr;
    size_t count = 0;
  };

  // commit.cc
  Status Plan(const Operation* operations, size_t count, Mode* mode) const;
  Status CommitOperations(Mode mode, const Operation* operations, size_t count);
  Status MakeMap(Bytes name);
  Status Commit(const Mode& mode, const Change& change);
  Code Attempt(const Mode& mode, const Change& change, Status* status);
  Code Apply(const Change& change, uint32_t* directory);
  Status Persist(const Mode& mode, uint32_t directory);
  void Publish(States::Lock* lock, uint32_t directory, bool checkpoint);
  void Recycle();
  void RecycleTaken();
  Code ApplyOperations(const Operation* operations, size_t count, uint32_t* directory);
  Code ApplyToMap(uint32_t map);
  Code CreateMap(Bytes name, uint32_t* directory);
  Code DropMap(Bytes name, uint32_t* directory);
  Code ApplyOne(const Operation& operation, uint32_t* directory);
  Code RootOf(uint32_t map, Bytes name, uint32_t* root);
  Code NoteRoot(uint32_t map, uint32_t root);
  void RecordOperations(const Operation* operations, size_t count);

  // checkpoint.cc
  Status MakeRoom(uint64_t record);
  Status CheckpointNow();
  Status CheckpointInBackground();
  void Freeze(uint64_t epoch, uint32_t directory, Frozen* frozen);
  Status MakeDurable(Frozen* frozen);
  void StartLog(const RootSlot& slot);
  bool WantsBiggerLog() const;
  bool WaitForBackground();
  void NeedBackground();
  void StopBackground();
  void RunBackground();

  // buffers.cc
  bool InPool(const char* from, size_t size) const;
  Status FindUndo();
  Status MakeUndoRoom(size_t size);
  Status GrowUndo(size_t size);
  bool GivesUpSaved() const;
  Status RollBack(const Walk& walk);

  // recovery.cc
  Status FindObjects();
  Status Replay();
  Status ReplayRecord(Log::Reader* reader);

  Root root_;
  Log log_;
  LogWriter record_;
  uint64_t last_checkpoint_ = 0;  // its epoch
  uint32_t directory_ = 0;        // of the latest commit
  bool started_ = false;          // the log takes records of this opening

  static constexpr uint32_t kNoMap = ~uint32_t{0};
  std::atomic<uint32_t> undo_map_{kNoMap};
  Undo undo_;

  Transaction transaction_;
  TreeWriter writer_;
  Edits edits_, directory_edits_;
  std::vector<const Operation*> pending_, group_;
  std::vector<uint64_t> map_roots_;  // by map: a RootWord of the latest commit, or 0
  std::vector<uint64_t> new_roots_;  // RootWords that a commit changes
  std::vector<Item> free_;
  PoolStats stats_{};

  std::thread background_;
  std::mutex background_mutex_;
  std::condition_variable background_work_, background_done_;
  std::unique_ptr<Frozen> frozen_;  // there is one as long as it is under way
  bool background_stop_ = false;
};

}  // namespace potoroo

#endif  // POTOROO_ENGINE_POOL_IMPL_H_
