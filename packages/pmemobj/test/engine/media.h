// Media that lose power: what the files of a folder would hold after a power cut.
//
// While a Media lives, the functions of libpmem that libpmemobj calls (see media_calls.cc) reach
// it instead. It keeps a shadow of each file: what has certainly arrived. On persistent memory a
// cache line gets there once its thread has flushed it and then passed a fence; behind a page
// cache, a page does once msync has covered it. A cut gives the shadow and an adversary's choice of
// what may have arrived besides: lines that are flushed and not fenced, whole or torn, and
// whatever is stored and not flushed, for a cache evicts when it likes. Names are no better: a new
// file, a new name of one, or that one is gone, has arrived once the file or its folder was synced.
#ifndef POTOROO_TEST_MEDIA_H_
#define POTOROO_TEST_MEDIA_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "model.h"

// The share that has arrived of the stores that need not have.
struct Mood {
  double flushed;  // the share of the lines that were flushed, but not fenced
  double stored;   // the share of the lines, or sectors, that were only stored
  bool torn;       // flushed lines arrive in part, 8 bytes at a time
};

// All of the process's msync, fsync, fdatasync, posix_fallocate and pwritev2 fail.
extern std::atomic<bool> disk_fails;
// That many of those calls go well before one fails; negative: none will. `disk_fails_then`: and
// all that come later.
extern std::atomic<int> calls_left;
extern std::atomic<bool> disk_fails_then;
// The error that they give: EIO unless it is set.
extern std::atomic<int> disk_error;
// Called before each msync, and before each write past a mapping, unless it is nullptr.
extern std::atomic<void (*)()> before_sync;
extern std::atomic<void (*)()> before_write_through;

class Media {
 public:
  enum class Kind { kPersistentMemory, kDisk };
  // The folder's files, and those in folders below it, as far as they are mapped from now on.
  Media(const std::string& folder, Kind kind);
  ~Media();
  Media(const Media&) = delete;
  Media& operator=(const Media&) = delete;

  // Keeps all others from flushing, fencing and syncing, and from at_point.
  std::unique_lock<std::recursive_mutex> Hold() {
    return std::unique_lock<std::recursive_mutex>(mutex_);
  }

  // Called before each flush, fence and msync takes effect, by one thread at a time; all others
  // wait when they come to theirs. `fence`: it may make something durable.
  std::function<void(bool fence)> at_point;

  // Writes what the folder holds if power fails now to the folder `to`. Stores of other threads
  // meanwhile may be part of it.
  void Cut(const Mood& mood, Chance* chance, const std::string& to);
  // A share of the lines, or sectors, that are only stored arrives for good.
  void Evict(double share, Chance* chance);

  // The object that the functions which replace the system's call.
  static Media* Current();
  Kind kind() const { return kind_; }
  void Map(const void* address, size_t size, int fd, off_t offset);
  void Unmap(const void* address, size_t size);
  void Flush(const void* address, size_t size);
  void Fence();
  void Sync(const void* address, size_t size);
  void SyncFile(int fd);
  // Notes that a range of a mapped file was written durably.
  void SyncRange(int fd, uint64_t offset, uint64_t size);

 private:
  static constexpr size_t kLine = 64;
  static constexpr size_t kSector = 512;
  struct File;
  struct Region {
    uintptr_t start, end;
    File* file;
    uint64_t offset;
  };
  struct Line {
    File* file;
    uint64_t offset;
    uint64_t when;
    char bytes[kLine];
  };
  using Lines = std::unordered_map<uint64_t, Line>;
  using Arrive = std::function<void(uint64_t offset, const char* bytes, size_t size)>;

  bool Holds(int fd) const;
  File* FileOf(int fd);
  void EachPiece(const void* address, size_t size, size_t align,
                 const std::function<void(File*, uint64_t offset, uint64_t size)>& visit);
  void Point(bool fence);
  void DropOlder(uint64_t key, uint64_t when);
  void EachStored(File* file, double share, Chance* chance, const Arrive& arrive);
  void EachFlushed(File* file, const Mood& mood, Chance* chance, const Arrive& arrive);
  void CutFile(const std::string& from, const std::string& to, const Mood& mood, Chance* chance);
  void CutShadow(File* file, const std::string& to, const Mood& mood, Chance* chance);
  // Names in the folder, or below it, and the inodes that they have.
  using Names = std::map<std::string, uint64_t>;
  Names ListNames() const;
  void SyncName(int fd);
  void SyncNames(const std::string& folder);
  Names NamesAfterCut(const Names& now, const Mood& mood, Chance* chance);
  std::string TextAfterCut(int fd, uint64_t inode, Chance* chance);

  std::string folder_;
  const Kind kind_;
  std::recursive_mutex mutex_;
  std::vector<Region> regions_;
  std::map<uint64_t, std::unique_ptr<File>> files_;  // that were mapped, by inode
  std::map<uint64_t, std::string> texts_;            // of others, as last synced, by inode
  std::map<std::string, uint64_t> names_;            // as last synced
  std::map<std::thread::id, Lines> flushed_;         // since the thread's last fence
  uint64_t when_ = 0;
};

#endif  // POTOROO_TEST_MEDIA_H_
