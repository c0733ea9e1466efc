// Disks that fail while a pool is open: each call gives an error, reads give what is there or an
// error, and the process lives.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "media.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// How pools are flushed, as long as this lives.
class Flushed {
 public:
  explicit Flushed(const char* by_line) {
    const char* before = getenv("PMEM_IS_PMEM_FORCE");
    before_ = before == nullptr ? "" : before;
    setenv("PMEM_IS_PMEM_FORCE", by_line, 1);
  }
  ~Flushed() { setenv("PMEM_IS_PMEM_FORCE", before_.c_str(), 1); }

 private:
  std::string before_;
};

Status Put(Pool* pool, uint32_t map, const std::string& key, const std::string& value) {
  Operation put{Operation::Kind::kPut, map, key, value};
  return pool->Write(&put, 1);
}

Status Get(Pool* pool, uint32_t map, const std::string& key, std::string* value) {
  Bytes bytes;
  Status status = Take(pool)->Get(map, key, &bytes);
  if (status.ok()) *value = std::string(bytes);
  return status;
}

// A pool of three parts, with small values in the first, big ones in the others, and another map.
std::unique_ptr<Pool> MakePool(const std::string& path, uint32_t* map, uint32_t* other) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {0, 256 * kMiB}, &pool));
  EXPECT_OK(pool->OpenMap("map", map));
  for (int i = 0; i < 500; i++) EXPECT_OK(Put(pool.get(), *map, std::to_string(i), "small"));
  EXPECT_OK(pool->Checkpoint());
  EXPECT_OK(Put(pool.get(), *map, "big", std::string(5 * kMiB, 'b')));
  EXPECT_OK(Put(pool.get(), *map, "bigger", std::string(17 * kMiB, 'b')));
  EXPECT_OK(pool->OpenMap("other", other));
  EXPECT_OK(Put(pool.get(), *other, "last", "value"));
  EXPECT_OK(pool->Checkpoint());
  return pool;
}

// What fails first; afterwards all does, also once the disk works again.
void ExpectFailure(const std::function<Status(Pool*, uint32_t)>& call) {
  Folder folder;
  uint32_t map, other;
  std::string value;
  std::unique_ptr<Pool> pool = MakePool(folder / "pool", &map, &other);
  EXPECT_OK(Put(pool.get(), other, "last", "value"));
  disk_fails = true;
  EXPECT_CODE(kIo, call(pool.get(), map));
  disk_fails = false;
  EXPECT_CODE(kIo, Put(pool.get(), map, "more", "value"));
  EXPECT_CODE(kIo, Put(pool.get(), map, "big", std::string(4 * kMiB, 'b')));
  EXPECT_CODE(kIo, pool->Checkpoint());
  EXPECT_CODE(kIo, pool->Flush());
  EXPECT_OK(Get(pool.get(), other, "last", &value));
  disk_fails = true;
  EXPECT_CODE(kIo, pool->Close());
  pool.reset();
  EXPECT_CODE(kIo, Pool::Open(folder / "pool", {}, &pool));
  disk_fails = false;
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  EXPECT_OK(pool->OpenMap("other", &other));
  EXPECT_OK(Get(pool.get(), other, "last", &value));
  EXPECT(value == "value");
  EXPECT_OK(Put(pool.get(), other, "more", "value"));
  EXPECT_OK(pool->Close());
}

TEST("a disk that fails: each call gives an error, and the pool opens again") {
  Flushed off("0");
  ExpectFailure([](Pool* pool, uint32_t map) { return Put(pool, map, "more", "value"); });
  ExpectFailure([](Pool* pool, uint32_t map) {
    return Put(pool, map, "huge", std::string(4 * kMiB, 'h'));
  });
  ExpectFailure([](Pool* pool, uint32_t map) {  // it grows by that
    return Put(pool, map, "huge", std::string(40 * kMiB, 'h'));
  });
  ExpectFailure([](Pool* pool, uint32_t map) {
    Operation drop{Operation::Kind::kDelete, map, "bigger", {}};
    return pool->Write(&drop, 1);
  });
  ExpectFailure([](Pool* pool, uint32_t) { return pool->DropMap("map"); });
  ExpectFailure([](Pool* pool, uint32_t) { return pool->Checkpoint(); });
  ExpectFailure([](Pool* pool, uint32_t map) {
    Operation put{Operation::Kind::kPutBuffer, map, "buffer", {nullptr, 4 * kMiB}};
    return pool->Write(&put, 1);
  });
}

