#include "engine/check/checker.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>

#include "engine/base/checksum.h"
#include "engine/base/memory.h"
#include "engine/check/check_log.h"
#include "engine/check/check_space.h"
#include "engine/check/check_tree.h"
#include "engine/check/check_undo.h"
#include "engine/check/heap_check.h"
#include "engine/heap/heap_layout.h"
#include "engine/medium/pool_files.h"
#include "engine/medium/pool_set.h"
#include "engine/medium/reader_locks.h"
#include "engine/space/key_slots.h"
#include "engine/space/space.h"
#include "engine/space/superblock.h"

namespace potoroo {
namespace engine {
namespace {

class Checker {
 public:
  explicit Checker(CheckReport* report) : report_(report), problems_(report) {}
  Status Open(const std::string& path);
  Status Run(Bytes key);

 private:
  // Whether a process has the pool open.
  bool beside_ = false;
  PoolReader lock_;  // closed last, with the lock that pins what is read
  RootView pinned_;

  void CheckExtent(const HeapObject& object);
  void Visit(const HeapObject& object);
  Status OpenBeside(const std::string& path, bool folder);
  RootView ViewBeside(const PoolReader& reader) const;
  Status RunBeside(Bytes key);
  void CheckBeside();
  void JudgeRootsBeside();
  bool ReadLog(CheckLog* log);
  Status CheckSuperblock(const HeapCheck& heap, RootView* view);
  Status FindKey(const RootView& view, Bytes key);
  void CheckRoots(const RootView& view);

