// A file on media that lose power: see media.h.
#ifndef POTOROO_TEST_MEDIA_FILE_H_
#define POTOROO_TEST_MEDIA_FILE_H_

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "media.h"

constexpr size_t kTextSize = 64 * 1024;  // files above are parts of a pool

inline std::string ReadAll(int fd) {
  struct stat info;
  EXPECT(fstat(fd, &info) == 0);
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  EXPECT(pread(fd, &bytes[0], bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return bytes;
}

// Not dup, which would share the lock that libpmemobj takes.
inline int OpenAgain(int fd) {
  int again = open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT(again >= 0);
  return again;
}

inline uint64_t InodeOf(int fd) {
  struct stat info;
  EXPECT(fstat(fd, &info) == 0);
  return info.st_ino;
}

// A file that has been mapped: what the program sees of it, and what has arrived. Kept open, so
// that its inode is not used again.
struct Media::File {
  File(int from, uint64_t number) : fd(OpenAgain(from)), index(number), shadow(ReadAll(fd)) {
    Show();
  }
  ~File() {
    Hide();
    close(fd);
  }
  // Maps by system call: the simulation's own mapping is no part of it. The offset goes over the
  // stack, where an int would leave its upper half as it was.
  void Show() {
    long at = syscall(SYS_mmap, nullptr, shadow.size(), PROT_READ, MAP_SHARED, fd, off_t{0});
    EXPECT(at != -1);
    memory = reinterpret_cast<const char*>(at);
  }
  void Hide() { syscall(SYS_munmap, memory, shadow.size()); }
  void Resize(size_t size) {
    if (size == shadow.size()) return;
    Hide();
    shadow.resize(size);
    Show();
  }

  int fd;
  uint64_t index;
  std::string shadow;
  const char* memory = nullptr;
  bool named = false;  // its name was synced since it was mapped
};

#endif  // POTOROO_TEST_MEDIA_FILE_H_
