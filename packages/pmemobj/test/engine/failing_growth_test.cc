// Pools that grow on a disk that fails, or may not grow: each call gives an error, the process
// lives, and the pool opens again with all that was acknowledged.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/check/checker.h"
#include "media.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr int kPuts = 6;  // of 1 MiB: the pool grows by a part on the way

std::string ValueOf(int i) { return std::string(kMiB, static_cast<char>('a' + i)); }

Status Put(Pool* pool, const std::string& key, const std::string& value) {
  uint32_t map;
  Status status = pool->OpenMap("map", &map);
  const Operation put{Operation::Kind::kPut, map, key, value};
  return status.ok() ? pool->Write(&put, 1) : status;
}

void ExpectAll(Pool* pool, const std::vector<int>& acknowledged) {
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  auto snapshot = Take(pool);
  for (int i : acknowledged) {
    Bytes bytes;
    EXPECT_OK(snapshot->Get(map, std::to_string(i), &bytes));
    EXPECT(bytes == ValueOf(i));
  }
}

void ExpectSound(const std::string& path) {
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  EXPECT(report.sound());
}

struct Failure {
  int error;
  bool for_good;
  int step;  // calls between one trial's refusal and the next one's
};

// Whether the disk has refused a call: the one after `calls`.
bool GrowsThrough(const Failure& failure, int calls) {
  Folder folder;
  const std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {0, 256 * kMiB}, &pool));
  EXPECT_OK(Put(pool.get(), "first", "value"));
  std::vector<int> acknowledged;
  disk_error = failure.error;
  disk_fails_then = failure.for_good;
  calls_left = calls;
  Status status;
  for (int i = 0; i < kPuts && status.ok(); i++) {
    status = Put(pool.get(), std::to_string(i), ValueOf(i));
    if (status.ok()) acknowledged.push_back(i);
  }
  const bool refused = calls_left < 0;
  EXPECT(status.ok() || status.code() == Code::kIo || status.code() == Code::kNoSpace);
  EXPECT(refused || status.ok());
  if (status.code() == Code::kIo) EXPECT_CODE(kIo, Put(pool.get(), "more", "value"));
  ExpectAll(pool.get(), acknowledged);
  (void)pool->Close();
  pool.reset();
  disk_fails = false;
  calls_left = -1;
  ExpectSound(path);
  EXPECT_OK(Pool::Open(path, {}, &pool));
  ExpectAll(pool.get(), acknowledged);
  for (int i = 0; i < kPuts; i++) EXPECT_OK(Put(pool.get(), std::to_string(i), ValueOf(i)));
  EXPECT_OK(pool->Close());
  return refused;
}

TEST("a disk that refuses any one call while a pool grows, or all from there on") {
  setenv("PMEM_IS_PMEM_FORCE", "0", 1);
  for (const Failure& failure :
       {Failure{EIO, false, 1}, Failure{EIO, true, 3}, Failure{ENOSPC, false, 3}}) {
    int calls = 0;
    while (GrowsThrough(failure, calls)) calls += failure.step;
    EXPECT(calls > 25);
  }
  disk_error = EIO;
  disk_fails_then = false;
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
}

// From now on, no file that this process writes may be longer than this.
void LimitFiles(uint64_t bytes) {
  rlimit limit;
  EXPECT(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = bytes;
  EXPECT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

void OutgrowLimit(const std::string& path) {
  signal(SIGXFSZ, SIG_IGN);
  std::unique_ptr<Pool> pool;
  std::vector<int> acknowledged{0};
  LimitFiles(8 * kMiB);
  EXPECT_OK(Pool::Create(path, {0, 256 * kMiB}, &pool));
  EXPECT_OK(Put(pool.get(), "0", ValueOf(0)));
  Status status = Put(pool.get(), "big", std::string(20 * kMiB, 'b'));
  EXPECT_CODE(kNoSpace, status);
  EXPECT(status.message().find("File too large") != std::string::npos);
  for (int i = 1; i < 30; i++) {  // by parts that are small enough
    EXPECT_OK(Put(pool.get(), std::to_string(i), ValueOf(i)));
    acknowledged.push_back(i);
  }
  LimitFiles(kMiB);
  status = Put(pool.get(), "more", std::string(1000, 'x'));
  EXPECT_CODE(kIo, status);
  EXPECT(status.message().find("File too large") != std::string::npos);
  EXPECT_CODE(kIo, pool->Close());
  pool.reset();
  LimitFiles(RLIM_INFINITY);
  ExpectSound(path);
  EXPECT_OK(Pool::Open(path, {}, &pool));
  ExpectAll(pool.get(), acknowledged);
  EXPECT_OK(Put(pool.get(), "big", std::string(20 * kMiB, 'b')));
  EXPECT_OK(pool->Close());
}

TEST("a limit on the size of files, while a pool grows and while it is written to") {
  Folder folder;
  pid_t child = fork();
  if (child == 0) {
    setenv("PMEM_IS_PMEM_FORCE", "0", 1);
    OutgrowLimit(folder / "pool");
    _exit(0);
  }
  int how;
  EXPECT(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

}  // namespace
