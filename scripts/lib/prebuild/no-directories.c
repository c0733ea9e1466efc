// PMDK's core/fs.h without fts(3), which musl lacks: a pool set that names a directory is refused, and processor caches
// are flushed even where they outlive a power cut, because libpmem takes a failure for "not known".

#include <errno.h>
#include <stddef.h>

#include "fs.h"

struct fs *fs_new(const char *path) {
  (void)path;
  errno = ENOTSUP;
  return NULL;
}

void fs_delete(struct fs *f) { (void)f; }

struct fs_entry *fs_read(struct fs *f) {
  (void)f;
  return NULL;
}
