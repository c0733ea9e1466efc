#include "engine/medium/medium.h"

#include <fcntl.h>
#include <libpmemobj.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "engine/base/memory.h"
#include "engine/heap/heap_footers.h"
#include "engine/heap/heap_layout.h"
#include "engine/medium/pool_files.h"
#include "engine/medium/pool_set.h"

namespace potoroo::engine {
namespace {

// libpmemobj knows a pool by descriptors, and names it so: users know its path.
std::string WithPath(std::string message, const std::string& path) {
  const std::string descriptor = DescriptorPath(0).substr(0, DescriptorPath(0).size() - 1);
  for (size_t at = 0; (at = message.find(descriptor, at)) != std::string::npos; at += path.size()) {
    const size_t end = message.find_first_not_of("0123456789", at + descriptor.size());
    message.replace(at, std::min(end, message.size()) - at, path);
  }
  return message;
}

Status LastError(int error, const std::string& path) {
  const char* message = pmemobj_errormsg();
  std::string what = path + ": " + (message == nullptr ? strerror(error) : WithPath(message, path));
  // libpmemobj sets errno to anything on its way up.
  if (error == EAGAIN || what.find("flock") != std::string::npos) {
    return Status(Code::kInUse, path + ": the pool is open already, in this process or another");
  }
  // libpmemobj's check of its heap gives -1.
  if (error == EINVAL || error < 0) return Status(Code::kCorrupt, what);
  return Status(StatusFromErrno(error, "").code(), what);
}

Status CreationError(int error, const std::string& path) {
  // EINVAL is a size that libpmemobj does not take.
  return error == EINVAL ? Status(Code::kInvalid, WithPath(pmemobj_errormsg(), path))
                         : LastError(error, path);
}

Status TooBig() { return Status(Code::kInvalid, "a pool has at most 4 TiB"); }

// Decides as libpmem does, whose C interface libpmemobj does not pass on.
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

// A number of libpmemobj's about the root object.
uint64_t RootToRead(const char* base, uint64_t at) {
  uint64_t number;
  memcpy(&number, base + kVariableAt + at, sizeof number);
  return number;
}

}  // namespace

template <typename Call>
pmemobjpool* Medium::Begin(Call call) {
  Opening opening;
  pmemobjpool* pool = call();
  begin_error_ = opening.error();
  return pool;
}

Status Medium::Create(const std::string& path, const PoolOptions& options,
                      std::unique_ptr<Medium>* medium) {
  if (std::max(options.size, options.max_size) > kMaxPoolSize) return TooBig();
  // libpmemobj's shutdown state has a sum of the ids of the parts' devices that it does not renew
  // when the pool grows. Also, 2.x makes none on ordinary disks.
  static const int without_state = [] {
    int none = 0;
    return pmemobj_ctl_set(nullptr, "sds.at_create", &none);
  }();
  if (without_state != 0) return LastError(errno, path);
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
  final_ = path;
  named_ = false;
  Status status = OpenDraft(path, &file_, &draft_);
  if (!status.ok()) return status;
  const uint64_t size = std::max(options.size, kPartSize);
  const int error = posix_fallocate(file_, 0, static_cast<off_t>(size));
  if (error != 0) return StatusFromErrno(error, path);
  const std::string draft = DescriptorPath(file_);
  pool_ = Begin([&] { return pmemobj_create(draft.c_str(), kLayoutName, 0, 0600); });
  return pool_ == nullptr ? CreationError(errno, path) : status;
}

Status Medium::CreateFolder(const std::string& path, const PoolOptions& options) {
  if (options.max_size < kPartSize) return Status(Code::kInvalid, "max_size is below 8 MiB");
  if (mkdir(path.c_str(), 0700) == 0) {
    made_ = path;
  } else if (errno != EEXIST) {
    return StatusFromErrno(errno, path);
  }
  // First, so that nobody makes a pool between the look and the removal of parts.
  Status status = LockFolder(path, &folder_);
  if (status.ok()) status = ClearRemains(path);
  if (status.ok()) status = WriteSet(DraftSetPath(path), path, options.max_size);
  if (!status.ok()) return status;
  draft_ = DraftSetPath(path);
  final_ = SetPath(path);
  max_size_ = options.max_size;
  SetInMemory set;
  status = set.Make(folder_, max_size_);
  if (!status.ok()) return status;
  pool_ = Begin([&] { return pmemobj_create(set.path().c_str(), kLayoutName, 0, 0600); });
  return pool_ == nullptr ? CreationError(errno, path) : status;
}

Status Medium::FinishCreation() {
  Status status = parts_.SyncAll();
  // Once there is a pool, nothing may be missed any more, nor memory be asked for.
  const std::string folder = FolderOf(final_);
  const std::string outer = file_ < 0 ? FolderOf(folder) : "";
  if (status.ok() && file_ >= 0) status = PublishDraft(file_, &draft_, final_);
  if (status.ok() && file_ < 0) {
    // Under the folder's lock.
    if (rename(draft_.c_str(), final_.c_str()) != 0) return StatusFromErrno(errno, final_);
    draft_.clear();
    made_.clear();
  }
  if (!status.ok()) return status;
  named_ = true;
  status = SyncFolder(folder);
  return status.ok() && !outer.empty() ? SyncFolder(outer) : status;
}

Medium::~Medium() {
  if (mapping_ != nullptr) mapping_->RestoreFront();
  if (pool_ != nullptr) pmemobj_close(pool_);
  if (mapping_ != nullptr) mapping_->Leave();
  if (reserved_ != nullptr) munmap(reserved_, reserved_size_);
  (void)Guarded([&] {
    if (draft_.empty()) return Status::Ok();
    // Without memory, the next attempt removes them.
    if (folder_ >= 0) (void)RemoveParts(DescriptorPath(folder_));
    // No power cut may leave parts without it.
    if (folder_ >= 0 && fsync(folder_) != 0) return Status::Ok();
    unlink(draft_.c_str());
    return Status::Ok();
  });
  // Others may have put something there.
  if (!made_.empty()) rmdir(made_.c_str());
  if (file_ >= 0) close(file_);
  if (folder_ >= 0) close(folder_);
}

Status Medium::Open(const std::string& path, uint64_t max_size, std::unique_ptr<Medium>* medium) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return StatusFromErrno(errno, path);
  bool folder = S_ISDIR(info.st_mode);
  if (!folder && !S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)) {
    return Status(Code::kNotAPool, path + " is neither a file nor a folder");
  }
  if (max_size > kMaxPoolSize) return TooBig();
  std::unique_ptr<Medium> made(new Medium);
  Status status = folder ? made->OpenFolder(path, max_size) : made->OpenFile(path);
  if (!status.ok()) return status;
  WriteFooters(made->base_, made->size_);
  *medium = std::move(made);
  return status;
}

