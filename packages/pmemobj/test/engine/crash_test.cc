// Killed in the middle of writing: all that was acknowledged is there afterwards, whole.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model.h"

using namespace potoroo;

namespace {

// What batch `number` does follows from its number, so that the parent can tell.
void MakeBatch(uint64_t number, Batch* batch) {
  Chance chance(number);
  uint64_t count = 1 + chance.Below(number % 7 == 0 ? 200 : 10);
  for (uint64_t i = 0; i < count; i++) {
    uint32_t map = static_cast<uint32_t>(chance.Below(2));
    if (chance.Below(4) > 0) {
      batch->Put(map, chance.Key(3000), chance.Value());
    } else if (chance.Below(20) > 0) {
      batch->Delete(map, chance.Key(3000));
    } else {
      std::string from = chance.Key(3000);
      batch->DeleteRange(map, from, from + "5");
    }
  }
  batch->Put(0, "batch", std::to_string(number));
}

[[noreturn]] void WriteUntilKilled(const std::string& path, uint64_t first, int acknowledge) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("0", &map));
  EXPECT_OK(pool->OpenMap("1", &map));
  for (uint64_t number = first;; number++) {
    Batch batch;
    MakeBatch(number, &batch);
    EXPECT_OK(batch.WriteTo(pool.get()));
    EXPECT(write(acknowledge, &number, sizeof number) == sizeof number);
  }
}

// The number of the last batch that the child acknowledged before it was killed, after `batches`
// more of them.
uint64_t RunAndKill(const std::string& path, uint64_t first, uint64_t batches, uint64_t spin) {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    WriteUntilKilled(path, first, ends[1]);
  }
  close(ends[1]);
  uint64_t last = first - 1, number;
  while (last < first + batches && read(ends[0], &number, sizeof number) == sizeof number) {
    last = number;
  }
  for (volatile uint64_t i = 0; i < spin; i = i + 1) {
  }
  EXPECT(kill(child, SIGKILL) == 0);
  while (read(ends[0], &number, sizeof number) == sizeof number) last = number;
  close(ends[0]);
  int result;
  EXPECT(waitpid(child, &result, 0) == child && WIFSIGNALED(result));
  return last;
}

TEST("killed while writing, again and again") {
  Folder folder;
  std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {0, uint64_t{1} << 33}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("0", &map));
  EXPECT_OK(pool->OpenMap("1", &map));
  pool.reset();
  std::vector<Model> models(2);
  uint64_t done = 0;
  Chance chance(77);
  for (int round = 0; round < 40; round++) {
    uint64_t last = RunAndKill(path, done + 1, chance.Below(60), chance.Below(2000000));
    EXPECT_OK(Pool::Open(path, &pool));
    EXPECT_OK(pool->OpenMap("0", &map));
    auto snapshot = Take(pool.get());
    Bytes value;
    uint64_t found = done;
    if (last > 0) {
      EXPECT_OK(snapshot->Get(map, "batch", &value));
      found = std::stoull(std::string(value));
    }
    // The batch that was under way when the signal came may be there, or not.
    EXPECT(found == last || found == last + 1);
    for (; done < found; done++) {
      Batch batch;
      MakeBatch(done + 1, &batch);
      batch.ApplyTo(&models);
    }
    for (uint32_t i = 0; i < 2; i++) ExpectSame(*snapshot, i, models[i]);
    snapshot.reset();
    pool.reset();
  }
}

[[noreturn]] void CreateUntilKilled(const std::string& path, uint64_t max_size, int started) {
  std::unique_ptr<Pool> pool;
  EXPECT(write(started, "s", 1) == 1);
  EXPECT_OK(Pool::Create(path, {0, max_size}, &pool));
  for (;;) pause();
}

TEST("killed while creating: a pool afterwards, or none") {
  Folder folder;
  Chance chance(5);
  for (int round = 0; round < 60; round++) {
    uint64_t max_size = round % 2 == 0 ? uint64_t{1} << 30 : 0;
    std::string path = folder / std::to_string(round);
    int ends[2];
    EXPECT(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) CreateUntilKilled(path, max_size, ends[1]);
    char byte;
    EXPECT(read(ends[0], &byte, 1) == 1);
    usleep(static_cast<useconds_t>(chance.Below(30000)));
    EXPECT(kill(child, SIGKILL) == 0);
    int result;
    EXPECT(waitpid(child, &result, 0) == child);
    close(ends[0]);
    close(ends[1]);
    std::unique_ptr<Pool> pool;
    Status status = Pool::Open(path, &pool);
    if (!status.ok()) {
      EXPECT(status.code() == Code::kNotFound || status.code() == Code::kNotAPool);
      EXPECT_OK(Pool::Create(path, {0, max_size}, &pool));
    }
    uint32_t map;
    EXPECT_OK(pool->OpenMap("map", &map));
  }
}

}  // namespace
