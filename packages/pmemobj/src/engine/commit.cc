// One commit, from its operations to the state that readers see.
#include <algorithm>

#include "pool_impl.h"
#include "search.h"

namespace potoroo {

// What no state needs any more.
void Pool::Impl::Recycle() {
  states.TakeFree(states.Hold(), &free_);
  RecycleTaken();
}

void Pool::Impl::RecycleTaken() {
  for (const Item& item : free_) Transaction::Release(store.get(), item);
  free_.clear();
}

Status Pool::Impl::Commit(const Mode& mode, const Change& change) {
  Status status = syncer.status();
  if (status.ok() && mode.logged && !mode.replayed) status = MakeRoom(record_.size());
  if (!status.ok()) return status;
  Code code = Attempt(mode, change, &status);
  // What was given up since the last checkpoint is kept until the next one.
  if (code == Code::kNoSpace && !mode.replayed &&
      (WaitForBackground() || epoch != last_checkpoint_)) {
    status = CheckpointNow();
    if (!status.ok()) return status;
    code = Attempt(mode, change, &status);
  }
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
  transaction_.Begin(epoch + 1, base == nullptr ? states.LastPinned(lock) : base->epoch,
                     mode.reserve);
  new_roots_.clear();
  uint32_t directory = directory_;
  Code code = Apply(change, &directory);
  if (code == Code::kOk && !mode.saved && GivesUpSaved()) {
    *status = Status(Code::kInvalid, "a buffer has saved ranges");
  } else if (code == Code::kOk && transaction_.changed()) {
    *status = Persist(mode, directory);
    if (status->ok()) Publish(&lock, directory, !mode.logged && !mode.replayed);
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
  if (change.kind == LogKind::kCreateMap) return CreateMap(change.name, directory);
  if (change.kind == LogKind::kDropMap) return DropMap(change.name, directory);
  bool one = change.count == 1 && change.operations[0].kind != Operation::Kind::kDeleteRange;
  return one ? ApplyOne(change.operations[0], directory)
             : ApplyOperations(change.operations, change.count, directory);
}

// In a log record; or else all that is new is made durable at once, and the root is switched.
Status Pool::Impl::Persist(const Mode& mode, uint32_t directory) {
  if (mode.replayed) return Status::Ok();
  if (mode.logged) {
    const char *from, *to;
    log_.Append(&record_, epoch + 1, &from, &to);
    if (store->medium()->is_pmem()) {
      syncer.SetDurableAtOnce(epoch + 1);
    } else {
      syncer.Appended(epoch + 1, from, to);
      if (durability == Durability::kRelaxed) NeedBackground();
    }
    return Status::Ok();
  }
  WaitForBackground();
  Frozen frozen;
  Freeze(epoch + 1, directory, &frozen);
  Status status = MakeDurable(&frozen);
  if (status.ok()) StartLog(frozen.next);
  return status;
}

void Pool::Impl::Publish(States::Lock* lock, uint32_t directory, bool checkpoint) {
  if (!lock->owns_lock()) *lock = states.Hold();
  states.Publish(*lock, epoch + 1, directory, new_roots_, *transaction_.retired(), &free_);
  lock->unlock();
  epoch = epoch + 1;
  directory_ = directory;
  for (uint64_t root : new_roots_) {
    uint64_t map = (root >> 32) - 1;
    if (map >= map_roots_.size()) map_roots_.resize(map + 1);
    map_roots_[map] = root;
  }
  if (checkpoint) states.SetDurable(states.Keep());
}

Code Pool::Impl::RootOf(uint32_t map, Bytes name, uint32_t* map_root) {
  if (map < map_roots_.size() && map_roots_[map] != 0) {
    *map_root = static_cast<uint32_t>(map_roots_[map]);
    return Code::kOk;
  }
  Code code = FindRootByName(directory_, name, map_root);
  if (code == Code::kOk) {
    if (map >= map_roots_.size()) map_roots_.resize(map + 1);
    map_roots_[map] = State::RootWord(map, *map_root);
  }
  return code;
}

// For the directory, where a map has a new root.
Code Pool::Impl::NoteRoot(uint32_t map, uint32_t map_root) {
  new_roots_.push_back(State::RootWord(map, map_root));
  DirectoryValue value{map_root, 0};
  Bytes bytes = transaction_.arena()->Keep({reinterpret_cast<const char*>(&value), sizeof value});
  directory_edits_.points.push_back({*names.Known(map), bytes, true});
  return Code::kOk;
}

// The operations of the group.
Code Pool::Impl::ApplyToMap(uint32_t map) {
  const std::string* name = names.Known(map);
  if (name == nullptr) return Code::kInvalid;
  uint32_t before, map_root;
  Code code = RootOf(map, *name, &before);
  if (code != Code::kOk) return code;
  CollectEdits(&group_, &edits_);
  map_root = before;
  code = writer_.Apply(edits_, &map_root);
  return code != Code::kOk || map_root == before ? code : NoteRoot(map, map_root);
}

// Mostly, nothing but a leaf changes.
Code Pool::Impl::ApplyOne(const Operation& operation, uint32_t* directory) {
  const std::string* name = names.Known(operation.map);
  if (name == nullptr) return Code::kInvalid;
  uint32_t before, map_root;
  Code code = RootOf(operation.map, *name, &before);
  if (code != Code::kOk) return code;
  map_root = before;
  code = writer_.ApplyPoint(PointOf(operation), &map_root);
  if (code != Code::kOk || map_root == before) return code;
  directory_edits_.points.clear();
  NoteRoot(operation.map, map_root);
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
      const std::string* name = names.Known(op.map);
      record_.Add(LogKind::kMap, name == nullptr ? Bytes() : Bytes(*name), {});
    }
    LogKind kind = op.kind == Operation::Kind::kPut      ? LogKind::kPut
                   : op.kind == Operation::Kind::kDelete ? LogKind::kDelete
                                                         : LogKind::kDeleteRange;
    record_.Add(kind, op.key, kind == LogKind::kDelete ? Bytes() : op.value);
  }
}

