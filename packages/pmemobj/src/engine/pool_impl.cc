#include "pool_impl.h"

#include <algorithm>

#include "search.h"

namespace potoroo::engine {

Status StatusOf(Code code) {
  switch (code) {
    case Code::kOk:
      return Status::Ok();
    case Code::kNotFound:
      return Status(code, "not found");
    case Code::kNoSpace:
      return Status(code, "the pool is full");
    case Code::kCorrupt:
      return Status(code, "a page or value of the pool is damaged");
    default:
      return Status(code, "the pool is closed, or an argument is out of range");
  }
}

uint32_t MapNames::Add(Bytes name) {
  std::unique_lock<std::shared_mutex> lock(mutex_);
  auto added = numbers_.emplace(std::string(name), static_cast<uint32_t>(names_.size()));
  if (added.second) names_.emplace_back(name);
  return added.first->second;
}

bool MapNames::Find(Bytes name, uint32_t* map) const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  auto found = numbers_.find(std::string(name));
  if (found == numbers_.end()) return false;
  *map = found->second;
  return true;
}

bool MapNames::Name(uint32_t map, std::string* name) const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  if (map >= names_.size()) return false;
  *name = names_[map];
  return true;
}

uint32_t MapNames::count() const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  return static_cast<uint32_t>(names_.size());
}

}  // namespace potoroo::engine

