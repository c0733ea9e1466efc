#include "engine/commit/space_finder.h"

#include "engine/base/fault.h"
#include "engine/base/memory.h"
#include "engine/log/log.h"
#include "engine/medium/reader_locks.h"

namespace potoroo::engine {

// Extents and big values: all that libpmemobj has for us.
Status SpaceFinder::FindObjects() {
  bool sound = true;
  Store* store = core_->store.get();
  store->medium()->EachObject([&](ObjectType type, uint64_t offset, uint64_t size) {
    if (type == ObjectType::kExtent) {
      sound = store->space()->AddWaitingExtent(offset, size) &&
              search_->found.AddExtent(offset, size) && sound;
    } else if (type == ObjectType::kBlob) {
      store->AddFoundObject(offset, size);
    } else {
      sound = false;
    }
  });
  return sound ? Status::Ok() : Status(Code::kCorrupt, "an extent is damaged");
}

Status SpaceFinder::Begin(const Root& root) {
  const RootSlot& slot = root.slot();
  // A slot that is torn leaves the one before it, whose trees are whole; one that was damaged
  // later does not.
  search_ = std::make_unique<Search>(core_->store.get(), slot, root.doubtful());
  is_searching_ = true;
  Status status = FindObjects();
  if (!status.ok()) return status;
  Space* found = &search_->found;
  const LogPlace place{slot.log, slot.segment_size};
  if (!place.IsUsable() || !found->MarkRun(place.offset, place.size())) {
    return Status(Code::kCorrupt, "the log is damaged");
  }
  if (root.place() != 0 && !found->MarkRun(root.place(), kBlockSize)) {
    return Status(Code::kCorrupt, "the superblock lies where there is no place for one");
  }
  // A slot was damaged that somebody reads: our own checkpoints would get the same numbers.
  if (IsRead(core_->store->medium()->PartOf(0).fd, slot.number + 1, kReaderLocks - 1)) {
    return Status(Code::kInUse, "somebody reads a checkpoint that is damaged now");
  }
  return Status::Ok();
}

void SpaceFinder::Keep() {
  search_->state = core_->states.Keep();
  core_->store->medium()->set_may_grow(false);
}

Status SpaceFinder::WalkAtOnce() {
  search_->status = search_->walk.Run(search_->state->directory);
  search_->walked = true;
  return search_->status;
}

Status SpaceFinder::WalkInBackground() {
  Search* search = search_.get();
  const uint32_t directory = search->state->directory;
  search->thread = std::thread([search, directory] {
    search->status = Guarded([&] { return search->walk.Run(directory); });
    search->walked.store(true, std::memory_order_release);
  });
  return Status::Ok();
}

void SpaceFinder::Stop() {
  std::lock_guard<std::mutex> lock(core_->write_mutex);
  if (search_ == nullptr) return;
  search_->walk.Stop();
  if (search_->thread.joinable()) search_->thread.join();
}

// Whether somebody reads a checkpoint of an earlier opening.
bool SpaceFinder::IsReadByOthers() const {
  if (search_->number == 0 || Planted(Fault::kUnmerged)) return false;
  return IsRead(core_->store->medium()->PartOf(0).fd, 0, search_->number - 1);
}

Status SpaceFinder::Finish(bool wait) {
  if (search_ == nullptr) return Status::Ok();
  if (!wait && is_walking()) return Status::Ok();
  if (search_->thread.joinable()) search_->thread.join();
  if (!search_->status.ok()) {
    core_->syncer.Fail(search_->status);
    return search_->status;
  }
  if (!wait && !ask_others_) return Status::Ok();
  ask_others_ = false;
  if (IsReadByOthers()) {
    core_->store->medium()->set_may_grow(true);
    return Status::Ok();
  }
  return FinishNow(wait);
}

Status SpaceFinder::FinishNow(bool wait) {
  if (!search_->found.FindHoles()) {
    // A write may do without, and a later one tries again.
    if (!wait) return Status::Ok();
    return Status(Code::kNoSpace, "the disk has no space for what the pool's files lack");
  }
  Store* store = core_->store.get();
  store->space()->Merge(search_->found);
  State* state = search_->state;
  search_.reset();
  is_searching_ = false;
  store->medium()->set_may_grow(true);
  core_->states.Release(state);
  store->FreeUnmarkedObjects();
  return Status::Ok();
}

}  // namespace potoroo::engine
