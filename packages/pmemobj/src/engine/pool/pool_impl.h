// What a Pool, its snapshots and its cursors share.
#ifndef POTOROO_ENGINE_POOL_POOL_IMPL_H_
#define POTOROO_ENGINE_POOL_POOL_IMPL_H_

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

#include "engine/engine.h"
#include "engine/log/log.h"
#include "engine/log/log_reader.h"
#include "engine/log/syncer.h"
#include "engine/log/undo.h"
#include "engine/pool/states.h"
#include "engine/space/superblock.h"
#include "engine/tree/edits.h"
#include "engine/tree/map_names.h"
#include "engine/tree/store.h"
#include "engine/tree/transaction.h"
#include "engine/tree/tree_writer.h"
#include "engine/tree/walk.h"

namespace potoroo::engine {

// A damaged or closed pool, in words.
Status StatusOf(Code code);
Status ReadOnly();

}  // namespace potoroo::engine

namespace potoroo {

using namespace engine;

namespace engine {

// Pools with extents of fewer bytes are walked before they are opened. Tests set it.
inline std::atomic<uint64_t> walked_at_once{uint64_t{64} << 20};

}  // namespace engine

struct Pool::Impl {
  Impl(std::unique_ptr<Medium> medium, const PoolOptions& options);
  ~Impl();

  // The superblock and the log of a pool that has just been created.
  Status Create(Bytes key);
  Status Begin();
  bool read_only() const { return read_only_; }
  bool is_pmem() const { return store->medium()->is_pmem(); }
  // Rebuilds the space from the trees of the last checkpoint, and does anew what the log has.
  Status Load(Bytes key);
  // Opens a pool to be read only.
  static Status OpenToRead(const std::string& path, const PoolOptions& options,
                           std::shared_ptr<Impl>* impl);
  // A last checkpoint; then nothing of the pool may be used any more.
  Status Close();

  // The root of a map in a state. kNotFound, kInvalid, kCorrupt.
  Code FindRoot(State* state, uint32_t map, uint32_t* root) const;
  Code FindRootByName(uint32_t directory, Bytes name, uint32_t* root) const;

  Status Write(const Operation* operations, size_t count, uint64_t* commit);
  Status Sync(uint64_t commit);
  // The same, under kRelaxed too.
  Status SyncStrictly(uint64_t commit);
  Status Flush();
  Status Checkpoint();
  Status OpenMap(Bytes name, uint32_t* map);
  Status DropMap(Bytes name);
  Status ListMaps(std::vector<std::string>* names);
  // The latest commit, for a snapshot: to be unpinned. kIo.
  Status Pin(State** state);
  PoolStats Stats();
  Status Compact(bool* done);
  Status RotateKey(Bytes key);
  uint64_t BytesOnDisk();

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
  // The log has failed, and what is durable cannot be shown either.
  std::atomic<bool> unreadable{false};
  std::atomic<uint64_t> epoch{0};  // the latest commit
  std::mutex write_mutex;

 private:
  // How a commit goes about it.
  struct Mode {
    bool in_place = false;                      // brief: no snapshot can be taken meanwhile
    bool logged = true;                         // else it is a checkpoint of its own
    bool replayed = false;                      // from the log
    Space::Room room = Space::Room::kOrdinary;  // see Space::AllocatePage
    bool saved = false;                         // commits the saved ranges of buffers
    bool moves = false;                         // changes nothing for readers: see compact.cc
  };
  // A state on its way to being the one that a crash leads back to.
  struct Frozen {
    std::vector<Space::Dirty> dirty;
    std::vector<Medium::Range> ranges;  // room for them
    RootSlot next;
    State* state = nullptr;
  };
  // A compaction under way.
  struct Compaction {
    enum class Phase : uint8_t { kPlanning, kMoving, kJoining, kGiving };
    Phase phase = Phase::kPlanning;
    std::vector<NamedMap> maps;
    size_t at = 0;     // of `maps`
    std::string from;  // the key in that map to go on from
    bool map_done = false;
  };
  // An opening whose trees are still to be walked, or whose space may not be used yet: see
  // opening.cc.
  struct Opening {
    Opening(Store* store, const RootSlot& slot, bool thorough)
        : found(store->medium()), walk(store, &found, slot.epoch, thorough), number(slot.number) {}
    Space found;
    Walk walk;
    const uint64_t number;  // of the checkpoint
    State* state = nullptr;
    Status status;  // of the walk, once it has `walked`
    std::atomic<bool> walked{false};
    std::thread thread;
  };
  // What a commit does: operations, or one thing to a map.
  struct Change {
    LogKind kind = LogKind::kPut;  // or kCreateMap, kDropMap
    Bytes name = {};
    const Operation* operations = nullptr;
    size_t count = 0;
    Compaction* moving = nullptr;
  };

  void FindStats();

  // compact.cc
  Status CompactSome(bool* done);
  void PlanCompaction();
  Status MoveSome();
  void JoinExtents();
  Code ApplyMove(Compaction* compaction, uint32_t* directory);