namespace potoroo {

Pool::Impl::Impl(std::unique_ptr<Medium> medium)
    : store(new Store(std::move(medium))), transaction_(store.get()), writer_(&transaction_) {}

Status Pool::Impl::Load(bool thorough) {
  bool sound = true;
  store->medium()->EachObject([&](ObjectType type, uint64_t offset, uint64_t size) {
    if (type == ObjectType::kExtent) {
      sound = store->space()->AddExtent(offset, size) && sound;
    } else if (type == ObjectType::kBlob) {
      store->AddObject(offset, size);
    } else {
      sound = false;
    }
  });
  if (!sound) return Status(Code::kCorrupt, "an extent is damaged");
  Walk walk(store.get(), thorough);
  Status status = walk.Run(root.directory());
  if (!status.ok()) return status;
  store->space()->FinishMarking();
  store->FreeUnmarkedObjects();
  for (const std::string& name : walk.maps()) names.Add(name);
  states.Reset(root.epoch(), root.directory());
  return status;
}

void Pool::Impl::Close() {
  std::lock_guard<std::mutex> lock(write_mutex);
  closed = true;
  store.reset();
}

Code Pool::Impl::FindRootByName(uint32_t directory, Bytes name, uint32_t* map_root) const {
  Bytes bytes;
  Code code = Lookup(*store, directory, name, &bytes);
  if (code != Code::kOk) return code;
  if (bytes.size() != sizeof(DirectoryValue)) return Code::kCorrupt;
  memcpy(map_root, bytes.data(), 4);
  return Code::kOk;
}

Code Pool::Impl::FindRoot(State* state, uint32_t map, uint32_t* map_root) const {
  std::atomic<uint64_t>& cached = state->roots[map % State::kRoots];
  uint64_t word = cached.load(std::memory_order_relaxed);
  if (word >> 32 == uint64_t{map} + 1) {
    *map_root = static_cast<uint32_t>(word);
    return Code::kOk;
  }
  std::string name;
  if (!names.Name(map, &name)) return Code::kInvalid;
  Code code = FindRootByName(state->directory, name, map_root);
  if (code == Code::kOk) {
    cached.store((uint64_t{map} + 1) << 32 | *map_root, std::memory_order_relaxed);
  }
  return code;
}

void Pool::Impl::Recycle() {
  for (const Item& item : free_) Transaction::Release(store.get(), item);
  free_.clear();
}

void Pool::Impl::Begin(bool reserve) {
  states.TakeFree(&free_);
  Recycle();
  transaction_.Begin(root.epoch() + 1, reserve);
}

Status Pool::Impl::Fail(Code code) {
  transaction_.Abort();
  return StatusOf(code);
}

// Everything written so far first, then the root: never the other way round, on media either.
Status Pool::Impl::Commit(uint32_t directory) {
  store->medium()->Fence();
  root.Switch(directory);
  transaction_.SetVerified();
  states.Publish(root.epoch(), directory, *transaction_.retired(), &free_);
  Recycle();
  return Status::Ok();
}

Status Pool::Impl::OpenMap(Bytes name, uint32_t* map) {
  if (name.empty() || name.size() > 255) {
    return Status(Code::kInvalid, "a map's name has 1 to 255 bytes");
  }
  std::lock_guard<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  uint32_t map_root;
  Code code = FindRootByName(root.directory(), name, &map_root);
  if (code == Code::kNotFound) {
    Begin(false);
    DirectoryValue value{};
    directory_edits_.points = {{name, {reinterpret_cast<const char*>(&value), sizeof value}, true}};
    uint32_t directory = root.directory();
    code = writer_.Apply(directory_edits_, &directory);
    if (code != Code::kOk) return Fail(code);
    Commit(directory);
  } else if (code != Code::kOk) {
    return StatusOf(code);
  }
  *map = names.Add(name);
  return Status::Ok();
}

Status Pool::Impl::DropMap(Bytes name) {
  std::lock_guard<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  uint32_t map_root;
  Code code = FindRootByName(root.directory(), name, &map_root);
  if (code != Code::kOk) return StatusOf(code);
  Begin(true);
  directory_edits_.points = {{name, {}, false}};
  uint32_t directory = root.directory();
  code = writer_.Drop(map_root);
  if (code == Code::kOk) code = writer_.Apply(directory_edits_, &directory);
  if (code != Code::kOk) return Fail(code);
  return Commit(directory);
}

Status Pool::Impl::ListMaps(std::vector<std::string>* list) {
  list->clear();
  if (closed) return StatusOf(Code::kInvalid);
  State* state = states.Pin();
  Code code = Code::kOk;
  std::string name;
  uint32_t map_root;
  for (uint32_t map = 0; names.Name(map, &name); map++) {
    code = FindRootByName(state->directory, name, &map_root);
    if (code == Code::kOk) list->push_back(name);
    if (code == Code::kCorrupt) break;
  }
  states.Unpin(state);
  std::sort(list->begin(), list->end());
  return code == Code::kCorrupt ? StatusOf(code) : Status::Ok();
}

// Applies one map's operations and notes its new root, if there is one, for the directory.
Code Pool::Impl::ApplyToMap(uint32_t map, std::vector<const Operation*>* operations) {
  std::string name;
  if (!names.Name(map, &name)) return Code::kInvalid;
  DirectoryValue value{};
  Code code = FindRootByName(root.directory(), name, &value.root);
  if (code != Code::kOk) return code;
  uint32_t before = value.root;
  CollectEdits(operations, &edits_);
  code = writer_.Apply(edits_, &value.root);
  if (code != Code::kOk || value.root == before) return code;
  Arena* arena = transaction_.arena();
  directory_edits_.points.push_back(
      {arena->Keep(name), arena->Keep({reinterpret_cast<const char*>(&value), sizeof value}),
       true});
  return code;
}

Status Pool::Impl::Write(const Operation* operations, size_t count) {
  bool only_deletes = true, one_map = true;
  for (size_t i = 0; i < count; i++) {
    const Operation& op = operations[i];
    bool range = op.kind == Operation::Kind::kDeleteRange;
    if (op.key.size() > kMaxKeySize || (range && op.value.size() > kMaxKeySize)) {
      return Status(Code::kInvalid, "a key has more than 32 KiB");
    }
    if (op.value.size() > kMaxValueSize)
      return Status(Code::kInvalid, "a value has more than 1 GiB");
    only_deletes = only_deletes && op.kind != Operation::Kind::kPut;
    one_map = one_map && op.map == operations[0].map;
  }
  std::lock_guard<std::mutex> lock(write_mutex);
  if (closed) return StatusOf(Code::kInvalid);
  if (count == 0) return Status::Ok();
  Begin(only_deletes);
  pending_.clear();
  for (size_t i = 0; i < count; i++) pending_.push_back(&operations[i]);
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
    Code code = ApplyToMap(map, &group_);
    if (code != Code::kOk) return Fail(code);
    from = to;
  }
  if (directory_edits_.points.empty()) return Status::Ok();
  std::vector<Point>& points = directory_edits_.points;
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.key < b.key; });
  uint32_t directory = root.directory();
  Code code = writer_.Apply(directory_edits_, &directory);
  if (code != Code::kOk) return Fail(code);
  return Commit(directory);
}

}  // namespace potoroo
