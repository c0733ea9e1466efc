#include "medium.h"

#include <fcntl.h>
#include <libpmemobj.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "fault.h"
#include "heap_footers.h"
#include "pool_files.h"

namespace potoroo::engine {
namespace {

// Up to here copies use ordinary stores and a flush, above it non-temporal stores. Where the
// processor's clwb evicts the line (Skylake), the latter are faster from 256 bytes on (1 KiB: 475
// ns against 924 on emulated persistent memory); on Sapphire Rapids the former, up to 2 KiB.
constexpr size_t kTemporalSize = 128;

// Each msync costs the same for one page as for many, and only what was written is dirty: so ranges
// are synced together. But not the many files of a big pool that may lie between them.
constexpr ptrdiff_t kMaxGap = ptrdiff_t{32} << 20;

Status LastError(int error, const std::string& path) {
  const char* message = pmemobj_errormsg();
  std::string what = path + ": " + (message == nullptr ? strerror(error) : message);
  // libpmemobj's check of its heap gives -1.
  if (error == EINVAL || error < 0) return Status(Code::kCorrupt, what);
  if (error == EAGAIN || error == EWOULDBLOCK) {
    return Status(Code::kInUse, path + ": the pool is open already, in this process or another");
  }
  return Status(StatusFromErrno(error, "").code(), what);
}

Status CreationError(int error, const std::string& path) {
  // EINVAL is a size that libpmemobj does not take.
  return error == EINVAL ? Status(Code::kInvalid, pmemobj_errormsg()) : LastError(error, path);
}

// As libpmem decides it, whose C interface libpmemobj does not pass on.
bool FlushedByCacheLine(const std::string& file) {
  const char* force = getenv("PMEM_IS_PMEM_FORCE");
  if (force != nullptr && (force[0] == '0' || force[0] == '1')) return force[0] == '1';
  int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  void* map = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);
  close(fd);
  if (map == MAP_FAILED) return false;
  munmap(map, 4096);
  return true;
}

struct FillCall {
  Medium* medium;
  size_t size;
  Medium::Fill fill;
  const void* argument;
};

int Construct(PMEMobjpool*, void* address, void* argument) {
  auto* call = static_cast<FillCall*>(argument);
  call->fill(call->medium, static_cast<char*>(address), call->size, call->argument);
  call->medium->Fence();
  return 0;
}

}  // namespace

Status Medium::Create(const std::string& path, const PoolOptions& options,
                      std::unique_ptr<Medium>* medium) {
  std::unique_ptr<Medium> made(new Medium);
  bool folder = options.max_size != 0;
  Status status = folder ? made->CreateFolder(path, options) : made->CreateFile(path, options);
  if (status.ok()) status = made->Attach(path, folder);
  if (status.ok() && options.size > made->size_) status = made->Grow(options.size - made->size_);
  if (status.ok()) *medium = std::move(made);
  return status;
}

Status Medium::CreateFile(const std::string& path, const PoolOptions& options) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) return Status(Code::kExists, path + " exists");
  std::string draft = path + ".new";
  // What a crash left of an earlier attempt. libpmemobj locks it while one is under way.
  Status status = RemoveUnlocked(draft);
  if (!status.ok()) return status;
  uint64_t size = std::max(options.size, kPartSize);
  pool_ = pmemobj_create(draft.c_str(), kLayoutName, size, 0600);
  if (pool_ == nullptr) {
    status = CreationError(errno, path);
    unlink(draft.c_str());
    return status;
  }
  draft_ = draft;
  final_ = path;
  return status;
}

