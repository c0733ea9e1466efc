// Commits that go through the log, and those that are too long for it.
#include "engine/log/log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "engine/base/fault.h"
#include "engine/check/checker.h"
#include "media.h"
#include "model.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

std::string BytesOf(const std::string& path) {
  struct stat info;
  EXPECT(stat(path.c_str(), &info) == 0);
  std::string bytes(static_cast<size_t>(info.st_size), 0);
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT(read(fd, &bytes[0], bytes.size()) == info.st_size);
  close(fd);
  return bytes;
}

void PutOne(Pool* pool, uint32_t map, const std::string& key, const std::string& value) {
  Batch batch;
  batch.Put(map, key, value);
  EXPECT_OK(batch.WriteTo(pool));
}

TEST("a batch that goes from map to map and back is never longer than a log") {
  constexpr int kOperations = 24000;
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 256 << 20}, &pool));
  uint32_t maps[2];
  Model models[2];
  for (int i = 0; i < 2; i++) {
    EXPECT_OK(pool->OpenMap(std::string(255, static_cast<char>('a' + i)), &maps[i]));
  }
  Batch batch;
  for (int i = 0; i < kOperations; i++) {
    std::string key = std::to_string(i % 100);
    models[i % 2][key] = "";
    batch.Put(maps[i % 2], key, "");
  }
  for (int round = 0; round < 3; round++) EXPECT_OK(batch.WriteTo(pool.get()));
  for (int i = 0; i < 2; i++) ExpectSame(*Take(pool.get()), maps[i], models[i]);
  pool.reset();
  CheckReport report;
  EXPECT_OK(Check(folder / "pool", &report));
  EXPECT(report.sound());
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  for (int i = 0; i < 2; i++) {
    EXPECT_OK(pool->OpenMap(std::string(255, static_cast<char>('a' + i)), &maps[i]));
    ExpectSame(*Take(pool.get()), maps[i], models[i]);
  }
}