  CheckReport* report_;
  Problems problems_;
  PoolReader reader_;
  CheckSpace space_;
  std::unique_ptr<Cipher> cipher_;
};

Status Checker::Open(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return StatusFromErrno(errno, path);
  bool folder = S_ISDIR(info.st_mode);
  if (!folder && !S_ISREG(info.st_mode)) {
    return Status(Code::kNotAPool, path + " is neither a file nor a folder");
  }
  Status status;
  if (folder) status = ReadSet(path, &report_->max_size);
  if (status.ok()) status = reader_.Open(path, folder, PoolReader::For::kReading);
  if (status.code() == Code::kInUse) {
    beside_ = true;
    status = OpenBeside(path, folder);
  }
  if (!status.ok()) return status;
  report_->size = reader_.size();
  if (!folder) report_->max_size = report_->size;
  status = CheckSignature(reader_, path);
  if (status.code() != Code::kCorrupt) return status;
  problems_.Add("file", report_->size, status.message());
  return Status::Ok();
}

void Checker::CheckExtent(const HeapObject& object) {
  ExtentHeader header{};
  if (object.size < sizeof header || !reader_.Read(object.offset, &header, sizeof header) ||
      memcmp(header.magic, "PotExtnt", 8) != 0 || header.offset != object.offset ||
      header.size > object.size || header.size < sizeof header || header.reserved != 0 ||
      header.checksum != Checksum(&header, offsetof(ExtentHeader, checksum))) {
    problems_.Add("extent", object.offset, "the header of an extent is damaged");
    return;
  }
  space_.AddExtent(header.offset, header.size);
}

void Checker::Visit(const HeapObject& object) {
  if (object.internal) return;
  if (object.type == static_cast<uint64_t>(ObjectType::kExtent)) {
    CheckExtent(object);
  } else if (object.type == static_cast<uint64_t>(ObjectType::kBlob)) {
    space_.AddObject(object.offset, object.size);
  } else {
    problems_.Add("heap", object.offset, "an object is of no type that there is");
  }
}

Status Checker::FindKey(const RootView& view, Bytes key) {
  Status status = FindCipher(
      view.block, view.place, key,
      [this](uint64_t offset, void* to, uint64_t size) { return reader_.Read(offset, to, size); },
      &cipher_);
  if (status.code() != Code::kCorrupt) return status;
  problems_.Add("superblock", view.place, status.message());
  return status;
}

Status Checker::Run(Bytes key) {
  if (report_->problem_count > 0) return Status::Ok();
  if (beside_) return RunBeside(key);
  HeapCheck heap(
      reader_,
      [this](uint64_t offset, const std::string& what) { problems_.Add("heap", offset, what); },
      [this](const HeapObject& object) { Visit(object); });
  heap.Run();
  RootView view;
  Status status = CheckSuperblock(heap, &view);
  if (!status.ok() || !view.found) return status;
  status = FindKey(view, key);
  if (!status.ok()) return status.code() == Code::kCorrupt ? Status::Ok() : status;
  CheckRoots(view);
  const RootSlot& root = view.latest;
  report_->epoch = root.epoch;
  if (root.number == 0) return status;
  CheckLog log(reader_, cipher_.get(), &space_, report_);
  CheckTree tree(reader_, cipher_.get(), &space_, report_);
  if (view.place != 0 && space_.MarkBlocks(view.place, kBlockSize) != CheckSpace::Place::kGood) {
    problems_.Add("superblock", view.place, "it lies where there is no place for one");
  }
  log.Place(root);
  tree.Run(root.directory);
  log.Run(root);
  CheckUndo(reader_, tree, report_)
      .Run(root.undo_salt, std::max(tree.undo_committed(), log.undo_committed()));
  report_->used = space_.used();
  report_->free = space_.free() + heap.free();
  if (!tree.blind()) report_->leaked = space_.leaked();
  return status;
}

RootView Checker::ViewBeside(const PoolReader& reader) const {
  uint64_t root = 0, size = 0;
  if (!reader.Read(kVariableAt, &root, sizeof root) ||
      !reader.Read(kVariableAt + 16, &size, sizeof size)) {
    return {};
  }
  return ViewRoot(root, size, [&](uint64_t offset, void* to, uint64_t length) {
    return reader.Read(offset, to, length);
  });
}

// Pins the latest checkpoint. All that it refers to lies in files that are there by then.
Status Checker::OpenBeside(const std::string& path, bool folder) {
  Status status = lock_.Open(path, folder, PoolReader::For::kBeside);
  for (int i = 0, doubts = 0; status.ok() && i < kAttempts; i++) {
    const RootView view = ViewBeside(lock_);
    if (view.Has(RootView::Slot::kDamaged) && ++doubts < kDoubts) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    if (!view.found || view.latest.number == 0) continue;
    status = CheckVersion(view.block);
    if (status.ok()) status = LockForReader(lock_.descriptor(), view.latest.number);
    if (!status.ok()) return status;
    pinned_ = view;
    if (ViewBeside(lock_).latest.number == view.latest.number) {
      return reader_.Open(path, folder, PoolReader::For::kBeside);
    }
    UnlockForReader(lock_.descriptor(), view.latest.number);
  }
  return status.ok() ? Status(Code::kInUse, path + ": a process is making the pool") : status;
}

// Reads the log as it is while there is no later checkpoint. A record that is missing may have been
// written meanwhile.
bool Checker::ReadLog(CheckLog* log) {
  for (int i = 0; i < kAttempts; i++) {
    if (!log->Read() || ViewBeside(reader_).latest.number != pinned_.latest.number) return false;
    if (!log->Misses()) return true;
  }
  return true;
}

Status Checker::RunBeside(Bytes key) {
  report_->layout_version = pinned_.block.layout_version;
  report_->epoch = pinned_.latest.epoch;
  Status status = FindKey(pinned_, key);
  if (!status.ok()) return status.code() == Code::kCorrupt ? Status::Ok() : status;
  CheckBeside();
  JudgeRootsBeside();
  return status;
}

void Checker::CheckBeside() {
  const RootSlot& root = pinned_.latest;
  space_.AddAll(reader_.size());
  CheckLog log(reader_, cipher_.get(), &space_, report_);
  CheckTree tree(reader_, cipher_.get(), &space_, report_);
  const bool read = log.Place(root) && ReadLog(&log);
  tree.Run(root.directory);
  if (read) log.Run(root);
  report_->used = space_.used();
  report_->notes.push_back(
      {"heap", 0,
       std::string("a process has the pool open: libpmemobj's heap, what is free or leaked, and "
                   "buffers were not looked at") +
           (read ? "" : ", nor was the log, which began again meanwhile")});
}

// A damaged slot may be that of the latest checkpoint; only the process that writes knows. Then the
// pages of the other slot are no longer pinned, and are written over: problems there say nothing.
void Checker::JudgeRootsBeside() {
  if (report_->problem_count == 0 || !pinned_.Has(RootView::Slot::kDamaged)) {
    CheckRoots(pinned_);
    return;
  }
  report_->problems.clear();
  report_->problem_count = 0;
  report_->maps.clear();
  const uint64_t which = pinned_.states[0] == RootView::Slot::kDamaged ? 0 : 1;
  problems_.Add("root", pinned_.places[which],
                "root slot " + std::to_string(which) +
                    " is torn or damaged, and the other one does not lead to a whole state, so "
                    "nothing else could be checked: the process that has the pool open writes "
                    "both again with its next checkpoints");
}

Status Checker::CheckSuperblock(const HeapCheck& heap, RootView* view) {
  const uint64_t at = heap.root();
  *view = ViewRoot(at, heap.root_size(), [this](uint64_t offset, void* to, uint64_t size) {
    return reader_.Read(offset, to, size);
  });
  if (!view->found) {
    problems_.Add("superblock", at, "the pool has no sound superblock");
    return Status::Ok();
  }
  report_->layout_version = view->block.layout_version;
  return CheckVersion(view->block);
}

// A power cut while a slot was written leaves it torn. The other one then counts, all that it leads
// to is checked, and the next checkpoint but one writes the torn slot again.
void Checker::CheckRoots(const RootView& view) {
  for (uint64_t i = 0; i < 2; i++) {
    if (view.states[i] != RootView::Slot::kDamaged) continue;
    const std::string which = "root slot " + std::to_string(i) + " is torn or damaged";
    if (view.latest.number == 0) {
      problems_.Add("root", view.places[i], which);
    } else {
      report_->notes.push_back(
          {"root", view.places[i], which + ", as a power cut may leave it: the other one counts"});
    }
  }
  if (view.latest.number == 0) problems_.Add("root", view.places[0], "there is no root");
}

// The reason why a pool cannot be checked, which names the pool once.
Status About(const std::string& path, const Status& status) {
  if (status.ok() || status.message().compare(0, path.size(), path) == 0) return status;
  return Status(status.code(), path + ": " + status.message());
}

}  // namespace
}  // namespace engine

Status Check(const std::string& path, CheckReport* report, Bytes key) {
  return engine::Guarded([&] {
    *report = CheckReport();
    engine::Checker checker(report);
    Status status = checker.Open(path);
    if (status.ok()) status = checker.Run(key);
    return engine::About(path, status);
  });
}

}  // namespace potoroo