  // commit.cc
  Status Plan(const Operation* operations, size_t count, Mode* mode) const;
  Status CommitOperations(Mode mode, const Operation* operations, size_t count);
  Status MakeMap(Bytes name);
  Status Commit(const Mode& mode, const Change& change);
  Status TryCommit(const Mode& mode, const Change& change);
  Code Attempt(const Mode& mode, const Change& change, Status* status);
  Code Apply(const Change& change, uint32_t* directory);
  Status Persist(const Mode& mode, uint32_t directory);
  Status Append(uint64_t commit);
  void PreparePublish(States::Lock* lock);
  void Publish(States::Lock* lock, uint64_t next, uint32_t directory, bool checkpoint);
  void Recycle();
  Code ApplyOperations(const Operation* operations, size_t count, uint32_t* directory);
  Code ApplyToMap(uint32_t map);
  Code CreateMap(Bytes name, uint32_t* directory);
  Code DropMap(Bytes name, uint32_t* directory);
  Code ApplyOne(const Operation& operation, uint32_t* directory);
  Code RootOf(uint32_t map, Bytes name, uint32_t* root);
  void NoteRoot(uint32_t map, Bytes name, uint32_t root);
  uint32_t MakePlaceOf(uint64_t root);
  void NoteMapRoot(uint64_t root);
  void RecordOperations(const Operation* operations, size_t count);

  // reap.cc
  void RecycleTaken();
  bool Reap(size_t limit);
  size_t ReapPage(const char* data);
  void ReapAll();
  void StartReaping();
  void StopReaping();
  void RunReaper();

  // checkpoint.cc
  Status MakeRoom(uint64_t record);
  Status CheckpointNow();
  Status CheckpointInBackground();
  Status UseCipher(std::unique_ptr<Cipher> cipher);
  Status Freeze(uint64_t epoch, uint32_t directory, Frozen* frozen);
  Status SealDirty(Frozen* frozen);
  Status MakeDurable(Frozen* frozen);
  void StartLog(const RootSlot& slot);
  bool WantsBiggerLog() const;
  bool WaitForBackground();
  void NeedBackground();
  void StopBackground();
  void RunBackground();
  void NeedFlusher();
  void RunFlusher();

  // buffers.cc
  bool InPool(const char* from, size_t size) const;
  Status FindUndo();
  Status MakeUndoRoom(size_t size);
  Status GrowUndo(size_t size);
  bool GivesUpSaved() const;
  Status RollBack(const std::vector<Walk::Buffer>& buffers);

  // opening.cc
  Status BeginOpening();
  Status FindObjects();
  Status WalkAtOnce();
  Status WalkInBackground();
  Status FinishOpening(bool wait);
  Status FinishOpeningNow(bool wait);
  void StopWalking();
  bool IsReadByOthers() const;

  // recovery.cc
  void GoBack();
  Status GoBackToDurable();
  Status Replay();
  Status ReplayAll(LogReader* reader);
  Status ReplayRecord(LogReader* reader);
  void AddNames(const std::vector<std::string>& maps);

  // reader.cc
  struct Attempts;
  Status LoadToRead(const std::string& path, Bytes key, Attempts* attempts);
  Status PinLatest(const std::string& path, Attempts* attempts);
  bool IsLatest(uint64_t number, uint64_t most) const;
  Status CopyLog(char* copy, Attempts* attempts) const;

  // kept.cc
  void SetDurable(State* state);
  void ReleaseUnread();

  // What somebody in another process reads: checkpoints that are not the latest any more.
  struct Kept {
    uint64_t number;
    State* state;
  };
  std::mutex kept_mutex_;
  std::vector<Kept> kept_;

  std::unique_ptr<Opening> opening_;
  std::atomic<bool> is_opening_{false};  // there is one
  // Whether it is worth asking if somebody still reads what was there before this opening.
  std::atomic<bool> ask_others_{true};

  const bool read_only_;
  Root root_;
  Log log_;
  LogWriter record_;
  uint64_t last_checkpoint_ = 0;  // its epoch
  uint32_t directory_ = 0;        // of the latest commit
  uint64_t undo_salt_ = 0;        // of the entries of this opening
  bool started_ = false;          // the log takes records of this opening
  bool takes_batches_ = false;    // records that are long have filled it
  uint64_t log_refused_at_ = 0;   // bytes of extents when there was no room for a bigger one
  // See GoBack.
  bool went_back_ = false, going_back_ = false;

  static constexpr uint32_t kNoMap = ~uint32_t{0};
  std::atomic<uint32_t> undo_map_{kNoMap};
  Undo undo_;

  Transaction transaction_;
  TreeWriter writer_;
  Edits edits_, directory_edits_;
  std::vector<const Operation*> pending_, group_;
  std::vector<uint64_t> map_roots_;  // by map's place: a RootWord of the latest commit, or 0
  std::vector<uint64_t> new_roots_;  // RootWords that a commit changes
  std::vector<Item> free_;
  std::vector<uint32_t> doomed_;  // pages of trees that no state needs
  std::thread reaper_;
  std::atomic<bool> reaping_{false}, reaper_stop_{false};
  std::mutex stats_mutex_;   // taken before write_mutex, where both are
  uint64_t found_used_ = 0;  // of what the opening under way has found
  std::unique_ptr<Compaction> compaction_;
  PoolStats stats_{};

  std::thread background_, flusher_;
  std::mutex background_mutex_;
  std::condition_variable background_work_, background_done_;
  std::unique_ptr<Frozen> frozen_;  // there is one as long as it is under way
  bool background_stop_ = false;
};

}  // namespace potoroo

#endif  // POTOROO_ENGINE_POOL_POOL_IMPL_H_
