#include "engine/pool/recovery.h"

#include <algorithm>
#include <memory>

#include "engine/base/fault.h"
#include "engine/base/memory.h"
#include "engine/maps/map_list.h"

namespace potoroo::engine {
namespace {

Status RecordDamaged() { return Status(Code::kCorrupt, "a record of the log is damaged"); }

}  // namespace

void Recovery::GoBack() {
  Syncer* syncer = &core_->syncer;
  const Status failure = syncer->status();
  const bool relaxed = core_->durability == Durability::kRelaxed;
  if (failure.ok() || went_back_ || core_->closed || relaxed) return;
  went_back_ = true;
  // Nothing becomes durable any more, except what is under way.
  syncer->Fail(failure);
  checkpointer_->Wait();
  syncer->Drain();
  if (core_->epoch <= syncer->durable() || Planted(Fault::kShowRefused)) return;
  core_->states.HoldView();
  if (Guarded([this] { return GoBackToDurable(); }).ok()) {
    core_->states.ShowLatest();
  } else {
    unreadable_ = true;
  }
}

Status Recovery::GoBackToDurable() {
  const RootSlot& slot = checkpointer_->root()->slot();
  const Log& log = *checkpointer_->log();
  committer_->GoBack(slot.directory);
  // Records name maps that were dropped since; but callers keep the numbers that they know.
  MapNames* names = &core_->names;
  const MapNames::Kept known = names->Keep();
  names->UndoDrops(slot.epoch);
  LogReader reader(log.Segment(0), log.Segment(1), slot, core_->store->cipher());
  Status status;
  while (status.ok() && reader.epoch() < core_->syncer.durable()) {
    status = reader.Next() ? ReplayRecord(&reader, true) : RecordDamaged();
  }
  names->Restore(known);
  names->UndoDrops(core_->syncer.durable());
  return status;
}

Status Recovery::Load(Bytes key) {
  Root* root = checkpointer_->root();
  Status status = Root::Open(core_->store->medium(), root);
  std::unique_ptr<Cipher> cipher;
  if (status.ok()) status = root->FindCipher(key, &cipher);
  if (status.ok()) status = committer_->UseCipher(std::move(cipher));
  if (status.ok()) status = finder_->Begin(*root);
  if (!status.ok()) return status;
  checkpointer_->Begin();
  finder_->Keep();
  const RootSlot& slot = root->slot();
  std::vector<std::string> maps;
  status = ListMaps(*core_->store, slot.directory, slot.epoch, &maps);
  if (!status.ok()) return status;
  core_->AddNames(maps);
  status = FindSpace(maps);
  if (status.ok() && core_->store->cipher() != nullptr) {
    status = root->SettleKeys(*core_->store->cipher(), key);
  }
  return status;
}

// Finds the free space, or begins to, and replays the log.
Status Recovery::FindSpace(const std::vector<std::string>& maps) {
  const Root& root = *checkpointer_->root();
  // Restoring saved bytes of buffers takes knowing where they are. If one of two slots is damaged,
  // only the trees say whether the other one counts.
  const bool has_undo = std::find(maps.begin(), maps.end(), kUndoMap) != maps.end();
  const bool at_once = has_undo || root.doubtful() || root.outdated() ||
                       core_->store->space()->extents_size() < walked_at_once;
  std::vector<Walk::Buffer> buffers;
  Status status = at_once ? finder_->WalkAtOnce() : finder_->WalkInBackground();
  if (status.ok() && has_undo) buffers = finder_->buffers();
  if (status.ok() && at_once) status = finder_->Finish(true);
  if (status.ok()) status = Replay();
  if (status.ok() && has_undo) status = buffers_->RollBack(root.slot().undo_salt, buffers);
  return status;
}

Status Recovery::Replay() {
  const Log& log = *checkpointer_->log();
  LogReader reader(log.Segment(0), log.Segment(1), checkpointer_->root()->slot(),
                   core_->store->cipher());
  Status status = ReplayAll(&reader);
  if (!status.ok()) return status;
  if (reader.Misses())
    return Status(Code::kCorrupt, "a record of the log is damaged, and later ones follow it");
  // A process that was killed may have left records in memory that a power cut would still take.
  for (uint32_t segment = 0; segment < 2; segment++) {
    if (reader.used(segment) == 0 || Planted(Fault::kReplaySync)) continue;
    status = core_->store->medium()->Persist(log.Segment(segment), reader.used(segment));
    if (!status.ok()) return status;
  }
  core_->syncer.SetDurable(core_->epoch);
  return Status::Ok();
}

Status Recovery::ReplayAll(LogReader* reader) {
  while (reader->Next()) {
    Status status = ReplayRecord(reader, false);
    if (!status.ok()) return status;
    core_->epoch = reader->epoch();
  }
  return Status::Ok();
}

Status Recovery::ReplayRecord(LogReader* reader, bool goes_back) {
  std::vector<Operation> operations;
  uint32_t map = 0;
  bool has_map = false;
  LogOperation operation;
  Bytes key, value;
  while (reader->NextOperation(&operation, &key, &value)) {
    const LogKind kind = operation.kind;
    if (kind == LogKind::kCreateMap || kind == LogKind::kDropMap) {
      return committer_->Replay({kind, key}, false, goes_back);
    } else if (kind == LogKind::kMap) {
      has_map = core_->names.Find(key, &map);
    } else if (has_map && kind == LogKind::kPut) {
      operations.push_back({Operation::Kind::kPut, map, key, value});
    } else if (has_map && kind == LogKind::kDelete) {
      operations.push_back({Operation::Kind::kDelete, map, key, {}});
    } else if (has_map && kind == LogKind::kDeleteRange) {
      operations.push_back({Operation::Kind::kDeleteRange, map, key, value});
    } else {
      return RecordDamaged();
    }
  }
  if (!reader->Exhausted()) return RecordDamaged();
  return committer_->Replay({LogKind::kPut, {}, operations.data(), operations.size()}, true,
                            goes_back);
}

}  // namespace potoroo::engine