Status Medium::CreateFolder(const std::string& path, const PoolOptions& options) {
  if (options.max_size < kPartSize) return Status(Code::kInvalid, "max_size is below 8 MiB");
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return StatusFromErrno(errno, path);
  struct stat info;
  if (stat(SetPath(path).c_str(), &info) == 0) return Status(Code::kExists, path + " exists");
  std::string absolute, draft = SetPath(path) + ".draft";
  // Parts beside a draft are what a crash left of an earlier attempt; without one, they are data.
  if (PartsSize(path) > 0 && stat(draft.c_str(), &info) != 0) {
    return Status(Code::kExists, path + " holds parts of a pool, but no pool.set");
  }
  Status status = AbsoluteFolder(path, &absolute, &folder_);
  if (status.ok()) status = LockFolder(path, &lock_);
  if (!status.ok()) return status;
  draft_ = draft;
  final_ = SetPath(path);
  RemoveParts(path);
  status = WriteText(draft, SetText(absolute, options.max_size));
  if (!status.ok()) return status;
  max_size_ = options.max_size;
  pool_ = pmemobj_create(draft.c_str(), kLayoutName, 0, 0600);
  return pool_ == nullptr ? CreationError(errno, path) : status;
}

Status Medium::FinishCreation() {
  if (rename(draft_.c_str(), final_.c_str()) != 0) return StatusFromErrno(errno, final_);
  draft_.clear();
  return SyncFolderOf(final_);
}

Medium::~Medium() {
  if (pool_ != nullptr) pmemobj_close(pool_);
  if (!draft_.empty()) {
    if (lock_ >= 0) RemoveParts(final_.substr(0, final_.rfind('/')));
    unlink(draft_.c_str());
  }
  if (lock_ >= 0) close(lock_);
  if (folder_ >= 0) close(folder_);
}

Status Medium::Open(const std::string& path, uint64_t max_size, std::unique_ptr<Medium>* medium) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return StatusFromErrno(errno, path);
  bool folder = S_ISDIR(info.st_mode);
  if (!folder && !S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)) {
    return Status(Code::kNotAPool, path + " is neither a file nor a folder");
  }
  std::unique_ptr<Medium> made(new Medium);
  Status status;
  if (folder) status = ReadSet(path, &made->max_size_);
  made->max_size_ = std::max(made->max_size_, max_size);
  if (status.ok()) status = CheckFiles(path, folder);
  if (status.ok() && folder) status = WriteSet(path, made->max_size_, &made->folder_);
  if (!status.ok()) return status;
  made->pool_ = pmemobj_open(folder ? SetPath(path).c_str() : path.c_str(), kLayoutName);
  if (made->pool_ == nullptr) return LastError(errno, path);
  status = made->Attach(path, folder);
  if (!status.ok()) return status;
  WriteFooters(made->base_, made->size_);
  *medium = std::move(made);
  return status;
}

Status Medium::Attach(const std::string& path, bool folder) {
  std::string file = folder ? PartPath(path, 0) : draft_.empty() ? path : draft_;
  struct stat info;
  if (stat(file.c_str(), &info) != 0) return StatusFromErrno(errno, file);
  base_ = reinterpret_cast<char*>(pool_);
  is_pmem_ = FlushedByCacheLine(file);
  grows_ = folder;
  size_ = folder ? PartsSize(path) : static_cast<uint64_t>(info.st_size);
  if (!folder) max_size_ = size_;
  // The engine grows the pool itself, in steps of its own choice: see Grow.
  uint64_t granularity = 0;
  pmemobj_ctl_set(pool_, "heap.size.granularity", &granularity);
  return Status::Ok();
}

uint64_t Medium::RootSize() const { return pmemobj_root_size(pool_); }

Status Medium::Root(uint64_t size, uint64_t* offset) {
  PMEMoid root = pmemobj_root(pool_, size);
  if (OID_IS_NULL(root)) return Status(Code::kNoSpace, pmemobj_errormsg());
  *offset = root.off;
  return Status::Ok();
}

void Medium::Copy(void* to, const void* from, size_t size) {
  if (is_pmem_) {
    unsigned flags = PMEMOBJ_F_MEM_NODRAIN;
    if (size <= kTemporalSize) flags |= PMEMOBJ_F_MEM_TEMPORAL;
    pmemobj_memcpy(pool_, to, from, size, flags);
    return;
  }
  memcpy(to, from, size);
  Flush(to, size);
}