Status Medium::OpenFile(const std::string& path) {
  Status status = CheckFiles(path, false);
  if (!status.ok()) return status;
  pool_ = Begin([&] { return pmemobj_open(path.c_str(), kLayoutName); });
  if (pool_ == nullptr) return LastError(errno, path);
  status = Attach(path, false);
  return status.ok() ? CheckThere() : status;
}

Status Medium::OpenFolder(const std::string& path, uint64_t max_size) {
  Status status = LockFolder(path, &folder_);
  if (status.ok()) status = ReadSet(path, &max_size_);
  if (status.ok()) status = RefuseStrays(path);
  uint64_t size = 0;
  if (status.ok()) status = CheckFiles(path, true);
  if (status.ok()) status = PartsSize(path, &size);
  if (!status.ok()) return status;
  SetInMemory set;
  // libpmemobj does not open a set that reserves less than its parts have.
  max_size_ = std::max({max_size_, max_size, size});
  status = set.Make(folder_, max_size_);
  if (!status.ok()) return status;
  pool_ = Begin([&] { return pmemobj_open(set.path().c_str(), kLayoutName); });
  if (pool_ == nullptr) return LastError(errno, path);
  status = Attach(path, true);
  // For libpmemobj's tools, and as a higher `max_size` is kept: a full disk keeps nobody out.
  if (status.ok()) (void)WriteSet(SetPath(path), path, max_size_);
  return status;
}

Status Medium::Attach(const std::string& path, bool folder) {
  std::vector<std::string> files{file_ < 0 ? path : DescriptorPath(file_)};
  if (folder) {
    parts_folder_ = DescriptorPath(folder_);
    Status status = ListParts(parts_folder_, &files);
    if (!status.ok()) return status;
  }
  if (files.empty()) return Status(Code::kCorrupt, path + ": the pool's parts have gone");
  for (const std::string& file : files) {
    Status status = parts_.Add(file);
    if (!status.ok()) return status;
  }
  base_ = reinterpret_cast<char*>(pool_);
  is_pmem_ = FlushedByCacheLine(files[0]);
  size_ = parts_.size();
  if (size_ > kMaxPoolSize) return TooBig();
  if (!folder) max_size_ = size_;
  mapping_ = std::make_shared<Mapping>(base_, std::max(size_, max_size_));
  if (begin_error_ != 0) mapping_->Fail(begin_error_);
  // The engine grows the pool itself, in steps of its own choice: see Grow.
  uint64_t granularity = 0;
  if (pmemobj_ctl_set(pool_, "heap.size.granularity", &granularity) != 0) {
    return LastError(errno, path);
  }
  mapping_->KeepFront();
  return status();
}

uint64_t Medium::RootSize() const {
  if (read_only()) return RootToRead(base_, 16);
  return pmemobj_root_size(pool_);
}

Status Medium::Root(uint64_t size, uint64_t* offset) {
  if (read_only()) {
    *offset = RootToRead(base_, 0);
    return status();
  }
  PMEMoid root = pmemobj_root(pool_, size);
  if (OID_IS_NULL(root)) return Status(Code::kNoSpace, pmemobj_errormsg());
  *offset = root.off;
  return status();
}

Status Medium::CheckThere() const {
  // Until it is finished, a file that is being made has no name.
  if (named_ && !parts_.AllNamed()) mapping_->Fail(Mapping::kRemoved);
  return status();
}

// The clock of the last tick costs a few nanoseconds, where a look at the files is a system call
// each.
Status Medium::CheckThereInTime() {
  timespec now{};
  if (clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0 && now.tv_sec == looked_)
    return Status::Ok();
  looked_ = now.tv_sec;
  return CheckThere();
}

}  // namespace potoroo::engine
