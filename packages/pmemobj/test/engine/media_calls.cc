// The functions of libpmem and of the C library by which libpmemobj makes bytes durable, taken
// over: this program's definitions come before the libraries' ones. Without a Media they do what
// the libraries' do.
#include <dlfcn.h>
#include <fcntl.h>
#include <libpmem.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/medium/mapping.h"
#include "media.h"

std::atomic<bool> disk_fails{false}, disk_fails_then{false};
std::atomic<int> calls_left{-1}, disk_error{EIO};
std::atomic<void (*)()> before_sync{nullptr};
std::atomic<void (*)()> before_write_through{nullptr};

namespace {

template <typename Function>
Function* Next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

#define NEXT(function) (Next(&function, #function))

// As libpmem does it, on media that flush by cache line. Behind a page cache libpmemobj calls
// msync afterwards.
void Written(void* to, size_t size, unsigned flags) {
  Media* media = Media::Current();
  if (media->kind() == Media::Kind::kDisk || (flags & PMEM_F_MEM_NOFLUSH)) return;
  media->Flush(to, size);
  if (!(flags & PMEM_F_MEM_NODRAIN)) media->Fence();
}

// Whether the disk refuses the call; errno says why.
bool IsRefused() {
  if (!disk_fails) {
    if (calls_left < 0 || calls_left.fetch_sub(1) != 0) return false;
    if (disk_fails_then) disk_fails = true;
  }
  errno = disk_error;
  return true;
}

int AllocateFile(int fd, off_t offset, off_t size) {
  static auto* next = NEXT(posix_fallocate);
  return IsRefused() ? errno : next(fd, offset, size);
}

bool ByLine() { return Media::Current()->kind() == Media::Kind::kPersistentMemory; }

}  // namespace

extern "C" {

int pmem_is_pmem(const void* address, size_t size) {
  static auto* next = NEXT(pmem_is_pmem);
  if (Media::Current() != nullptr) return ByLine();
  // libpmem looks at it when the process begins, which is too early for a process that is forked.
  const char* force = getenv("PMEM_IS_PMEM_FORCE");
  if (force != nullptr && (*force == '0' || *force == '1')) return *force == '1';
  return next(address, size);
}

void pmem_flush(const void* address, size_t size) {
  static auto* next = NEXT(pmem_flush);
  if (Media::Current() == nullptr) return next(address, size);
  if (ByLine()) Media::Current()->Flush(address, size);
}

void pmem_deep_flush(const void* address, size_t size) { pmem_flush(address, size); }

void pmem_drain() {
  static auto* next = NEXT(pmem_drain);
  if (Media::Current() == nullptr) return next();
  if (ByLine()) Media::Current()->Fence();
}

int pmem_deep_drain(const void* address, size_t size) {
  static auto* next = NEXT(pmem_deep_drain);
  if (Media::Current() == nullptr) return next(address, size);
  pmem_drain();
  return 0;
}

void pmem_persist(const void* address, size_t size) {
  pmem_flush(address, size);
  pmem_drain();
}

int pmem_deep_persist(const void* address, size_t size) {
  static auto* next = NEXT(pmem_deep_persist);
  if (Media::Current() == nullptr) return next(address, size);
  pmem_persist(address, size);
  return 0;
}

int pmem_msync(const void* address, size_t size) {
  if (Media::Current() == nullptr) return potoroo::engine::SyncForLibpmemobj(address, size);
  Media::Current()->Sync(address, size);
  return 0;
}

void* pmem_memmove(void* to, const void* from, size_t size, unsigned flags) {
  static auto* next = NEXT(pmem_memmove);
  if (Media::Current() == nullptr) return next(to, from, size, flags);
  memmove(to, from, size);
  Written(to, size, flags);
  return to;
}

void* pmem_memcpy(void* to, const void* from, size_t size, unsigned flags) {
  return pmem_memmove(to, from, size, flags);
}

void* pmem_memset(void* to, int byte, size_t size, unsigned flags) {
  static auto* next = NEXT(pmem_memset);
  if (Media::Current() == nullptr) return next(to, byte, size, flags);
  memset(to, byte, size);
  Written(to, size, flags);
  return to;
}

int msync(void* address, size_t size, int flags) {
  static auto* next = NEXT(msync);
  if (before_sync != nullptr) before_sync.load()();
  if (IsRefused()) return -1;
  if (Media::Current() == nullptr) return next(address, size, flags);
  if (flags & MS_SYNC) Media::Current()->Sync(address, size);
  return 0;
}

int fsync(int fd) {
  static auto* next = NEXT(fsync);
  if (IsRefused()) return -1;
  if (Media::Current() != nullptr) Media::Current()->SyncFile(fd);
  return next(fd);
}

int fdatasync(int fd) {
  static auto* next = NEXT(fdatasync);
  if (IsRefused()) return -1;
  if (Media::Current() != nullptr) Media::Current()->SyncFile(fd);
  return next(fd);
}

int posix_fallocate(int fd, off_t offset, off_t size) { return AllocateFile(fd, offset, size); }
int posix_fallocate64(int fd, off64_t offset, off64_t size) {
  return AllocateFile(fd, offset, size);
}

ssize_t pwritev2(int fd, const iovec* pieces, int count, off_t at, int flags) {
  static auto* next = NEXT(pwritev2);
  if (before_write_through != nullptr) before_write_through.load()();
  if (IsRefused()) return -1;
  ssize_t written = next(fd, pieces, count, at, flags);
  Media* media = Media::Current();
  if (media != nullptr && written > 0 && (flags & RWF_DSYNC)) {
    media->SyncRange(fd, static_cast<uint64_t>(at), static_cast<uint64_t>(written));
  }
  return written;
}

// Its name where files have offsets of 64 bits, as Node.js's addons are compiled.
ssize_t pwritev64v2(int fd, const iovec* pieces, int count, off64_t at, int flags) {
  return pwritev2(fd, pieces, count, at, flags);
}

// Maps by system call: these functions are called before this program has begun, and by sanitizers.
void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  long result = syscall(SYS_mmap, address, size, protection, flags, fd, offset);
  void* at = reinterpret_cast<void*>(result);
  Media* media = Media::Current();
  if (at == MAP_FAILED) return at;
  if (media != nullptr) {
    media->Unmap(at, size);  // MAP_FIXED takes the place of what was there
    if (fd >= 0 && (flags & MAP_TYPE) != MAP_PRIVATE) media->Map(at, size, fd, offset);
  }
  return at;
}

int munmap(void* address, size_t size) noexcept {
  if (Media::Current() != nullptr) Media::Current()->Unmap(address, size);
  return static_cast<int>(syscall(SYS_munmap, address, size));
}

}  // extern "C"
