// A planted fault: one in DROP_EVERY calls that make a file durable says that it has, and has done nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static int drops(void) {
  static atomic_int calls;
  static atomic_int every;
  if (every == 0) every = atoi(getenv("DROP_EVERY"));
  return atomic_fetch_add(&calls, 1) % every == every - 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int file) { return drops() ? 0 : NEXT(fsync)(file); }
int fdatasync(int file) { return drops() ? 0 : NEXT(fdatasync)(file); }

int msync(void* address, size_t size, int flags) {
  return drops() ? 0 : NEXT(msync)(address, size, flags);
}

ssize_t pwritev2(int file, const struct iovec* parts, int count, off_t at, int flags) {
  return NEXT(pwritev2)(file, parts, count, at, drops() ? flags & ~(RWF_DSYNC | RWF_SYNC) : flags);
}
