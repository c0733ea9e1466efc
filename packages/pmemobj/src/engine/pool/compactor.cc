#include "engine/pool/compactor.h"

#include "engine/base/memory.h"

namespace potoroo::engine {
namespace {

// Entries of trees that were given up, and regions, for one step each.
constexpr size_t kReaped = 2000;
constexpr size_t kPunched = 16;
constexpr size_t kGivenBack = 8;
// Extents below it hold few whole regions, or none.
constexpr uint64_t kSmallExtent = uint64_t{16} << 20;

}  // namespace

Status Compactor::Step(bool* done) {
  *done = false;
  Status status = Guarded([&] { return TryStep(done); });
  if (status.ok() && !*done) return status;
  if (compaction_ != nullptr) core_->store->space()->EndLeaving();
  compaction_.reset();
  return status;
}

Status Compactor::TryStep(bool* done) {
  Status status = core_->syncer.status();
  if (status.ok()) status = finder_->Finish(true);
  if (!status.ok()) return status;
  if (compaction_ == nullptr) {
    // Gives back all that is given up so far.
    compaction_ = std::make_unique<Compaction>();
    return checkpointer_->Run();
  }
  if (reaper_->has_trees()) {
    if (!reaper_->Reap(kReaped)) return NoMemory();
  } else if (compaction_->phase == Compaction::Phase::kPlanning) {
    Plan();
  } else if (compaction_->phase == Compaction::Phase::kMoving) {
    return MoveSome();
  } else if (compaction_->phase == Compaction::Phase::kJoining) {
    JoinExtents();
  } else {
    *done = !core_->store->space()->PunchFree(kPunched);
  }
  return status;
}

void Compactor::Plan() {
  Space* space = core_->store->space();
  const LogPlace& log = checkpointer_->log()->place();
  space->PlanLeaving(log.offset, log.size());
  compaction_->maps = core_->names.All(core_->epoch);
  // The directory itself.
  compaction_->maps.push_back({"", kNoMap});
  compaction_->phase = Compaction::Phase::kMoving;
}

Status Compactor::MoveSome() {
  Compaction& compaction = *compaction_;
  Stretch* stretch = &compaction.stretch;
  stretch->map = compaction.maps[compaction.at];
  stretch->done = false;
  Status status;
  const Code code = committer_->Move(stretch, &status);
  if (!status.ok()) return status;
  if (code != Code::kOk && code != Code::kNotFound && code != Code::kNoSpace) return StatusOf(code);
  if (code == Code::kNotFound || stretch->done) {
    compaction.at++;
    stretch->from.clear();
  }
  // Without room, the moves so far have to do.
  if (code != Code::kNoSpace && compaction.at < compaction.maps.size()) return status;
  status = checkpointer_->Run();
  core_->store->space()->EndLeaving();
  compaction.phase = Compaction::Phase::kJoining;
  return status;
}

// Small extents that are free become big ones. So does what libpmemobj has free: a value above 3
// MiB that was deleted, say.
void Compactor::JoinExtents() {
  if (core_->store->space()->GiveBackExtents(kGivenBack, kSmallExtent)) return;
  core_->store->space()->TakeHeap();
  compaction_->phase = Compaction::Phase::kGiving;
}

}  // namespace potoroo::engine
