// Opening a pool: the state of the last checkpoint, and then what the log has.
#include <algorithm>

#include "engine/base/fault.h"
#include "engine/base/memory.h"
#include "engine/pool/pool_impl.h"
#include "engine/tree/map_list.h"

namespace potoroo {
namespace {

Status Damaged(const char* what) { return Status(Code::kCorrupt, what); }

}  // namespace

// Once the log has failed, nothing that was refused may be seen: what is durable becomes the latest
// state again, by doing anew in memory what the log has since the last checkpoint. Readers have the
// state of before until then. Nothing is written any more, so no failure can come of that.
//
// By the writing thread, after each failure. Under kRelaxed, what was acknowledged stays.
void Pool::Impl::GoBack() {
  const Status failure = syncer.status();
  if (failure.ok() || went_back_ || closed || durability == Durability::kRelaxed) return;
  went_back_ = true;
  // Nothing becomes durable any more, except what is under way.
  syncer.Fail(failure);
  WaitForBackground();
  syncer.Drain();
  if (epoch <= syncer.durable() || Planted(Fault::kShowRefused)) return;
  going_back_ = true;
  states.HoldView();
  if (Guarded([this] { return GoBackToDurable(); }).ok()) {
    states.ShowLatest();
  } else {
    unreadable = true;
  }
  going_back_ = false;
}

Status Pool::Impl::GoBackToDurable() {
  const RootSlot& slot = root_.slot();
  states.GoBack(epoch + 1, slot.directory, &free_);
  epoch++;
  directory_ = slot.directory;
  map_roots_.clear();
  // Records name maps that were dropped since; but callers keep the numbers that they know.
  const MapNames::Kept known = names.Keep();
  names.UndoDrops(slot.epoch);
  LogReader reader(log_.Segment(0), log_.Segment(1), slot, store->cipher());
  Status status;
  while (status.ok() && reader.epoch() < syncer.durable()) {
    status = reader.Next() ? ReplayRecord(&reader) : Damaged("a record of the log is damaged");
  }
  names.Restore(known);
  names.UndoDrops(syncer.durable());
  return status;
}

Status Pool::Impl::Load(Bytes key) {
  Status status = Root::Open(store->medium(), &root_);
  std::unique_ptr<Cipher> cipher;
  if (status.ok()) status = root_.FindCipher(key, &cipher);
  if (status.ok()) status = UseCipher(std::move(cipher));
  if (status.ok()) status = BeginOpening();
  const RootSlot& slot = root_.slot();
  std::vector<std::string> maps;
  if (status.ok()) status = engine::ListMaps(*store, slot.directory, slot.epoch, &maps);
  if (!status.ok()) return status;
  AddNames(maps);
  // To bring back what was saved of buffers takes knowing where they are. Of two slots, one of
  // which is damaged, only the trees say whether the other one counts.
  const bool has_undo = std::find(maps.begin(), maps.end(), kUndoMap) != maps.end();
  const bool at_once = has_undo || root_.doubtful() || root_.outdated() ||
                       store->space()->extents_size() < walked_at_once;
  std::vector<Walk::Buffer> buffers;
  status = at_once ? WalkAtOnce() : WalkInBackground();
  if (status.ok() && has_undo) buffers = opening_->walk.buffers();
  if (status.ok() && at_once) status = FinishOpening(true);
  if (status.ok()) status = Replay();
  if (status.ok() && has_undo) status = RollBack(buffers);
  if (status.ok() && store->cipher() != nullptr) status = root_.SettleKeys(*store->cipher(), key);
  return status;
}

void Pool::Impl::AddNames(const std::vector<std::string>& maps) {
  bool undo = false;
  for (const std::string& name : maps) {
    name == kUndoMap ? void(undo = true) : void(names.Add(name, 0));
  }
  // The last: so the numbers of the others do not depend on it.
  if (undo) names.Add(kUndoMap, 0);
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
  LogReader reader(log_.Segment(0), log_.Segment(1), slot, store->cipher());
  Status status = ReplayAll(&reader);
  if (!status.ok()) return status;
  if (reader.Misses()) return Damaged("a record of the log is damaged, and later ones follow it");
  // A process that was killed may have left records in memory that a power cut would still take.
  for (uint32_t segment = 0; segment < 2; segment++) {
    if (reader.used(segment) == 0 || Planted(Fault::kReplaySync)) continue;
    status = store->medium()->Persist(log_.Segment(segment), reader.used(segment));
    if (!status.ok()) return status;
  }
  syncer.SetDurable(epoch);
  return Status::Ok();
}

Status Pool::Impl::ReplayAll(LogReader* reader) {
  while (reader->Next()) {
    Status status = ReplayRecord(reader);
    if (!status.ok()) return status;
    epoch = reader->epoch();
  }
  return Status::Ok();
}

Status Pool::Impl::ReplayRecord(LogReader* reader) {
  std::vector<Operation> operations;
  uint32_t map = 0;
  bool has_map = false;
  LogOperation operation;
  Bytes key, value;
  Mode mode;
  mode.replayed = true;
  mode.room = Space::Room::kKept;
  while (reader->NextOperation(&operation, &key, &value)) {
    const LogKind kind = operation.kind;
    if (kind == LogKind::kCreateMap) {
      return Commit(mode, {kind, key});
    } else if (kind == LogKind::kDropMap) {
      return Commit(mode, {kind, key});
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