void Medium::Clear(void* to, size_t size) {
  if (is_pmem_) {
    pmemobj_memset(pool_, to, 0, size, PMEMOBJ_F_MEM_NODRAIN);
    return;
  }
  memset(to, 0, size);
  Flush(to, size);
}

void Medium::Flush(const void* address, size_t size) {
  if (is_pmem_) {
    pmemobj_flush(pool_, address, size);
    return;
  }
  const char* start = static_cast<const char*>(address);
  pending_.emplace_back(start, start + size);
}

Status Medium::Fence() {
  if (is_pmem_) {
    pmemobj_drain(pool_);
    return Status::Ok();
  }
  std::vector<Range> ranges;
  ranges.swap(pending_);
  return SyncAll(&ranges);
}

Status Medium::CopyDurably(void* to, const void* from, size_t size) {
  Copy(to, from, size);
  return Fence();
}

void Medium::Append(void* to, const void* from, size_t size) {
  if (!is_pmem_) {
    memcpy(to, from, size);
    return;
  }
  Copy(to, from, size);
  if (!Planted(Fault::kLogFence)) pmemobj_drain(pool_);
}

Status Medium::WriteDurably(void* to, const void* from, size_t size) {
  Append(to, from, size);
  const char* start = static_cast<const char*>(to);
  return is_pmem_ ? Status::Ok() : Sync(start, start + size);
}

Status Medium::Persist(const char* from, size_t size) {
  if (!is_pmem_) return Sync(from, from + size);
  pmemobj_flush(pool_, from, size);
  pmemobj_drain(pool_);
  return Status::Ok();
}

// Not pmemobj_flush, which ends the process where the disk fails.
Status Medium::Sync(const char* from, const char* to) {
  static const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t start = reinterpret_cast<uintptr_t>(from) / page * page;
  size_t size = reinterpret_cast<uintptr_t>(to) - start;
  if (msync(reinterpret_cast<void*>(start), size, MS_SYNC) == 0) return Status::Ok();
  return Status(Code::kIo, std::string("the pool's file could not be written: ") + strerror(errno));
}

Status Medium::SyncAll(std::vector<Range>* ranges) {
  std::sort(ranges->begin(), ranges->end());
  for (size_t i = 0; i < ranges->size();) {
    const char* from = (*ranges)[i].first;
    const char* to = (*ranges)[i].second;
    for (i++; i < ranges->size() && (*ranges)[i].first - to < kMaxGap; i++) {
      to = std::max(to, (*ranges)[i].second);
    }
    Status status = Sync(from, to);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

void Medium::EachObject(
    const std::function<void(ObjectType, uint64_t offset, uint64_t size)>& visit) {
  for (PMEMoid oid = pmemobj_first(pool_); !OID_IS_NULL(oid); oid = pmemobj_next(oid)) {
    visit(static_cast<ObjectType>(pmemobj_type_num(oid)), oid.off, pmemobj_alloc_usable_size(oid));
  }
}

uint64_t Medium::Allocate(ObjectType type, uint64_t size, Fill fill, const void* argument) {
  PMEMoid oid = OID_NULL;
  FillCall call{this, size, fill, argument};
  if (pmemobj_alloc(pool_, &oid, size, static_cast<uint64_t>(type), Construct, &call) != 0) {
    return 0;
  }
  return oid.off;
}

uint64_t Medium::UsableSize(uint64_t offset) const {
  return pmemobj_alloc_usable_size(pmemobj_oid(base_ + offset));
}

void Medium::Free(uint64_t offset) {
  PMEMoid oid = pmemobj_oid(base_ + offset);
  pmemobj_free(&oid);
}

Status Medium::Grow(uint64_t size) {
  size = (size + kPartAlign - 1) / kPartAlign * kPartAlign;
  if (!grows_ || size_ >= max_size_ || size > max_size_ - size_) {
    return Status(Code::kNoSpace, "the pool has reached its greatest size");
  }
  if (pmemobj_ctl_exec(pool_, "heap.size.extend", &size) != 0) {
    return Status(Code::kNoSpace, pmemobj_errormsg());
  }
  size_ += size;
  return Status::Ok();
}

}  // namespace potoroo::engine
