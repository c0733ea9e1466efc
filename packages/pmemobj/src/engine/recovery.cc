// Opening a pool: the state of the last checkpoint, and then what the log has.
#include "pool_impl.h"

namespace potoroo {
namespace {

Status Damaged(const char* what) { return Status(Code::kCorrupt, what); }

}  // namespace

// Extents and big values: all that libpmemobj has for us.
Status Pool::Impl::FindObjects() {
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
  return sound ? Status::Ok() : Damaged("an extent is damaged");
}

Status Pool::Impl::Load() {
  Status status = Root::Open(store->medium(), &root_);
  if (status.ok()) status = FindObjects();
  if (!status.ok()) return status;
  const RootSlot& slot = root_.slot();
  LogPlace place{slot.log, slot.segment_size};
  if (!place.IsUsable() || !store->space()->MarkRun(place.offset, place.size())) {
    return Damaged("the log is damaged");
  }
  log_.Attach(place);
  // A slot that is torn leaves the one before it, whose trees are whole; one that was damaged
  // later does not.
  Walk walk(store.get(), slot.epoch, root_.doubtful());
  status = walk.Run(slot.directory);
  if (!status.ok()) return status;
  store->space()->FinishMarking();
  store->FreeUnmarkedObjects();
  bool undo = false;
  for (const std::string& name : walk.maps()) {
    name == kUndoMap ? void(undo = true) : void(names.Add(name));
  }
  // The last: so the numbers of the others do not depend on it.
  if (undo) names.Add(kUndoMap);
  Begin();
  status = Replay();
  return status.ok() ? RollBack(walk) : status;
}

// From the last checkpoint on.
Status Pool::Impl::Begin() {
  const RootSlot& slot = root_.slot();
  states.Reset(slot.epoch, slot.directory);
  epoch = last_checkpoint_ = slot.epoch;
  directory_ = slot.directory;
  syncer.SetDurable(slot.epoch);
  return Status::Ok();
}

Status Pool::Impl::Replay() {
  const RootSlot& slot = root_.slot();
  Log::Reader reader(&log_, slot.segment, slot.generation, slot.epoch);
  while (reader.Next()) {
    Status status = ReplayRecord(&reader);
    if (!status.ok()) return status;
    epoch = reader.epoch();
  }
  syncer.SetDurable(epoch);
  if ((slot.flags & kOrderedLog) && reader.Goes()) return Damaged("a record of the log is damaged");
  return Status::Ok();
}

Status Pool::Impl::ReplayRecord(Log::Reader* reader) {
  std::vector<Operation> operations;
  uint32_t map = 0;
  bool has_map = false;
  LogKind kind;
  Bytes key, value;
  Mode mode;
  mode.replayed = mode.reserve = true;
  while (reader->NextOperation(&kind, &key, &value)) {
    if (kind == LogKind::kCreateMap) {
      return Commit(mode, {kind, key});
    } else if (kind == LogKind::kDropMap) {
      Status status = Commit(mode, {kind, key});
      map_roots_.clear();
      return status;
    } else if (kind == LogKind::kMap) {
      has_map = names.Find(key, &map);
    } else if (has_map && kind == LogKind::kPut) {
      operations.push_back({Operation::Kind::kPut, map, key, value});
    } else if (has_map && kind == LogKind::kDelete) {
      operations.push_back({Operation::Kind::kDelete, map, key, {}});
    } else if (has_map && kind == LogKind::kDeleteRange) {
      operations.push_back({Operation::Kind::kDeleteRange, map, key, value});
    } else {
      return Damaged("a record of the log is damaged");
    }
  }
  if (!reader->Exhausted()) return Damaged("a record of the log is damaged");
  mode.in_place = true;
  return Commit(mode, {LogKind::kPut, {}, operations.data(), operations.size()});
}

}  // namespace potoroo
