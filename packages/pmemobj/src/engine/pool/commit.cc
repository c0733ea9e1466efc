// One commit, from its operations to the state that readers see.
#include <algorithm>

#include "engine/base/memory.h"
#include "engine/pool/pool_impl.h"
#include "engine/tree/search.h"

namespace potoroo {
namespace {

// Entries of trees that were given up, to be freed before a commit is tried again.
constexpr size_t kReapedForRoom = 100000;

Space::Room RoomOf(const Operation& operation) {
  if (operation.kind == Operation::Kind::kPutBuffer) return Space::Room::kOrdinary;
  if (operation.kind != Operation::Kind::kPut) return Space::Room::kKept;
  switch (operation.room) {
    case Operation::Room::kOrdinary:
      return Space::Room::kOrdinary;
    case Operation::Room::kHalfOfKept:
      return Space::Room::kHalfOfKept;
    case Operation::Room::kKept:
      return Space::Room::kKept;
  }
  return Space::Room::kOrdinary;
}

// The next attempt knows nothing of what kept the pool from growing, such as a lack of descriptors.
Status RefusalFor(Space::Room room, const Status& growth) {
  const Status full = growth.ok() ? StatusOf(Code::kNoSpace) : growth;
  if (room != Space::Room::kKept || full.code() != Code::kNoSpace) return full;
  return Status(full.code(), full.message() +
                                 ". The room that is kept for deletions is taken, too: compact the "
                                 "pool, or give it more room");
}

}  // namespace

void Pool::Impl::Recycle() {
  states.TakeFree(states.Hold(), &free_);
  RecycleTaken();
}

Status Pool::Impl::Commit(const Mode& mode, const Change& change) {
  if (going_back_) return TryCommit(mode, change);
  Status status = syncer.status();
  if (status.ok()) status = store->medium()->CheckThereInTime();
  if (status.ok()) status = TryCommit(mode, change);
  if (store->medium()->failed()) status = syncer.status();
  if (status.code() == Code::kIo && !mode.replayed) GoBack();
  return status;
}

Status Pool::Impl::TryCommit(const Mode& mode, const Change& change) {
  Status status;
  if (status.ok() && opening_ != nullptr) status = FinishOpening(false);
  if (status.ok() && mode.logged && !mode.replayed) status = MakeRoom(record_.size());
  if (!status.ok()) return status;
  store->medium()->ForgetGrowth();
  Code code = Attempt(mode, change, &status);
  // The free space of before is not known yet; and if it may not be used, the pool has to grow.
  if (code == Code::kNoSpace && opening_ != nullptr) {
    status = FinishOpening(true);
    if (!status.ok()) return status;
    code = Attempt(mode, change, &status);
  }
  // What was given up since the last checkpoint is kept until the next one.
  if (code == Code::kNoSpace && !mode.replayed &&
      (WaitForBackground() || epoch != last_checkpoint_)) {
    status = CheckpointNow();
    if (!status.ok()) return status;
    code = Attempt(mode, change, &status);
  }
  while (code == Code::kNoSpace && !doomed_.empty() && Reap(kReapedForRoom)) {
    code = Attempt(mode, change, &status);
  }
  if (code == Code::kNoSpace) return RefusalFor(mode.room, store->medium()->growth());
  return code == Code::kOk ? status : StatusOf(code);
}

Code Pool::Impl::Attempt(const Mode& mode, const Change& change, Status* status) {
  States::Lock lock = states.Hold();
  states.TakeFree(lock, &free_);
  RecycleTaken();
  // Either nobody can pin the latest state meanwhile, or we do.
  State* base = nullptr;
  if (!mode.in_place) {
    lock.unlock();
    base = states.Keep();
  }
  const uint64_t next = mode.moves ? epoch.load() : epoch + 1;
  transaction_.Begin(next, base == nullptr ? states.LastPinned(lock) : base->epoch, mode.room);
  new_roots_.clear();
  // Which buffers are given up has to be known as long as ranges of some are saved.
  writer_.set_thorough(!undo_.saved().empty());
  uint32_t directory = directory_;
  Code code;
  try {
    code = Apply(change, &directory);
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
    states.Release(base);
    Recycle();
  }
  RecycleTaken();
  return code;
}

Code Pool::Impl::Apply(const Change& change, uint32_t* directory) {
  if (change.moving != nullptr) return ApplyMove(change.moving, directory);
  if (change.kind == LogKind::kCreateMap) return CreateMap(change.name, directory);
  if (change.kind == LogKind::kDropMap) return DropMap(change.name, directory);
  bool one = change.count == 1 && change.operations[0].kind != Operation::Kind::kDeleteRange;
  return one ? ApplyOne(change.operations[0], directory)
             : ApplyOperations(change.operations, change.count, directory);
}

// Brings the record to the log. Does nothing where it throws.
Status Pool::Impl::Append(uint64_t commit) {
  Medium* medium = store->medium();
  uint64_t place;
  const Bytes record = log_.Finish(&record_, commit, syncer.durable(), &place);
  if (record.empty()) {
    Status status(Code::kIo, "OpenSSL failed to encrypt");
    syncer.Fail(status);
    return status;
  }
  if (medium->is_pmem()) medium->Append(medium->At(place), record.data(), record.size());
  // Its pages, or those that the commit has changed, may be lost.
  if (medium->failed()) return medium->status();
  if (medium->is_pmem()) {
    syncer.SetDurableAtOnce(commit);
  } else if (durability == Durability::kRelaxed) {
    NeedFlusher();
    syncer.Store(commit, place, record);
  } else {
    syncer.Hold(commit, place, record);
  }
  log_.SetTaken(record.size());
  return Status::Ok();
}

// In a log record; or else all that is new is made durable at once, and the root is switched.
Status Pool::Impl::Persist(const Mode& mode, uint32_t directory) {
  if (mode.replayed || mode.moves) return Status::Ok();
  if (mode.logged) return Append(epoch + 1);
  WaitForBackground();
  Frozen frozen;
  Status status = Freeze(epoch + 1, directory, &frozen);
  if (status.ok()) status = MakeDurable(&frozen);
  if (status.ok()) StartLog(frozen.next);
  return status;
}

// All that Publish takes memory for: once a commit is in the log, nothing may fail.
void Pool::Impl::PreparePublish(States::Lock* lock) {
  const bool held = lock->owns_lock();
  if (!held) *lock = states.Hold();
  states.Prepare(*lock, transaction_.retired()->size(), &free_);
  if (!held) lock->unlock();
  for (uint64_t root : new_roots_) MakePlaceOf(root);
}

void Pool::Impl::Publish(States::Lock* lock, uint64_t next, uint32_t directory, bool checkpoint) {
  if (!lock->owns_lock()) *lock = states.Hold();
  states.Publish(*lock, next, directory, new_roots_, *transaction_.retired(), &free_);
  lock->unlock();
  epoch = next;
  directory_ = directory;
  for (uint64_t root : new_roots_) {
    NoteMapRoot(root);
    if (static_cast<uint32_t>(root) != State::kNoRoot) continue;
    names.Drop(static_cast<uint32_t>((root >> 32) - 1), epoch);
  }
  if (checkpoint) SetDurable(states.Keep());
}

uint32_t Pool::Impl::MakePlaceOf(uint64_t root) {
  uint32_t place = MapNames::PlaceOf(static_cast<uint32_t>((root >> 32) - 1));
  if (place >= map_roots_.size()) map_roots_.resize(place + 1);
  return place;
}

void Pool::Impl::NoteMapRoot(uint64_t root) { map_roots_[MakePlaceOf(root)] = root; }

Code Pool::Impl::RootOf(uint32_t map, Bytes name, uint32_t* map_root) {
  uint32_t place = MapNames::PlaceOf(map);
  if (place < map_roots_.size() && map_roots_[place] >> 32 == uint64_t{map} + 1) {
    *map_root = static_cast<uint32_t>(map_roots_[place]);
    return Code::kOk;
  }
  Code code = FindRootByName(directory_, name, map_root);
  if (code == Code::kOk) NoteMapRoot(State::RootWord(map, *map_root));
  return code;
}

// For the directory, where a map has a new root.
void Pool::Impl::NoteRoot(uint32_t map, Bytes name, uint32_t map_root) {
  new_roots_.push_back(State::RootWord(map, map_root));
  DirectoryValue value{map_root, 0};
  Bytes bytes = transaction_.arena()->Keep({reinterpret_cast<const char*>(&value), sizeof value});
  directory_edits_.points.push_back({name, bytes, true});
}

// The operations of the group.
Code Pool::Impl::ApplyToMap(uint32_t map) {
  const std::string* name;
  uint32_t before, map_root;
  Code code = names.Latest(map, &name);
  if (code == Code::kOk) code = RootOf(map, *name, &before);
  if (code != Code::kOk) return code;
  CollectEdits(&group_, &edits_);
  map_root = before;
  code = writer_.Apply(edits_, &map_root);
  if (code == Code::kOk && map_root != before) NoteRoot(map, *name, map_root);
  return code;
}

// Mostly, nothing but a leaf changes.
Code Pool::Impl::ApplyOne(const Operation& operation, uint32_t* directory) {
  const std::string* name;
  uint32_t before, map_root;
  Code code = names.Latest(operation.map, &name);
  if (code == Code::kOk) code = RootOf(operation.map, *name, &before);
  if (code != Code::kOk) return code;
  map_root = before;
  code = writer_.ApplyPoint(PointOf(operation), &map_root);
  if (code != Code::kOk || map_root == before) return code;
  directory_edits_.points.clear();
  NoteRoot(operation.map, *name, map_root);
  return writer_.Apply(directory_edits_, directory);
}

Code Pool::Impl::ApplyOperations(const Operation* operations, size_t count, uint32_t* directory) {
  pending_.clear();
  bool one_map = true;
  for (size_t i = 0; i < count; i++) {
    pending_.push_back(&operations[i]);
    one_map = one_map && operations[i].map == operations[0].map;
  }
  if (!one_map) {
    std::stable_sort(pending_.begin(), pending_.end(),
                     [](const Operation* a, const Operation* b) { return a->map < b->map; });
  }
  directory_edits_.points.clear();
  for (size_t from = 0; from < count;) {
    size_t to = from;
    uint32_t map = pending_[from]->map;
    while (to < count && pending_[to]->map == map) to++;
    group_.assign(pending_.begin() + static_cast<ptrdiff_t>(from),
                  pending_.begin() + static_cast<ptrdiff_t>(to));
    Code code = ApplyToMap(map);
    if (code != Code::kOk) return code;
    from = to;
  }
  std::vector<Point>& points = directory_edits_.points;
  if (points.empty()) return Code::kOk;
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.key < b.key; });
  return writer_.Apply(directory_edits_, directory);
}

