// The heap of libpmemobj: its objects, and parts by which it grows.
#include <fcntl.h>
#include <libpmemobj.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/memory.h"
#include "engine/heap/heap_headers.h"
#include "engine/heap/heap_layout.h"
#include "engine/medium/medium.h"
#include "engine/medium/pool_files.h"
#include "engine/medium/pool_set.h"

namespace potoroo::engine {
namespace {

Status Full() { return Status(Code::kNoSpace, "the pool is full"); }

// libpmemobj does not pass on why it could not make a part: so the same is tried again.
Status GrowthError(const std::string& folder, uint64_t size) {
  const char* message = pmemobj_errormsg();
  const std::string what =
      std::string("the pool could not grow: ") + (message == nullptr ? "" : message);
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  int error = fd >= 0 ? posix_fallocate(fd, 0, static_cast<off_t>(size)) : errno;
  if (fd >= 0) close(fd);
  const bool unknown = error == 0 || error == EOPNOTSUPP || error == EISDIR || error == EINVAL;
  return unknown ? Status(Code::kNoSpace, what) : StatusFromErrno(error, what);
}

struct FillCall {
  Medium* medium;
  size_t size;
  Medium::Fill fill;
  const void* argument;
};

int Construct(PMEMobjpool*, void* address, void* argument) {
  auto* call = static_cast<FillCall*>(argument);
  // Other than 0, libpmemobj gives up the object.
  return Guarded([call, address] {
           call->fill(call->medium, static_cast<char*>(address), call->size, call->argument);
           return call->medium->Fence();
         }).ok()
             ? 0
             : -1;
}

}  // namespace

void Medium::EachObject(
    const std::function<void(ObjectType, uint64_t offset, uint64_t size)>& visit) {
  for (PMEMoid oid = pmemobj_first(pool_); !OID_IS_NULL(oid); oid = pmemobj_next(oid)) {
    visit(static_cast<ObjectType>(pmemobj_type_num(oid)), oid.off, pmemobj_alloc_usable_size(oid));
  }
}

// Whether libpmemobj may go on: it ends the process where a header of its own is not what it was.
bool Medium::HeapIsThere() const {
  mapping_->RestoreFront();
  uint64_t heap;
  memcpy(&heap, base_ + kOffsetsAt + 16, sizeof heap);
  if (heap > size_) mapping_->Fail(Mapping::kLost);
  if (failed()) return false;
  uint64_t zone = heap + kHeapHeader;
  bool there = IsThere({base_, zone});
  for (; zone + kChunksAt < size_; zone += kZoneSize) {
    there = there && IsThere({base_ + zone, kChunksAt});
  }
  if (!there || failed()) return false;
  // libpmemobj has headers already of a part that is not ours yet.
  const uint64_t limit = growing_ ? std::max(size_, max_size_) : size_;
  if (!HeapHeadersLead(base_, size_, limit)) mapping_->Fail(Mapping::kLost);
  return !failed();
}

uint64_t Medium::Allocate(ObjectType type, uint64_t size, Fill fill, const void* argument) {
  if (read_only()) return AllocateOwn(size, fill, argument);
  PMEMoid oid = OID_NULL;
  FillCall call{this, size, fill, argument};
  // libpmemobj would take of a part that is not ours yet.
  if (!HeapIsThere() || (growing_ && !Grow(0).ok()) ||
      pmemobj_alloc(pool_, &oid, size, static_cast<uint64_t>(type), Construct, &call) != 0) {
    return 0;
  }
  return oid.off;
}

uint64_t Medium::UsableSize(uint64_t offset) const {
  if (read_only()) return 0;
  return pmemobj_alloc_usable_size(pmemobj_oid(base_ + offset));
}

void Medium::Free(uint64_t offset) {
  if (read_only()) return;
  Touch(base_ + offset - kObjectHeader);
  // Otherwise the next opening frees it.
  if (!HeapIsThere()) return;
  PMEMoid oid = pmemobj_oid(base_ + offset);
  pmemobj_free(&oid);
}

Status Medium::Grow(uint64_t size) {
  Status status = GrowBy(size);
  growth_ = status;
  return status;
}

Status Medium::GrowBy(uint64_t size) {
  size = (size + kPartAlign - 1) / kPartAlign * kPartAlign;
  const uint64_t most = std::min(max_size_, kMaxPoolSize);
  if (growing_) return FinishGrowth();
  if (!may_grow_ || parts_folder_.empty() || size_ >= most || size > most - size_) return Full();
  Status status = CheckThere();
  if (!status.ok() || !HeapIsThere()) return status.ok() ? this->status() : status;
  if (pmemobj_ctl_exec(pool_, "heap.size.extend", &size) != 0) {
    return failed() ? this->status() : GrowthError(parts_folder_, size);
  }
  growing_ = true;
  return FinishGrowth();
}

// Called before anything of a new part is used. Without memory, or descriptors, it waits until the
// next time.
Status Medium::FinishGrowth() {
  std::vector<std::string> parts;
  // libpmemobj numbers parts upwards.
  Status status = ListParts(parts_folder_, &parts);
  if (status.ok() && parts.empty()) status = Status(Code::kIo, "the pool's parts have gone");
  if (status.ok()) status = parts_.Add(parts.back());
  if (!status.ok()) return status;
  growing_ = false;
  // The heap has it already: see PoolReader::FindMissing.
  status = parts_.SyncLast();
  if (status.ok() && fsync(folder_) != 0) status = StatusFromErrno(errno, "the pool's folder");
  size_ = parts_.size();
  mapping_->KeepFront();
  if (!status.ok()) mapping_->Fail(EIO);
  return status.ok() ? this->status() : status;
}

}  // namespace potoroo::engine
