// libpmemobj's msync is libpmem's pmem_msync, and where that fails, libpmemobj ends the process.
// This definition is found before libpmem's: a program's own come first, and the symbols of an
// addon before those of the libraries that it was linked with. Weak, for the tests have their own.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "engine/medium/mapping.h"

namespace potoroo::engine {

int SyncForLibpmemobj(const void* address, size_t size) {
  static const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t into = reinterpret_cast<uintptr_t>(address) % page;
  char* start = static_cast<char*>(const_cast<void*>(address)) - into;
  if (msync(start, size + into, MS_SYNC) == 0) return 0;
  int error = errno;
  // Memory that no pool has any longer, because it is being closed, needs no note.
  if (!Mapping::FailAt(address, error)) Opening::Note(error);
  return 0;
}

}  // namespace potoroo::engine

extern "C" __attribute__((weak, visibility("default"))) int pmem_msync(const void* address,
                                                                       size_t size) {
  return potoroo::engine::SyncForLibpmemobj(address, size);
}
