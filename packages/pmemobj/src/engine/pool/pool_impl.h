// An open pool: its parts, and how they go together.
//
//   Core           the store, the states that somebody may read, the latest commit
//   SpaceFinder    finds the free space when a pool is opened
//   Reaper         frees what no state needs
//   Checkpointer   owns the root and the log: what was stored becomes durable
//   Undo           saved ranges of buffers
//   Committer      brings operations to the log, the trees and the states
//   Buffers        changes of buffers, all or nothing
//   Recovery       opens a pool, and takes back what is not durable when the log fails
//   Compactor      moves what is in use together
//   Figures        statistics
//
// Each knows only parts that stand above it, and takes them in its constructor.
#ifndef POTOROO_ENGINE_POOL_POOL_IMPL_H_
#define POTOROO_ENGINE_POOL_POOL_IMPL_H_

#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "engine/commit/checkpointer.h"
#include "engine/commit/committer.h"
#include "engine/commit/core.h"
#include "engine/commit/reaper.h"
#include "engine/commit/space_finder.h"
#include "engine/engine.h"
#include "engine/log/undo.h"
#include "engine/pool/buffers.h"
#include "engine/pool/compactor.h"
#include "engine/pool/figures.h"
#include "engine/pool/recovery.h"

namespace potoroo {

// Calls take the write_mutex where they need it, and find out whether the pool is closed.
struct Pool::Impl {
  Impl(std::unique_ptr<engine::Medium> medium, const PoolOptions& options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // The superblock and the log of a pool that has just been created.
  Status Create(Bytes key);
  // Opens a pool to be read only.
  static Status OpenToRead(const std::string& path, const PoolOptions& options,
                           std::shared_ptr<Impl>* impl);
  // A last checkpoint; then nothing of the pool may be used any more.
  Status Close();

  Status Write(const Operation* operations, size_t count, uint64_t* commit);
  Status WriteSaved(const Operation* operations, size_t count);
  Status Sync(uint64_t commit);
  Status Flush();
  Status Checkpoint();
  Status GiveBack(bool* begun);
  Status FindMap(Bytes name, uint32_t* map);
  Status OpenMap(Bytes name, uint32_t* map);
  Status DropMap(Bytes name);
  Status ListMaps(std::vector<std::string>* names);
  // The latest commit, for a snapshot: to be unpinned. kIo.
  Status Pin(engine::State** state);
  Status Compact(bool* done);
  Status RotateKey(Bytes key);

  // Gives back the memory of what was decrypted, where it is too much and nobody reads.
  void LimitDecrypted() {
    if (core.decrypted.IsFull()) GiveBackDecrypted();
  }

  engine::Core core;
  engine::SpaceFinder finder;
  engine::Reaper reaper;
  engine::Checkpointer checkpointer;
  engine::Undo undo;
  engine::Committer committer;
  engine::Buffers buffers;
  engine::Recovery recovery;
  engine::Compactor compactor;
  engine::Figures figures;
  std::shared_mutex scrub_mutex;  // shared by scrubs, which read without a snapshot

 private:
  void StopThreads();
  Status SyncStrictly(uint64_t commit);
  // decrypted.cc
  void GiveBackDecrypted();
  void GiveBackDecryptedNow();
};

}  // namespace potoroo

#endif  // POTOROO_ENGINE_POOL_POOL_IMPL_H_
