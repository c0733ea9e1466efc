// Compaction: what lies in regions that are hardly used moves to others, and regions that are free
// then become holes in the files.
//
// It goes in small steps; others write between them. A step that moves something is a commit that
// changes nothing for readers: it has no record in the log, and the number of the commit before.
// After a crash, things are where they were at the last checkpoint. A region becomes a hole only
// when no checkpoint that a crash may lead back to, and no snapshot, has anything in it.
#include <algorithm>

#include "engine/base/memory.h"
#include "engine/pool/mover.h"
#include "engine/pool/pool_impl.h"

namespace potoroo {
namespace {

// Entries of trees that were given up, and regions, for one step each.
constexpr size_t kReaped = 2000;
constexpr size_t kPunched = 16;
constexpr size_t kGivenBack = 8;
// Extents below it hold few whole regions, or none.
constexpr uint64_t kSmallExtent = uint64_t{16} << 20;

}  // namespace

Status Pool::Impl::Compact(bool* done) {
  if (read_only_) return ReadOnly();
  std::lock_guard<std::mutex> lock(write_mutex);
  *done = false;
  if (closed) return StatusOf(Code::kInvalid);
  Status status = Guarded([&] { return CompactSome(done); });
  if (status.ok() && !*done) return status;
  if (compaction_ != nullptr) store->space()->EndLeaving();
  compaction_.reset();
  return status;
}

Status Pool::Impl::CompactSome(bool* done) {
  Status status = syncer.status();
  if (status.ok()) status = FinishOpening(true);
  if (!status.ok()) return status;
  if (compaction_ == nullptr) {
    // Gives back all that is given up so far.
    compaction_ = std::make_unique<Compaction>();
    return CheckpointNow();
  }
  if (!doomed_.empty()) {
    if (!Reap(kReaped)) return NoMemory();
  } else if (compaction_->phase == Compaction::Phase::kPlanning) {
    PlanCompaction();
  } else if (compaction_->phase == Compaction::Phase::kMoving) {
    return MoveSome();
  } else if (compaction_->phase == Compaction::Phase::kJoining) {
    JoinExtents();
  } else {
    *done = !store->space()->PunchFree(kPunched);
  }
  return status;
}

void Pool::Impl::PlanCompaction() {
  Space* space = store->space();
  space->PlanLeaving(log_.place().offset, log_.place().size());
  compaction_->maps = names.All(epoch);
  // The directory itself.
  compaction_->maps.push_back({"", kNoMap});
  compaction_->phase = Compaction::Phase::kMoving;
}

Status Pool::Impl::MoveSome() {
  Compaction& compaction = *compaction_;
  Mode mode;
  mode.moves = true;
  mode.logged = false;
  Change change;
  change.moving = &compaction;
  compaction.map_done = false;
  Status status;
  store->space()->set_may_grow(false);
  Code code = Attempt(mode, change, &status);
  store->space()->set_may_grow(true);
  if (!status.ok()) return status;
  if (code != Code::kOk && code != Code::kNotFound && code != Code::kNoSpace) return StatusOf(code);
  if (code == Code::kNotFound || compaction.map_done) {
    compaction.at++;
    compaction.from.clear();
  }
  // Without room, what has moved so far has to do.
  if (code != Code::kNoSpace && compaction.at < compaction.maps.size()) return status;
  status = CheckpointNow();
  store->space()->EndLeaving();
  compaction.phase = Compaction::Phase::kJoining;
  return status;
}

// Small extents that are free become big ones. So does what libpmemobj has free: a value above 3
// MiB that was deleted, say.
void Pool::Impl::JoinExtents() {
  if (store->space()->GiveBackExtents(kGivenBack, kSmallExtent)) return;
  store->space()->TakeHeap();
  compaction_->phase = Compaction::Phase::kGiving;
}

// A stretch of the map that it has come to.
Code Pool::Impl::ApplyMove(Compaction* compaction, uint32_t* directory) {
  const NamedMap& map = compaction->maps[compaction->at];
  Mover mover(&transaction_);
  if (map.map == kNoMap) return mover.Move(directory, &compaction->from, &compaction->map_done);
  uint32_t before, root;
  Code code = FindRootByName(directory_, map.name, &before);
  if (code != Code::kOk) return code;
  root = before;
  code = mover.Move(&root, &compaction->from, &compaction->map_done);
  if (code != Code::kOk || root == before) return code;
  directory_edits_.points.clear();
  NoteRoot(map.map, map.name, root);
  return writer_.Apply(directory_edits_, directory);
}

}  // namespace potoroo
