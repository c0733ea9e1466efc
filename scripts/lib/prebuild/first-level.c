// PMDK's core/fs.h by opendir(3), for musl, which lacks fts(3): the entries of one directory, and not of those below it,
// because all that libpmem and libpmemobj look at is at the first level: parts of pools, and regions in /sys.

#include "fs.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct fs {
  DIR *directory;  // NULL: it cannot be read, and has no entries
  struct fs_entry entry;
  size_t start;  // of names in the path
  char path[PATH_MAX];
};

struct fs *fs_new(const char *path) {
  struct fs *f = calloc(1, sizeof(*f));
  if (f == NULL) return NULL;
  int length = snprintf(f->path, sizeof(f->path), "%s/", path);
  if (length < 0 || (size_t)length >= sizeof(f->path)) {
    free(f);
    return NULL;
  }
  f->start = (size_t)length;
  f->directory = opendir(path);
  return f;
}

void fs_delete(struct fs *f) {
  if (f->directory != NULL) closedir(f->directory);
  free(f);
}

static enum fs_entry_type type_of(const char *path) {
  struct stat found;
  if (lstat(path, &found) != 0) return FS_ENTRY_OTHER;
  if (S_ISREG(found.st_mode)) return FS_ENTRY_FILE;
  if (S_ISDIR(found.st_mode)) return FS_ENTRY_DIRECTORY;
  return S_ISLNK(found.st_mode) ? FS_ENTRY_SYMLINK : FS_ENTRY_OTHER;
}

struct fs_entry *fs_read(struct fs *f) {
  struct dirent *found;
  while (f->directory != NULL && (found = readdir(f->directory)) != NULL) {
    size_t length = strlen(found->d_name);
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    if (f->start + length >= sizeof(f->path)) continue;
    memcpy(f->path + f->start, found->d_name, length + 1);
    f->entry = (struct fs_entry){.type = type_of(f->path),
                                 .name = f->path + f->start,
                                 .namelen = length,
                                 .path = f->path,
                                 .pathlen = f->start + length,
                                 .level = 1};
    return &f->entry;
  }
  return NULL;
}
