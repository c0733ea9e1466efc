#include "checker.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "check_log.h"
#include "check_space.h"
#include "check_tree.h"
#include "check_undo.h"
#include "checksum.h"
#include "heap_check.h"
#include "pool_files.h"
#include "space.h"
#include "superblock.h"

namespace potoroo {
namespace engine {
namespace {

bool AllZeros(const void* data, size_t size) {
  const char* bytes = static_cast<const char*>(data);
  return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

class Checker {
 public:
  explicit Checker(CheckReport* report) : report_(report), problems_(report) {}
  Status Open(const std::string& path);
  Status Run();

 private:
  void CheckExtent(const HeapObject& object);
  void Visit(const HeapObject& object);
  bool CheckSuperblock(const HeapCheck& heap, Superblock* block);
  bool CheckRoots(uint64_t offset, const Superblock& block, RootSlot* root);

  CheckReport* report_;
  Problems problems_;
  PoolReader reader_;
  CheckSpace space_;
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

Status Checker::Run() {
  if (report_->problem_count > 0) return Status::Ok();
  HeapCheck heap(
      reader_,
      [this](uint64_t offset, const std::string& what) { problems_.Add("heap", offset, what); },
      [this](const HeapObject& object) { Visit(object); });
  heap.Run();
  Superblock block;
  if (!CheckSuperblock(heap, &block)) return Status::Ok();
  if (block.layout_version != kLayoutVersion) {
    return Status(Code::kLayoutVersion,
                  "the pool has layout version " + std::to_string(block.layout_version));
  }
  RootSlot root{};
  if (!CheckRoots(heap.root(), block, &root)) return Status::Ok();
  CheckLog log(reader_, &space_, report_);
  CheckTree tree(reader_, &space_, report_);
  log.Place(root);
  tree.Run(root.directory);
  log.Run(root);
  CheckUndo(reader_, tree, report_)
      .Run(root.generation, std::max(tree.undo_committed(), log.undo_committed()));
  report_->used = space_.used();
  report_->free = space_.free() + heap.free();
  if (!tree.blind()) report_->leaked = space_.leaked();
  return Status::Ok();
}

bool Checker::CheckSuperblock(const HeapCheck& heap, Superblock* block) {
  uint64_t at = heap.root();
  if (heap.root_size() < sizeof *block || !reader_.Read(at, block, sizeof *block)) {
    problems_.Add("superblock", at, "the pool has no superblock");
    return false;
  }
  if (memcmp(block->magic, "Potoroo", 8) != 0 ||
      block->checksum != Checksum(block, offsetof(Superblock, checksum))) {
    problems_.Add("superblock", at, "the superblock is damaged");
    return false;
  }
  report_->layout_version = block->layout_version;
  if (block->layout_version != kLayoutVersion) return true;
  if (block->page_size != kPageSize || !AllZeros(block->reserved, sizeof block->reserved) ||
      !AllZeros(block->reserved_too, sizeof block->reserved_too)) {
    problems_.Add("superblock", at, "the superblock has reserved bytes that are not 0");
  }
  return true;
}

// The slot that counts. A power cut while a slot was written leaves it as damaged as anything else
// does; the other one then counts, and the next checkpoint but one mends it.
bool Checker::CheckRoots(uint64_t offset, const Superblock& block, RootSlot* root) {
  for (uint64_t i = 0; i < 2; i++) {
    const RootSlot& slot = block.roots[i];
    uint64_t at = offset + offsetof(Superblock, roots) + i * sizeof slot;
    // Until the second checkpoint there is one slot.
    if (AllZeros(&slot, sizeof slot)) {
      if (i == 1 || block.roots[1].number == 1) continue;
    }
    if (slot.number % 2 != i || slot.checksum != Checksum(&slot, offsetof(RootSlot, checksum)) ||
        slot.segment > 1 || (slot.flags & ~kOrderedLog) != 0 || slot.reserved_too != 0 ||
        slot.reserved != 0) {
      problems_.Add(
          "root", at,
          "root slot " + std::to_string(i) + " is damaged: the latest commits may be lost");
    } else if (slot.number > root->number) {
      *root = slot;
    }
  }
  report_->epoch = root->epoch;
  if (root->number != 0) return true;
  problems_.Add("root", offset, "there is no root");
  return false;
}

}  // namespace
}  // namespace engine

Status Check(const std::string& path, CheckReport* report) {
  *report = CheckReport();
  engine::Checker checker(report);
  Status status = checker.Open(path);
  if (status.ok()) status = checker.Run();
  return status.ok() ? status : Status(status.code(), path + ": " + status.message());
}

}  // namespace potoroo
