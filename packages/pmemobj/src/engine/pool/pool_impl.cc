#include "engine/pool/pool_impl.h"

#include <algorithm>

#include "engine/base/memory.h"
#include "engine/pool/reader.h"
#include "engine/space/key_slots.h"

namespace potoroo {

using engine::CommitMode;
using engine::Guarded;
using engine::kUndoMap;
using engine::Medium;
using engine::ReadOnly;
using engine::State;
using engine::StatusOf;

Pool::Impl::Impl(std::unique_ptr<Medium> medium, const PoolOptions& options)
    : core(std::move(medium), options),
      finder(&core),
      reaper(&core),
      checkpointer(&core, &finder, &reaper),
      undo(core.store->medium()),
      committer(&core, &finder, &reaper, &checkpointer, &undo),
      buffers(&core, &undo, &checkpointer, &committer),
      recovery(&core, &finder, &checkpointer, &committer, &buffers),
      compactor(&core, &finder, &reaper, &checkpointer, &committer),
      figures(&core, &finder, &reaper) {
  committer.SetWhenFailed([this] { recovery.GoBack(); });
}

Pool::Impl::~Impl() { StopThreads(); }

void Pool::Impl::StopThreads() {
  finder.Stop();
  reaper.Stop();
  checkpointer.Stop();
  committer.Stop();
}

Status Pool::Impl::Create(Bytes key) {
  std::unique_ptr<engine::Cipher> cipher;
  Status status = key.empty() ? Status::Ok() : engine::NewDataKey(&cipher);
  if (status.ok()) status = committer.UseCipher(std::move(cipher));
  if (status.ok()) status = checkpointer.Create(key);
  if (status.ok()) checkpointer.Begin();
  return status;
}

Status Pool::Impl::OpenToRead(const std::string& path, const PoolOptions& options,
                              std::shared_ptr<Impl>* impl) {
  engine::ReadAttempts attempts;
  for (;;) {
    std::unique_ptr<Medium> medium;
    Status status = Medium::OpenToRead(path, &medium);
    if (!status.ok()) return status;
    auto made = std::make_shared<Impl>(std::move(medium), options);
    engine::Reader reader(&made->core, &made->checkpointer, &made->committer, &made->recovery,
                          &attempts);
    status = reader.Load(path, options.key);
    if (status.ok()) status = made->core.store->medium()->status();
    if (status.ok()) *impl = std::move(made);
    if (status.ok()) return status;
    made.reset();
    if (!attempts.Next()) return Status(status.code(), path + ": " + status.message());
  }
}

Status Pool::Impl::Close() {
  // First: a writer that came later would start again what is stopped here.
  {
    std::lock_guard<std::mutex> lock(core.write_mutex);
    if (core.closed) return Status::Ok();
    core.closed = true;
  }
  StopThreads();
  const auto held = figures.Hold();
  std::lock_guard<std::mutex> lock(core.write_mutex);
  Status status = Guarded([this] {
    Status last = core.syncer.status();
    // The next opening has nothing to replay then.
    if (last.ok() && checkpointer.started() && checkpointer.is_behind()) last = checkpointer.Run();
    return last;
  });
  // Opening does it, then.
  if (status.code() == Code::kNoMemory) {
    status = Guarded([this] { return core.syncer.WaitForAll(); });
  }
  core.syncer.Leave();
  finder.Reset();
  core.store.reset();
  return status;
}

Status Pool::Impl::Write(const Operation* operations, size_t count, uint64_t* commit) {
  if (core.read_only) return ReadOnly();
  CommitMode mode;
  Status status = PlanCommit(core, operations, count, &mode);
  if (!status.ok()) return status;
  std::lock_guard<std::mutex> lock(core.write_mutex);
  if (core.closed) return StatusOf(Code::kInvalid);
  status = committer.Write(mode, operations, count);
  *commit = core.epoch;
  if (core.decrypted.IsFull()) GiveBackDecryptedNow();
  return status;
}

Status Pool::Impl::WriteSaved(const Operation* operations, size_t count) {
  uint64_t commit = 0;
  Status status = buffers.WriteSaved(operations, count, &commit);
  return status.ok() ? SyncStrictly(commit) : status;
}

Status Pool::Impl::Sync(uint64_t commit) {
  return core.durability == Durability::kRelaxed ? core.syncer.status() : SyncStrictly(commit);
}

// The same, under kRelaxed too.
Status Pool::Impl::SyncStrictly(uint64_t commit) {
  if (core.syncer.IsDurable(commit)) return Status::Ok();
  Status status = core.syncer.Wait(commit);
  if (status.ok()) return status;
  std::lock_guard<std::mutex> lock(core.write_mutex);
  recovery.GoBack();
  // By a write that was under way when another failed.
  return core.syncer.IsDurable(commit) ? Status::Ok() : status;
}

Status Pool::Impl::Flush() {
  Status status = core.syncer.WaitForAll();
  if (status.ok()) status = core.syncer.status();
  if (status.ok()) return status;
  std::lock_guard<std::mutex> lock(core.write_mutex);
  recovery.GoBack();
  return status;
}

Status Pool::Impl::Checkpoint() {
  if (core.read_only) return ReadOnly();
  std::unique_lock<std::mutex> lock(core.write_mutex);
  if (core.closed) return StatusOf(Code::kInvalid);
  Status status = core.syncer.status();
  if (status.ok()) status = finder.Finish(true);
  if (!status.ok()) return status;
  bool done = !checkpointer.is_behind() && !checkpointer.Wait();
  checkpointer.ReleaseUnread();
  if (!done) status = checkpointer.Run();
  lock.unlock();
  if (status.ok()) reaper.ReapAll();
  return status;
}

Status Pool::Impl::GiveBack(bool* begun) {
  *begun = false;
  if (core.read_only) return ReadOnly();
  std::unique_lock<std::mutex> lock(core.write_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return Status::Ok();
  if (core.closed) return StatusOf(Code::kInvalid);
  Status status = core.syncer.status();
  if (status.ok()) status = finder.Finish(false);
  if (status.ok()) status = checkpointer.Begin(begun);
  return status;
}

Status Pool::Impl::FindMap(Bytes name, uint32_t* map) {
  std::lock_guard<std::mutex> lock(core.write_mutex);
  if (core.closed) return StatusOf(Code::kInvalid);
  uint32_t root;
  Code code = core.FindRootByName(core.directory, name, &root);
  if (code == Code::kOk) *map = core.names.Add(name, core.epoch);
  return code == Code::kOk ? Status::Ok() : StatusOf(code);
}

Status Pool::Impl::OpenMap(Bytes name, uint32_t* map) {
  if (name.empty() || name.size() > 255) {
    return Status(Code::kInvalid, "a map's name has 1 to 255 bytes");
  }
  if (name == kUndoMap) return Status(Code::kInvalid, "the map is the engine's own");
  std::unique_lock<std::mutex> lock(core.write_mutex);
  if (core.closed) return StatusOf(Code::kInvalid);
  uint32_t root;
  Code code = core.FindRootByName(core.directory, name, &root);
  if (code == Code::kNotFound && core.read_only) {
    return Status(code, "there is no map of that name, and a pool that is read only makes none");
  }
  if (code != Code::kOk && code != Code::kNotFound) return StatusOf(code);
  Status status = code == Code::kNotFound ? committer.CreateMap(name) : Status::Ok();
  if (!status.ok()) return status;
  *map = core.names.Add(name, core.epoch);
  // Everything there is then is durable.
  if (recovery.went_back()) return status;
  uint64_t commit = core.epoch;
  lock.unlock();
  return Sync(commit);
}

Status Pool::Impl::DropMap(Bytes name) {
  if (core.read_only) return ReadOnly();
  if (name == kUndoMap) return Status(Code::kInvalid, "the map is the engine's own");
  std::unique_lock<std::mutex> lock(core.write_mutex);
  if (core.closed) return StatusOf(Code::kInvalid);
  Status status = committer.DropMap(name);
  uint64_t commit = core.epoch;
  lock.unlock();
  return status.ok() ? Sync(commit) : status;
}

Status Pool::Impl::ListMaps(std::vector<std::string>* list) {
  list->clear();
  if (core.closed) return StatusOf(Code::kInvalid);
  State* state = nullptr;
  Status status = Pin(&state);
  if (!status.ok()) return status;
  status = Guarded([&] {
    uint32_t root;
    for (const NamedMap& map : core.names.All(state->epoch)) {
      if (map.name == kUndoMap) continue;
      Code code = core.FindRootByName(state->directory, map.name, &root);
      if (code == Code::kOk) list->push_back(map.name);
      if (code == Code::kCorrupt) return StatusOf(code);
    }
    return Status::Ok();
  });
  core.states.Unpin(state);
  std::sort(list->begin(), list->end());
  return status;
}

Status Pool::Impl::Pin(State** state) {
  if (recovery.unreadable()) return core.syncer.status();
  *state = core.states.Pin();
  return Status::Ok();
}

Status Pool::Impl::Compact(bool* done) {
  if (core.read_only) return ReadOnly();
  std::lock_guard<std::mutex> lock(core.write_mutex);
  *done = false;
  if (core.closed) return StatusOf(Code::kInvalid);
  Status status = compactor.Step(done);
  if (core.decrypted.IsFull()) GiveBackDecryptedNow();
  return status;
}

Status Pool::Impl::RotateKey(Bytes key) {
  if (core.read_only) return ReadOnly();
  std::lock_guard<std::mutex> lock(core.write_mutex);
  if (core.closed) return StatusOf(Code::kInvalid);
  if (key.size() != kKeySize) return Status(Code::kInvalid, "a key has 32 bytes");
  const engine::Cipher* cipher = core.store->cipher();
  if (cipher == nullptr) return Status(Code::kNotEncrypted, "the pool is not encrypted");
  Status status = core.syncer.status();
  if (status.ok()) status = checkpointer.root()->Rotate(*cipher, key);
  return status;
}

}  // namespace potoroo