void Pool::Impl::RecordOperations(const Operation* operations, size_t count) {
  record_.Clear();
  for (size_t i = 0; i < count; i++) {
    const Operation& op = operations[i];
    if (i == 0 || op.map != operations[i - 1].map) {
      // A map that is none fails when it is applied.
      const std::string* name;
      bool known = names.Latest(op.map, &name) == Code::kOk;
      record_.Add(LogKind::kMap, known ? Bytes(*name) : Bytes(), {});
    }
    LogKind kind = op.kind == Operation::Kind::kPut      ? LogKind::kPut
                   : op.kind == Operation::Kind::kDelete ? LogKind::kDelete
                                                         : LogKind::kDeleteRange;
    record_.Add(kind, op.key, kind == LogKind::kDelete ? Bytes() : op.value);
  }
}

// How the operations are to be committed; kInvalid where they are not.
Status Pool::Impl::Plan(const Operation* operations, size_t count, Mode* mode) const {
  mode->in_place = true;
  mode->room = Space::Room::kKept;
  uint64_t bytes = 0;
  for (size_t i = 0; i < count; i++) {
    const Operation& op = operations[i];
    bool range = op.kind == Operation::Kind::kDeleteRange;
    bool buffer = op.kind == Operation::Kind::kPutBuffer;
    if (op.key.size() > kMaxKeySize || (range && op.value.size() > kMaxKeySize)) {
      return Status(Code::kInvalid, "a key has more than 32 KiB");
    }
    if (op.map == undo_map_.load(std::memory_order_relaxed)) {
      return Status(Code::kInvalid, "the map is the engine's own");
    }
    if (op.value.size() > kMaxValueSize) {
      return Status(Code::kInvalid, "a value has more than 1 GiB");
    }
    if (buffer && store->cipher() != nullptr) {
      return Status(Code::kEncrypted,
                    "a pool that is encrypted has no buffers: they would lie there as they are");
    }
    mode->room = std::min(mode->room, RoomOf(op));
    // A range may hold any number of pages.
    mode->in_place = mode->in_place && !range;
    // What the log does anew would lie elsewhere.
    mode->logged = mode->logged && !buffer;
    bytes += op.key.size() + op.value.size() + sizeof(LogOperation);
  }
  mode->logged = mode->logged && bytes <= kMaxLogged;
  return Status::Ok();
}