// How the operations are to be committed; kInvalid where they are not.
Status Pool::Impl::Plan(const Operation* operations, size_t count, Mode* mode) const {
  mode->reserve = mode->in_place = true;
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
    mode->reserve = mode->reserve && !buffer && op.kind != Operation::Kind::kPut;
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
  if (code == Code::kOk) new_roots_.push_back(State::RootWord(names.Add(name), 0));
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
  if (code != Code::kOk && code != Code::kNotFound) return StatusOf(code);
  Status status = code == Code::kNotFound ? MakeMap(name) : Status::Ok();
  if (!status.ok()) return status;
  *map = names.Add(name);
  uint64_t commit = epoch;
  lock.unlock();
  return Sync(commit);
}

Code Pool::Impl::DropMap(Bytes name, uint32_t* directory) {
  uint32_t map_root;
  Code code = FindRootByName(directory_, name, &map_root);
  if (code == Code::kOk) code = writer_.Drop(map_root);
  if (code != Code::kOk) return code;
  directory_edits_.points = {{name, {}, false}};
  return writer_.Apply(directory_edits_, directory);
}

Status Pool::Impl::DropMap(Bytes name) {
  if (name == kUndoMap) return Status(Code::kInvalid, "the map is the engine's own");
  std::unique_lock<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  record_.Clear();
  record_.Add(LogKind::kDropMap, name, {});
  Mode mode;
  mode.reserve = true;
  Status status = Commit(mode, {LogKind::kDropMap, name});
  map_roots_.clear();
  uint64_t commit = epoch;
  lock.unlock();
  return status.ok() ? Sync(commit) : status;
}

}  // namespace potoroo
