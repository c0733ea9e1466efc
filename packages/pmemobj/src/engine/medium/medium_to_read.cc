// A pool that is read only: mapped by ourselves, as libpmemobj would write to it.
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "engine/base/memory.h"
#include "engine/medium/medium.h"
#include "engine/medium/pool_files.h"
#include "engine/medium/pool_reader.h"
#include "engine/medium/pool_set.h"

namespace potoroo::engine {
namespace {

// Addresses for replaying the log: it has at most 8 MiB, and an operation of some 10 bytes may copy
// a page.
constexpr uint64_t kOwnSize = 2048 * kMiB;
constexpr uint64_t kOwnAlign = kMiB / 4;

uint64_t Up(uint64_t size, uint64_t align) { return (size + align - 1) / align * align; }

// Decides as for writers, but by a descriptor for reading only.
bool LiesOnPmem(int fd) {
  const char* force = getenv("PMEM_IS_PMEM_FORCE");
  if (force != nullptr && (force[0] == '0' || force[0] == '1')) return force[0] == '1';
  constexpr size_t kOne = 4096;
  void* map = mmap(nullptr, kOne, PROT_READ, MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);
  if (map == MAP_FAILED) return false;
  munmap(map, kOne);
  return true;
}

}  // namespace

Status Medium::OpenToRead(const std::string& path, std::unique_ptr<Medium>* medium) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return StatusFromErrno(errno, path);
  const bool folder = S_ISDIR(info.st_mode);
  if (!folder && !S_ISREG(info.st_mode)) {
    return Status(Code::kNotAPool, path + " is neither a file nor a folder");
  }
  std::unique_ptr<Medium> made(new Medium);
  PoolReader reader;
  Status status;
  if (folder) status = ReadSet(path, &made->max_size_);
  if (status.ok()) status = reader.Open(path, folder, PoolReader::For::kBeside);
  if (status.ok()) status = CheckSignature(reader, path);
  for (size_t i = 0; status.ok() && i < reader.files(); i++) {
    status = made->parts_.AddForReading(reader.FileName(i));
  }
  if (!status.ok()) return status;
  made->size_ = made->parts_.size();
  made->lies_on_pmem_ = LiesOnPmem(made->PartOf(0).fd);
  if (made->size_ > kMaxPoolSize) return Status(Code::kInvalid, "a pool has at most 4 TiB");
  made->max_size_ = std::max(made->max_size_, made->size_);
  status = made->Map();
  if (status.ok()) *medium = std::move(made);
  return status;
}

Status Medium::Map() {
  // Has the handler of SIGBUS be there.
  Opening opening;
  own_from_ = own_used_ = Up(size_, kMiB);
  own_end_ = std::max(own_from_, std::min(own_from_ + kOwnSize, kMaxPoolSize));
  // Mappings of DAX devices have to lie at a multiple of it.
  reserved_size_ = own_end_ + kPartAlign;
  void* reserved =
      mmap(nullptr, reserved_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return Status(Code::kNoMemory, "there are no addresses for the pool");
  reserved_ = static_cast<char*>(reserved);
  base_ = reinterpret_cast<char*>(Up(reinterpret_cast<uintptr_t>(reserved), kPartAlign));
  for (uint64_t at = 0; at < size_;) {
    const Part part = PartOf(at);
    if (part.size == 0) return Status(Code::kCorrupt, "a part of the pool is empty");
    if (mmap(base_ + at, part.size, PROT_READ, MAP_SHARED | MAP_FIXED, part.fd, 0) == MAP_FAILED) {
      return errno == EINVAL ? Status(Code::kCorrupt, "a part of the pool is cut short")
                             : StatusFromErrno(errno, "a part of the pool");
    }
    at += part.size;
  }
  if (own_end_ > own_from_ &&
      mmap(base_ + own_from_, own_end_ - own_from_, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
    return Status(Code::kNoMemory, "there are no addresses for what the log has");
  }
  mapping_ = std::make_shared<Mapping>(base_, own_end_);
  return status();
}

uint64_t Medium::AllocateOwn(uint64_t size, Fill fill, const void* argument) {
  const uint64_t offset = own_used_;
  if (size > own_end_ - offset) return 0;
  fill(this, At(offset), size, argument);
  own_used_ = Up(offset + size, kOwnAlign);
  return offset;
}

}  // namespace potoroo::engine