Status Pool::Impl::CommitOperations(Mode mode, const Operation* operations, size_t count) {
  if (count == 0) return Status::Ok();
  if (mode.logged) {
    RecordOperations(operations, count);
    // Operations that go from map to map name each again.
    mode.logged = record_.size() <= kLeastSegment;
  }
  mode.in_place = mode.in_place && mode.logged;
  return Commit(mode, {LogKind::kPut, {}, operations, count});
}

Status Pool::Impl::Write(const Operation* operations, size_t count, uint64_t* commit) {
  if (read_only_) return ReadOnly();
  Mode mode;
  Status status = Plan(operations, count, &mode);
  if (!status.ok()) return status;
  std::lock_guard<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  status = CommitOperations(mode, operations, count);
  *commit = epoch;
  return status;
}

Code Pool::Impl::CreateMap(Bytes name, uint32_t* directory) {
  DirectoryValue value{};
  directory_edits_.points = {{name, {reinterpret_cast<const char*>(&value), sizeof value}, true}};
  Code code = writer_.Apply(directory_edits_, directory);
  if (code == Code::kOk) new_roots_.push_back(State::RootWord(names.Add(name, epoch + 1), 0));
  return code;
}

Status Pool::Impl::MakeMap(Bytes name) {
  record_.Clear();
  record_.Add(LogKind::kCreateMap, name, {});
  Mode mode;
  mode.in_place = true;
  return Commit(mode, {LogKind::kCreateMap, name});
}