// A relaxed pool whose process was killed, and then the power fails: what the next process has read
// of the log, and calls durable, was in memory only.
bool KeepsWhatItReplayed() {
  Folder folder;
  const std::string live = folder / "live", path = live + "/pool", image = folder / "image";
  EXPECT(mkdir(live.c_str(), 0700) == 0);
  setenv("PMEM_IS_PMEM_FORCE", "0", 1);
  std::unique_ptr<Pool> pool;
  uint32_t map;
  EXPECT_OK(Pool::Create(path, {0, 0, Durability::kRelaxed}, &pool));
  EXPECT_OK(pool->OpenMap("map", &map));
  EXPECT_OK(pool->Checkpoint());
  const std::string durable = BytesOf(path);
  PutOne(pool.get(), map, "key", "value");
  const std::string stored = BytesOf(path);
  pool.reset();
  WriteFile(path, durable);
  {
    Media media(live, Media::Kind::kDisk);
    int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    void* at = mmap(nullptr, durable.size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    EXPECT(at != MAP_FAILED);
    memcpy(at, stored.data(), stored.size());
    EXPECT_OK(Pool::Open(path, {0, 0, Durability::kRelaxed}, &pool));
    EXPECT_OK(pool->Flush());
    Chance chance(1);
    media.Cut({0, 0, false}, &chance, image);
    pool.reset();
    munmap(at, durable.size());
    close(fd);
  }
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
  EXPECT_OK(Pool::Open(image + "/pool", {}, &pool));
  EXPECT_OK(pool->OpenMap("map", &map));
  Bytes value;
  return Take(pool.get())->Get(map, "key", &value).ok() && value == "value";
}

TEST("what opening has found in the log is durable") {
  EXPECT(KeepsWhatItReplayed());
  planted_fault = Fault::kReplaySync;
  EXPECT(!KeepsWhatItReplayed());
  planted_fault = Fault::kNone;
}

// Off persistent memory, where records are written together.
TEST("a bit that flips in the log is told from its end, and never drops what follows") {
  Folder folder;
  setenv("PMEM_IS_PMEM_FORCE", "0", 1);
  std::unique_ptr<Pool> pool;
  uint32_t map;
  EXPECT_OK(Pool::Create(folder / "pool", {}, &pool));
  EXPECT_OK(pool->OpenMap("map", &map));
  EXPECT_OK(pool->Checkpoint());
  for (int i = 0; i < 40; i++) PutOne(pool.get(), map, "key" + std::to_string(i), "acknowledged");
  const std::string bytes = BytesOf(folder / "pool");
  pool.reset();
  uint64_t last = bytes.rfind("key39acknowledged");
  for (int i = 0; i < 40; i++) {
    std::string copy = bytes;
    uint64_t at = copy.find("key" + std::to_string(i) + "acknowledged");
    EXPECT(at != std::string::npos);
    copy[at + 1] ^= 4;
    WriteFile(folder / "copy", copy);
    CheckReport report;
    EXPECT_OK(Check(folder / "copy", &report));
    Status status = Pool::Open(folder / "copy", {}, &pool);
    // The last record cannot be told from one that was torn.
    EXPECT(report.sound() == (at == last) && status.ok() == (at == last));
    pool.reset();
  }
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
}

// The values hold records: those with the right place, size and commit, but another salt, and those
// that the log held before.
TEST("bytes of values are never taken for records") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  uint32_t map;
  EXPECT_OK(Pool::Create(folder / "pool", {32 << 20, 0}, &pool));
  EXPECT_OK(pool->OpenMap("map", &map));
  PutOne(pool.get(), map, "victim", "honest");
  LogWriter forged;
  std::string hostile;
  for (uint64_t i = 0; i < 400; i++) {
    forged.Clear();
    forged.Add(LogKind::kMap, "map", {});
    forged.Add(LogKind::kPut, "victim", "pwned");
    const uint64_t commit = pool->epoch() + 1 + i % 40, salt = i % 20;
    hostile.append(forged.Finish(commit, salt, commit, 0));
    hostile.resize((hostile.size() + 63) / 64 * 64 + i % 2 * 8);
  }
  hostile += BytesOf(folder / "pool").substr(4 << 20, 100 << 10);
  // Each is what a crash would leave.
  std::vector<std::pair<uint64_t, std::string>> crashes;
  for (int i = 0; i < 60; i++) {
    PutOne(pool.get(), map, "attacker", hostile.substr(static_cast<size_t>(i)));
    if (i % 3 == 0) crashes.emplace_back(pool->epoch(), BytesOf(folder / "pool"));
  }
  for (const auto& crash : crashes) {
    pool.reset();
    WriteFile(folder / "copy", crash.second);
    EXPECT_OK(Pool::Open(folder / "copy", {}, &pool));
    EXPECT(pool->epoch() == crash.first);
    Bytes value;
    EXPECT_OK(pool->OpenMap("map", &map));
    EXPECT_OK(Take(pool.get())->Get(map, "victim", &value));
    EXPECT(value == "honest");
  }
}

std::atomic<int> log_moves{0};

// How often the log has got another place when that much was written, in records of `record` bytes,
// over the same keys.
int MovesOfLog(uint64_t max_size, size_t record, size_t bytes) {
  Folder folder;
  const std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {0, max_size}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  log_moves = 0;
  before_log_move = [] { log_moves++; };
  Model model;
  for (size_t written = 0; written < bytes; written += record) {
    Batch batch;
    for (size_t of = 0; of < record; of += 200) {
      const std::string key = std::to_string((written + of) / 200 % 2000);
      model[key] = std::string(200, static_cast<char>('a' + written / record % 26));
      batch.Put(map, key, model[key]);
    }
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  ExpectSame(*Take(pool.get()), map, model);
  pool.reset();
  before_log_move = nullptr;
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  EXPECT(report.sound());
  return log_moves;
}

TEST("batches get a bigger log, in pools that may grow") {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  for (const char* pmem : {"0", "1"}) {
    setenv("PMEM_IS_PMEM_FORCE", pmem, 1);
    EXPECT(MovesOfLog(256 * kMiB, 200 * 1000, 400 * 1000) == 0);
    EXPECT(MovesOfLog(256 * kMiB, 200 * 1000, 4 * kMiB) == 1);
    EXPECT(MovesOfLog(256 * kMiB, 200, 4 * kMiB) == 0);
    EXPECT(MovesOfLog(32 * kMiB, 200 * 1000, 4 * kMiB) == 0);
  }
}

}  // namespace
