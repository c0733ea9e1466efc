// What is free when a pool is opened.
//
// Only the trees of the last checkpoint say that, and to walk them all takes the longer the more
// there is. So a big pool is open before: its extents can be read, but nothing there is taken or
// given up, and what is written goes to extents of its own, until the trees were walked by a
// thread. The state of the opening stays pinned meanwhile. When the walk is done, the next write
// makes one space of both. A write that finds no space waits for that. Only then may the pool grow,
// so that to open and close it again and again makes it no bigger.
//
// Readers in other processes may still read checkpoints of earlier openings, of which nothing is
// known here: then all that was there stays as it is until they are gone, and the pool may grow at
// once.
#include "engine/base/fault.h"
#include "engine/base/memory.h"
#include "engine/medium/reader_locks.h"
#include "engine/pool/pool_impl.h"

namespace potoroo {
namespace {

Status Damaged(const char* what) { return Status(Code::kCorrupt, what); }

}  // namespace

// Extents and big values: all that libpmemobj has for us.
Status Pool::Impl::FindObjects() {
  bool sound = true;
  store->medium()->EachObject([&](ObjectType type, uint64_t offset, uint64_t size) {
    if (type == ObjectType::kExtent) {
      sound = store->space()->AddWaitingExtent(offset, size) &&
              opening_->found.AddExtent(offset, size) && sound;
    } else if (type == ObjectType::kBlob) {
      store->AddFoundObject(offset, size);
    } else {
      sound = false;
    }
  });
  return sound ? Status::Ok() : Damaged("an extent is damaged");
}

Status Pool::Impl::BeginOpening() {
  const RootSlot& slot = root_.slot();
  // A slot that is torn leaves the one before it, whose trees are whole; one that was damaged
  // later does not.
  opening_ = std::make_unique<Opening>(store.get(), slot, root_.doubtful());
  is_opening_ = true;
  Status status = FindObjects();
  if (!status.ok()) return status;
  Space* found = &opening_->found;
  const LogPlace place{slot.log, slot.segment_size};
  if (!place.IsUsable() || !found->MarkRun(place.offset, place.size())) {
    return Damaged("the log is damaged");
  }
  if (root_.place() != 0 && !found->MarkRun(root_.place(), kBlockSize)) {
    return Damaged("the superblock lies where there is no place for one");
  }
  log_.Attach(place);
  // A slot was damaged that somebody reads: our own checkpoints would get the same numbers.
  if (IsRead(store->medium()->PartOf(0).fd, slot.number + 1, kReaderLocks - 1)) {
    return Status(Code::kInUse, "somebody reads a checkpoint that is damaged now");
  }
  status = Begin();
  opening_->state = states.Keep();
  store->medium()->set_may_grow(false);
  return status;
}

Status Pool::Impl::WalkAtOnce() {
  opening_->status = opening_->walk.Run(root_.slot().directory);
  opening_->walked = true;
  return opening_->status;
}

Status Pool::Impl::WalkInBackground() {
  Opening* opening = opening_.get();
  const uint32_t directory = root_.slot().directory;
  opening->thread = std::thread([opening, directory] {
    opening->status = Guarded([&] { return opening->walk.Run(directory); });
    opening->walked.store(true, std::memory_order_release);
  });
  return Status::Ok();
}

void Pool::Impl::StopWalking() {
  std::lock_guard<std::mutex> lock(write_mutex);
  if (opening_ == nullptr) return;
  opening_->walk.Stop();
  if (opening_->thread.joinable()) opening_->thread.join();
}

// Whether somebody reads a checkpoint of an earlier opening.
bool Pool::Impl::IsReadByOthers() const {
  if (opening_->number == 0 || Planted(Fault::kUnmerged)) return false;
  return IsRead(store->medium()->PartOf(0).fd, 0, opening_->number - 1);
}

// Makes what was found a part of the space, if it is known and may be used; `wait`: until it is
// known. kCorrupt, kNoSpace.
Status Pool::Impl::FinishOpening(bool wait) {
  if (opening_ == nullptr) return Status::Ok();
  if (!wait && !opening_->walked.load(std::memory_order_acquire)) return Status::Ok();
  if (opening_->thread.joinable()) opening_->thread.join();
  if (!opening_->status.ok()) {
    syncer.Fail(opening_->status);
    return opening_->status;
  }
  if (!wait && !ask_others_) return Status::Ok();
  ask_others_ = false;
  if (IsReadByOthers()) {
    store->medium()->set_may_grow(true);
    return Status::Ok();
  }
  return FinishOpeningNow(wait);
}

Status Pool::Impl::FinishOpeningNow(bool wait) {
  if (!opening_->found.FindHoles()) {
    // A write may do without, and a later one tries again.
    if (!wait) return Status::Ok();
    return Status(Code::kNoSpace, "the disk has no space for what the pool's files lack");
  }
  store->space()->Merge(opening_->found);
  State* state = opening_->state;
  opening_.reset();
  is_opening_ = false;
  store->medium()->set_may_grow(true);
  states.Release(state);
  store->FreeUnmarkedObjects();
  return Status::Ok();
}

}  // namespace potoroo
