// The memory of an open pool, and whether its files have failed: the disk refused to write a range
// of it, or a page of it could not be read or allocated.
//
// Neither may end the process. libpmemobj aborts where msync fails, so it gets an msync of ours
// that notes the failure instead (see libpmemobj_msync.cc). And where the kernel has no page to
// give (a bad sector, a hole on a full file system, a file that was cut short), it sends SIGBUS: an
// empty page that belongs to no file takes the place of the lost one, and the access goes on. So
// what is read then has no checksum that holds, and what is written goes nowhere: whoever writes
// has to look at the note before the write is acknowledged.
#ifndef POTOROO_ENGINE_MEDIUM_MAPPING_H_
#define POTOROO_ENGINE_MEDIUM_MAPPING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/engine.h"

namespace potoroo::engine {

// Safe for all threads. Nothing of it is ever taken back: the kernel takes pages that it failed to
// write for clean ones, so that a later success proves nothing.
class Mapping {
 public:
  // Notes failures in these bytes from now on.
  Mapping(char* start, uint64_t size);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  bool failed() const { return error_->load() != 0; }
  // Whether a page was lost.
  bool lost() const { return error_->load(std::memory_order_relaxed) == kLost; }
  // kIo once anything has failed.
  Status status() const { return failed() ? Failure() : Status::Ok(); }
  void Fail(int error);
  // The memory is given back: from now on, failures there are no longer noted here.
  void Leave();
  // Keeps the first two pages, where libpmemobj has its pointers: were they lost, it would not get
  // as far as closing the pool.
  void KeepFront();
  // Puts them back, in memory only, if another process has overwritten the file: libpmemobj would
  // follow what it has written there.
  void RestoreFront();

  // The failure of the open pool that has the address, or that Fail notes for it.
  static Status StatusAt(const void* address);
  // False where no open pool has the address.
  static bool FailAt(const void* address, int error);

  static constexpr int kLost = -1;
  static constexpr int kRemoved = -2;
  static constexpr size_t kFront = 8192;
  struct Node;

 private:
  Status Failure() const;

  Node* node_;
  const std::atomic<int>* error_;
};

// While it lives, failures in this thread that lie in no Mapping are those of the pool that is
// being opened, or made, whose memory is not known yet. One at a time in a thread.
class Opening {
 public:
  Opening();
  ~Opening();
  // An errno, or Mapping::kLost; 0: none so far.
  int error() const;
  // False where this thread is opening none.
  static bool Note(int error);
};

// libpmemobj calls it for msync. Always returns 0.
int SyncForLibpmemobj(const void* address, size_t size);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_MAPPING_H_