TEST("a disk that fails while a pool is closed, or made") {
  Flushed off("0");
  Folder folder;
  uint32_t map, other;
  std::string value;
  std::unique_ptr<Pool> pool = MakePool(folder / "pool", &map, &other);
  EXPECT_OK(Put(pool.get(), other, "last", "value"));
  disk_fails = true;
  EXPECT_CODE(kIo, pool->Close());
  pool.reset();
  EXPECT_CODE(kIo, Pool::Create(folder / "file", {}, &pool));
  EXPECT_CODE(kIo, Pool::Create(folder / "folder", {0, 64 * kMiB}, &pool));
  disk_fails = false;
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  EXPECT_OK(pool->OpenMap("other", &other));
  EXPECT_OK(Get(pool.get(), other, "last", &value));
  EXPECT_OK(Pool::Create(folder / "file", {}, &pool));
  EXPECT_OK(Pool::Create(folder / "folder", {0, 64 * kMiB}, &pool));
}

// Each value is right, or an error.
void ExpectNothingWrong(Pool* pool, uint32_t map, int* errors) {
  std::string value;
  for (int i = 0; i < 500; i++) {
    Status status = Get(pool, map, std::to_string(i), &value);
    if (status.ok()) {
      EXPECT(value == "small");
    } else {
      EXPECT(status.code() == Code::kCorrupt);
      (*errors)++;
    }
  }
  Status status = Get(pool, map, "big", &value);
  EXPECT(status.code() == Code::kCorrupt || value == std::string(5 * kMiB, 'b'));
}

// Cuts files short while the pool is open: so what they held is lost, as with a bad sector.
void LoseParts(const char* by_line, const std::vector<std::string>& parts, bool all_lost) {
  Flushed flushed(by_line);
  Folder folder;
  uint32_t map, other;
  std::string value;
  std::unique_ptr<Pool> pool = MakePool(folder / "pool", &map, &other);
  auto cursor = Take(pool.get())->NewCursor(map);
  cursor->SeekFirst();
  for (const std::string& part : parts) EXPECT(truncate((folder / part).c_str(), 0) == 0);
  int errors = 0, rows = 0;
  ExpectNothingWrong(pool.get(), map, &errors);
  EXPECT((errors > 0) == all_lost);
  EXPECT_CODE(kCorrupt, Get(pool.get(), map, "bigger", &value));
  for (; cursor->Valid(); cursor->Next()) rows++;
  EXPECT_CODE(kCorrupt, cursor->status());
  EXPECT(rows < 502);
  EXPECT_CODE(kIo, Put(pool.get(), map, "more", "value"));
  EXPECT_CODE(kIo, Put(pool.get(), map, "big", std::string(4 * kMiB, 'b')));
  EXPECT_CODE(kIo, pool->DropMap("map"));
  EXPECT_CODE(kIo, pool->Checkpoint());
  ExpectNothingWrong(pool.get(), map, &errors);
  cursor.reset();
  EXPECT_CODE(kIo, pool->Close());
  pool.reset();
  EXPECT(!Pool::Open(folder / "pool", {}, &pool).ok());
}

TEST("a part that is lost while the pool is open") {
  for (const char* by_line : {"0", "1"}) {
    LoseParts(by_line, {"pool/000001.pmem", "pool/000002.pmem"}, false);
    LoseParts(by_line, {"pool/000000.pmem", "pool/000001.pmem", "pool/000002.pmem"}, true);
  }
}

TEST("a bus error elsewhere ends the process, as it does without pools") {
  Folder folder;
  uint32_t map, other;
  std::unique_ptr<Pool> pool = MakePool(folder / "pool", &map, &other);
  pid_t child = fork();
  if (child == 0) {
    int fd = open((folder / "other").c_str(), O_RDWR | O_CREAT, 0600);
    if (ftruncate(fd, 4096) != 0) _exit(1);
    void* at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ftruncate(fd, 0) != 0) _exit(1);
    // A sanitizer's report would break the test's own line in the log.
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    memset(at, 1, 1);
    _exit(2);
  }
  int result;
  EXPECT(waitpid(child, &result, 0) == child);
#ifdef __SANITIZE_ADDRESS__  // whose own handler is the one before, and exits
  EXPECT(!WIFEXITED(result) || (WEXITSTATUS(result) != 0 && WEXITSTATUS(result) != 2));
#else
  EXPECT(WIFSIGNALED(result) && WTERMSIG(result) == SIGBUS);
#endif
}

}  // namespace