Status Pool::Impl::OpenMap(Bytes name, uint32_t* map) {
  if (name.empty() || name.size() > 255) {
    return Status(Code::kInvalid, "a map's name has 1 to 255 bytes");
  }
  if (name == kUndoMap) return Status(Code::kInvalid, "the map is the engine's own");
  std::unique_lock<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  uint32_t map_root;
  Code code = FindRootByName(directory_, name, &map_root);
  if (code == Code::kNotFound && read_only_) {
    return Status(code, "there is no map of that name, and a pool that is read only makes none");
  }
  if (code != Code::kOk && code != Code::kNotFound) return StatusOf(code);
  Status status = code == Code::kNotFound ? MakeMap(name) : Status::Ok();
  if (!status.ok()) return status;
  *map = names.Add(name, epoch);
  // Everything there is then is durable.
  if (went_back_) return status;
  uint64_t commit = epoch;
  lock.unlock();
  return Sync(commit);
}

Code Pool::Impl::DropMap(Bytes name, uint32_t* directory) {
  uint32_t map_root;
  Code code = FindRootByName(directory_, name, &map_root);
  if (code == Code::kOk) code = writer_.Drop(map_root);
  if (code != Code::kOk) return code;
  uint32_t map;
  if (names.Find(name, &map) && going_back_) {
    // Callers may have its number, of a map that a later commit has made again.
    map_roots_[MakePlaceOf(State::RootWord(map, 0))] = 0;
  } else if (names.Find(name, &map)) {
    transaction_.RetireMap(map);
    new_roots_.push_back(State::RootWord(map, State::kNoRoot));
  }
  directory_edits_.points = {{name, {}, false}};
  return writer_.Apply(directory_edits_, directory);
}

Status Pool::Impl::DropMap(Bytes name) {
  if (read_only_) return ReadOnly();
  if (name == kUndoMap) return Status(Code::kInvalid, "the map is the engine's own");
  std::unique_lock<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  record_.Clear();
  record_.Add(LogKind::kDropMap, name, {});
  Mode mode;
  mode.room = Space::Room::kKept;
  Status status = Commit(mode, {LogKind::kDropMap, name});
  uint64_t commit = epoch;
  lock.unlock();
  return status.ok() ? Sync(commit) : status;
}

}  // namespace potoroo
