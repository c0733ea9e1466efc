#include "engine/commit/committer.h"

#include "engine/base/memory.h"

namespace potoroo::engine {
namespace {

// Entries of trees that were given up, to be freed before a commit is tried again.
constexpr size_t kReapedForRoom = 100000;

// The next attempt knows nothing of what kept the pool from growing, such as a lack of descriptors.
Status RefusalFor(Space::Room room, const Status& growth) {
  const Status full = growth.ok() ? StatusOf(Code::kNoSpace) : growth;
  if (room != Space::Room::kKept || full.code() != Code::kNoSpace) return full;
  return Status(full.code(), full.message() +
                                 ". The room that is kept for deletions is taken, too: compact the "
                                 "pool, or give it more room");
}

}  // namespace

Status Committer::UseCipher(std::unique_ptr<Cipher> cipher) {
  if (cipher == nullptr) return Status::Ok();
  Status status = core_->store->SetCipher(std::move(cipher), &core_->decrypted);
  record_.set_cipher(core_->store->cipher());
  return status;
}

Status Committer::Commit(const CommitMode& mode, const Change& change) {
  if (mode.goes_back) return TryCommit(mode, change);
  Status status = core_->syncer.status();
  if (status.ok()) status = core_->store->medium()->CheckThereInTime();
  if (status.ok()) status = TryCommit(mode, change);
  if (core_->store->medium()->failed()) status = core_->syncer.status();
  if (status.code() == Code::kIo && !mode.replayed) when_failed_();
  return status;
}

Status Committer::TryCommit(const CommitMode& mode, const Change& change) {
  Status status;
  if (finder_->is_searching()) status = finder_->Finish(false);
  if (status.ok() && mode.logged && !mode.replayed) {
    status = checkpointer_->MakeRoom(record_.size());
  }
  if (!status.ok()) return status;
  core_->store->medium()->ForgetGrowth();
  Code code = Attempt(mode, change, &status);
  // The free space of before is not known yet; and if it may not be used, the pool has to grow.
  if (code == Code::kNoSpace && finder_->is_searching()) {
    status = finder_->Finish(true);
    if (!status.ok()) return status;
    code = Attempt(mode, change, &status);
  }
  // Space that was given up since the last checkpoint is kept until the next one.
  if (code == Code::kNoSpace && !mode.replayed &&
      (checkpointer_->Wait() || checkpointer_->is_behind())) {
    status = checkpointer_->Run();
    if (!status.ok()) return status;
    code = Attempt(mode, change, &status);
  }
  while (code == Code::kNoSpace && reaper_->has_trees() && reaper_->Reap(kReapedForRoom)) {
    code = Attempt(mode, change, &status);
  }
  if (code == Code::kNoSpace) return RefusalFor(mode.room, core_->store->medium()->growth());
  return code == Code::kOk ? status : StatusOf(code);
}

Code Committer::Attempt(const CommitMode& mode, const Change& change, Status* status) {
  States::Lock lock = core_->states.Hold();
  reaper_->Recycle(lock);
  // Either nobody can pin the latest state meanwhile, or we do.
  State* base = nullptr;
  if (!mode.in_place) {
    lock.unlock();
    base = core_->states.Keep();
  }
  const uint64_t next = mode.moves ? core_->epoch.load() : core_->epoch + 1;
  transaction_.Begin(next, base == nullptr ? core_->states.LastPinned(lock) : base->epoch,
                     mode.room);
  // Which buffers are given up has to be known as long as ranges of some are saved.
  editor_.Begin(!undo_->saved().empty());
  uint32_t directory = core_->directory;
  Code code;
  try {
    code = editor_.Apply(mode, change, &directory);
    if (code == Code::kOk && !mode.saved && !mode.replayed && GivesUpSaved()) {
      *status = Status(Code::kInvalid, "a buffer has saved ranges");
    } else if (code == Code::kOk && transaction_.changed()) {
      PreparePublish(&lock);
      *status = Persist(mode, directory);
      if (status->code() == Code::kNoSpace) code = status->code();
      bool checkpoint = !mode.logged && !mode.replayed && !mode.moves;
      if (status->ok()) Publish(&lock, next, directory, checkpoint);
    }
  } catch (const std::exception&) {
    code = Code::kNoMemory;
  }
  if (code != Code::kOk || !status->ok()) transaction_.Abort();
  if (lock.owns_lock()) lock.unlock();
  if (base != nullptr) {
    core_->states.Release(base);
    reaper_->Recycle();
  }
  reaper_->RecycleTaken();
  return code;
}

// Brings the record to the log. Does nothing where it throws.
Status Committer::Append(uint64_t commit) {
  Medium* medium = core_->store->medium();
  uint64_t place;
  const Bytes record =
      checkpointer_->log()->Finish(&record_, commit, core_->syncer.durable(), &place);
  if (record.empty()) {
    Status status(Code::kIo, "OpenSSL failed to encrypt");
    core_->syncer.Fail(status);
    return status;
  }
  if (medium->is_pmem()) medium->Append(medium->At(place), record.data(), record.size());
  // Its pages, or those that the commit has changed, may be lost.
  if (medium->failed()) return medium->status();
  if (medium->is_pmem()) {
    core_->syncer.SetDurableAtOnce(commit);
  } else if (core_->durability == Durability::kRelaxed) {
    flusher_.Need();
    core_->syncer.Store(commit, place, record);
  } else {
    core_->syncer.Hold(commit, place, record);
  }
  checkpointer_->log()->SetTaken(record.size());
  return Status::Ok();
}

// Makes a commit durable by a log record; or else makes all that is new durable at once, and
// switches the root.
Status Committer::Persist(const CommitMode& mode, uint32_t directory) {
  if (mode.replayed || mode.moves) return Status::Ok();
  if (mode.logged) return Append(core_->epoch + 1);
  return checkpointer_->RunFor(core_->epoch + 1, directory);
}

// Whether the commit under way would leave saved ranges without a place to go back to.
bool Committer::GivesUpSaved() const {
  for (const Item& buffer : transaction_.retired_buffers()) {
    if (undo_->HasSavedIn(buffer.offset, buffer.size)) return true;
  }
  return false;
}

// All that Publish takes memory for: once a commit is in the log, nothing may fail.
void Committer::PreparePublish(States::Lock* lock) {
  const bool held = lock->owns_lock();
  if (!held) *lock = core_->states.Hold();
  core_->states.Prepare(*lock, transaction_.retired()->size(), reaper_->free());
  if (!held) lock->unlock();
  editor_.Prepare();
}

void Committer::Publish(States::Lock* lock, uint64_t next, uint32_t directory, bool checkpoint) {
  if (!lock->owns_lock()) *lock = core_->states.Hold();
  core_->states.Publish(*lock, next, directory, editor_.new_roots(), *transaction_.retired(),
                        reaper_->free());
  lock->unlock();
  core_->epoch = next;
  core_->directory = directory;
  editor_.Finish();
  if (checkpoint) checkpointer_->SetLatestDurable();
}

void Committer::RecordOperations(const Operation* operations, size_t count) {
  record_.Clear();
  for (size_t i = 0; i < count; i++) {
    const Operation& op = operations[i];
    if (i == 0 || op.map != operations[i - 1].map) {
      // A map that is none fails when it is applied.
      const std::string* name;
      bool known = core_->names.Latest(op.map, &name) == Code::kOk;
      record_.Add(LogKind::kMap, known ? Bytes(*name) : Bytes(), {});
    }
    LogKind kind = op.kind == Operation::Kind::kPut      ? LogKind::kPut
                   : op.kind == Operation::Kind::kDelete ? LogKind::kDelete
                                                         : LogKind::kDeleteRange;
    record_.Add(kind, op.key, kind == LogKind::kDelete ? Bytes() : op.value);
  }
}

Status Committer::Write(CommitMode mode, const Operation* operations, size_t count) {
  if (count == 0) return Status::Ok();
  if (mode.logged) {
    RecordOperations(operations, count);
    // Operations that go from map to map name each again.
    mode.logged = record_.size() <= kLeastSegment;
  }
  mode.in_place = mode.in_place && mode.logged;
  return Commit(mode, {LogKind::kPut, {}, operations, count});
}

Status Committer::CreateMap(Bytes name) {
  record_.Clear();
  record_.Add(LogKind::kCreateMap, name, {});
  CommitMode mode;
  mode.in_place = true;
  return Commit(mode, {LogKind::kCreateMap, name});
}

Status Committer::DropMap(Bytes name) {
  record_.Clear();
  record_.Add(LogKind::kDropMap, name, {});
  CommitMode mode;
  mode.room = Space::Room::kKept;
  return Commit(mode, {LogKind::kDropMap, name});
}

Status Committer::Replay(const Change& change, bool in_place, bool goes_back) {
  CommitMode mode;
  mode.replayed = true;
  mode.room = Space::Room::kKept;
  mode.in_place = in_place;
  mode.goes_back = goes_back;
  return Commit(mode, change);
}

void Committer::GoBack(uint32_t directory) {
  core_->states.GoBack(core_->epoch + 1, directory, reaper_->free());
  core_->epoch++;
  core_->directory = directory;
  editor_.Forget();
}

Code Committer::Move(Stretch* stretch, Status* status) {
  CommitMode mode;
  mode.moves = true;
  mode.logged = false;
  Change change;
  change.stretch = stretch;
  core_->store->space()->set_may_grow(false);
  Code code = Attempt(mode, change, status);
  core_->store->space()->set_may_grow(true);
  return code;
}

}  // namespace potoroo::engine
