// Checks a pool without changing it. Somebody may have it open, and write to it: then a state of it
// is checked that stays as it is meanwhile (see medium/reader_locks.h), and libpmemobj's part is
// not.
//
// All is read from the files by the engine itself, and libpmemobj has no part in it: no damage can
// crash, loop or stop the process, and a read-only file system will do.
#ifndef POTOROO_ENGINE_CHECK_CHECKER_H_
#define POTOROO_ENGINE_CHECK_CHECKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace potoroo {

struct CheckProblem {
  // "file", "heap" (libpmemobj's structures), "superblock", "root", "extent", "page", "order" (of
  // keys), "reference" (to a place that is none, or used twice), "value", "log", "undo" (what
  // opening would bring back).
  std::string kind;
  uint64_t offset;  // in the pool
  std::string message;
};

// The contents of a map, as far as they can be read: at the last checkpoint, which is the latest
// commit unless a crash left records in the log.
struct CheckMap {
  std::string name;
  uint64_t entries = 0;
  uint64_t key_bytes = 0;
  uint64_t value_bytes = 0;
  uint64_t pages = 0;
  uint64_t blobs = 0;       // values, and long keys, outside of the pages
  uint64_t blob_bytes = 0;  // of them
  uint64_t buffers = 0;     // values that may be changed where they lie
  uint32_t depth = 0;       // levels of pages
};

struct CheckReport {
  uint64_t size = 0;      // bytes of the files
  uint64_t max_size = 0;  // bytes that the pool may grow to
  uint32_t layout_version = 0;
  uint64_t epoch = 0;  // of the latest commit
  std::vector<CheckMap> maps;
  uint64_t pages = 0;  // of all maps, and of the directory of maps
  uint64_t blobs = 0;
  // Records in the log since the last checkpoint; the next open brings them into the trees.
  uint64_t log_records = 0;
  uint64_t log_operations = 0;
  uint64_t log_bytes = 0;
  // Bytes that a transaction over buffers had saved when it was cut off; the next open restores
  // them.
  uint64_t undo_ranges = 0;
  uint64_t undo_bytes = 0;
  // Bytes: in what the trees need; in extents and chunks that hold nothing; in objects of
  // libpmemobj that nothing refers to (a crash may leave some, and opening the pool frees them;
  // 0 where damage hides what is referred to).
  uint64_t used = 0;
  uint64_t free = 0;
  uint64_t leaked = 0;
  // Empty for a sound pool. At most `kMaxProblems`; `problem_count` counts all.
  std::vector<CheckProblem> problems;
  uint64_t problem_count = 0;
  // Remains of a power cut, which opening the pool or writing to it clears away.
  std::vector<CheckProblem> notes;
  static constexpr size_t kMaxProblems = 1000;

  bool sound() const { return problem_count == 0; }
};

// Reads all of the pool, and reports every problem, not just the first. The status says whether it
// could be checked, not whether it is sound: kNotFound, kNotAPool, kLayoutVersion, kInUse,
// kPermission, kIo, kKeyNeeded, kWrongKey, kNotEncrypted. While it runs, a pool that nobody has
// open cannot be opened (kInUse), but checked. kInUse: a process is making the pool, or makes
// checkpoints all the time. `key`: of a pool that is encrypted, or empty.
Status Check(const std::string& path, CheckReport* report, Bytes key = {});

}  // namespace potoroo

#endif  // POTOROO_ENGINE_CHECK_CHECKER_H_
