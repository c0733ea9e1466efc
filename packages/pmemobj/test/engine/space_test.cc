// Space: growth, reuse, full pools, what snapshots hold.
#include <sys/resource.h>

#include <csignal>

#include "model.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

Status Put(Pool* pool, uint32_t map, const std::string& key, const std::string& value) {
  Operation put{Operation::Kind::kPut, map, key, value};
  return pool->Write(&put, 1);
}

uint32_t Open(Pool* pool) {
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  return map;
}

TEST("a folder grows part by part") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 256 * kMiB}, &pool));
  EXPECT(pool->Stats().size == 8 * kMiB);
  EXPECT(pool->Stats().max_size == 256 * kMiB);
  uint32_t map = Open(pool.get());
  Model model;
  for (int i = 0; i < 60; i++) {
    Batch batch;
    for (int j = 0; j < 100; j++) {
      std::string key = std::to_string(i * 100 + j);
      model[key] = std::string(10000, static_cast<char>('a' + j % 26));
      batch.Put(map, key, model[key]);
    }
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  EXPECT_OK(pool->Checkpoint());
  uint64_t size = pool->Stats().size, used = pool->Stats().used;
  EXPECT(size > 64 * kMiB && size < 160 * kMiB);
  pool.reset();
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  EXPECT(pool->Stats().size == size);
  // Waits until it is known what is free.
  EXPECT_OK(pool->Checkpoint());
  EXPECT(pool->Stats().used == used);
  ExpectSame(*Take(pool.get()), Open(pool.get()), model);
  // And goes on growing after being opened again.
  EXPECT_OK(Put(pool.get(), map, "big", std::string(100 * kMiB, 'b')));
  EXPECT(pool->Stats().size > size);
}

TEST("a full pool keeps room for deleting, half of it for puts that lead to more room") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {8 * kMiB, 0}, &pool));
  uint32_t map = Open(pool.get());
  int count = 0;
  for (size_t size : {100000, 10000, 1000, 100, 10}) {
    while (Put(pool.get(), map, std::to_string(count), std::string(size, 'x')).ok()) count++;
  }
  Status refused;
  auto mark = [&](Operation::Room room) {
    std::string key = "mark " + std::to_string(count++);
    std::string value(1000, 'm');
    Operation put{Operation::Kind::kPut, map, key, value, room};
    refused = pool->Write(&put, 1);
    return refused.code();
  };
  EXPECT(mark(Operation::Room::kOrdinary) == Code::kNoSpace);
  EXPECT(refused.message().find("kept for deletions") == std::string::npos);
  int half = 0, all = 0;
  while (mark(Operation::Room::kHalfOfKept) == Code::kOk) half++;
  while (mark(Operation::Room::kKept) == Code::kOk) all++;
  // 128 KiB are kept.
  EXPECT(half > 30 && half < 80);
  EXPECT(all > 30 && all < 80);
  EXPECT(refused.message().find("kept for deletions is taken, too: compact") != std::string::npos);
  for (bool done = false; !done;) EXPECT_OK(pool->Compact(&done));
  for (int i = 0; i < 40; i++) {
    std::string key = std::to_string(i);
    Operation erase{Operation::Kind::kDelete, map, key, {}};
    EXPECT_OK(pool->Write(&erase, 1));
  }
  EXPECT_OK(pool->Checkpoint());
  EXPECT_OK(Put(pool.get(), map, "small", std::string(1000, 's')));
}

TEST("overwriting the same keys keeps the size") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 256 * kMiB}, &pool));
  uint32_t map = Open(pool.get());
  Chance chance(3);
  uint64_t early = 0;
  for (int i = 0; i < 30000; i++) {
    std::string key = std::to_string(i % 1000);
    EXPECT_OK(Put(pool.get(), map, key, std::string(500 + chance.Below(500), 'v')));
    if (i == 5000) early = pool->Stats().used;
  }
  EXPECT(pool->Stats().used < early * 11 / 10);
  EXPECT(pool->Stats().size == 8 * kMiB);
}

TEST("a snapshot that stays does not hold what came after it") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 256 * kMiB}, &pool));
  uint32_t map = Open(pool.get());
  Model model;
  for (int i = 0; i < 100; i++) {
    model[std::to_string(i)] = std::string(800, 'o');
    EXPECT_OK(Put(pool.get(), map, std::to_string(i), model[std::to_string(i)]));
  }
  uint64_t before = pool->Stats().used;
  auto snapshot = Take(pool.get());
  for (int i = 0; i < 20000; i++) {
    EXPECT_OK(Put(pool.get(), map, std::to_string(i % 100), std::string(800, 'n')));
  }
  EXPECT(pool->Stats().snapshots == 1);
  EXPECT(pool->Stats().used < before * 7 / 2);
  ExpectSame(*snapshot, map, model);
  snapshot.reset();
  EXPECT_OK(Put(pool.get(), map, "0", "last"));
  EXPECT_OK(pool->Checkpoint());
  EXPECT(pool->Stats().used <= before + 4096);
}

TEST("space comes back when all is deleted") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 256 * kMiB}, &pool));
  uint32_t map = Open(pool.get());
  uint64_t empty = pool->Stats().used;
  for (int way = 0; way < 3; way++) {
    Batch fill;
    for (int i = 0; i < 20000; i++)
      fill.Put(map, "key " + std::to_string(i), std::string(300, 'v'));
    fill.Put(map, "key of a big value", std::string(kMiB, 'v'));
    EXPECT_OK(fill.WriteTo(pool.get()));
    if (way == 0) {
      Batch clear;
      clear.DeleteRange(map, "", "");
      EXPECT_OK(clear.WriteTo(pool.get()));
    } else {
      // One by one, in order and out of it: pages are joined as they run empty.
      for (int i = 0; i < 20000; i++) {
        int number = way == 1 ? i : i * 7919 % 20000;
        Operation remove{Operation::Kind::kDelete, map, "key " + std::to_string(number), ""};
        std::string key = "key " + std::to_string(number);
        remove.key = key;
        EXPECT_OK(pool->Write(&remove, 1));
        if (i == 18000) {
          EXPECT_OK(pool->Checkpoint());
          EXPECT(pool->Stats().used < 4 * kMiB);
        }
      }
      Operation remove{Operation::Kind::kDelete, map, "key of a big value", ""};
      EXPECT_OK(pool->Write(&remove, 1));
    }
    EXPECT_OK(pool->Checkpoint());
    EXPECT(pool->Stats().used == empty);
  }
}

void FillUp(const PoolOptions& options) {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", options, &pool));
  uint32_t map = Open(pool.get());
  Model model;
  Chance chance(9);
  for (int round = 0; round < 3; round++) {
    Status status;
    for (int i = 0; status.ok(); i++) {
      EXPECT(i < 100000);
      std::string key = std::to_string(round) + chance.Key(1000000), value = chance.Value();
      status = Put(pool.get(), map, key, value);
      if (status.ok()) model[key] = value;
    }
    EXPECT(status.code() == Code::kNoSpace);
    ExpectSame(*Take(pool.get()), map, model);
    EXPECT(pool->Stats().used > pool->Stats().size / 3);
    // A batch that does not fit leaves nothing of itself.
    Batch batch;
    for (int i = 0; i < 2000; i++)
      batch.Put(map, "late " + std::to_string(i), std::string(9000, 'l'));
    EXPECT_CODE(kNoSpace, batch.WriteTo(pool.get()));
    EXPECT_CODE(kNoSpace, Put(pool.get(), map, "huge", std::string(200 * kMiB, 'h')));
    ExpectSame(*Take(pool.get()), map, model);
    pool.reset();
    EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
    map = Open(pool.get());
    ExpectSame(*Take(pool.get()), map, model);
    // Deleting works, one by one and by the hundred, and makes room.
    for (int way = 0; way < 2; way++) {
      Batch some;
      auto at = model.begin();
      for (int i = 0; i < (way == 0 ? 1 : 100); i++, ++at) some.Delete(map, at->first);
      EXPECT_OK(some.WriteTo(pool.get()));
      std::vector<Model> models{model};
      some.ApplyTo(&models);
      model = models[0];
    }
    for (int i = 0; i < 20; i++) {
      std::string key = "again " + std::to_string(i);
      EXPECT_OK(Put(pool.get(), map, key, "v"));
      model[key] = "v";
    }
    ExpectSame(*Take(pool.get()), map, model);
  }
}

TEST("a full file loses nothing, and deleting works") { FillUp({16 * kMiB, 0}); }
TEST("a full folder loses nothing, and deleting works") { FillUp({8 * kMiB, 24 * kMiB}); }

TEST("a full disk gives an error, not a signal") {
  // The file size limit of a process makes the same error on the same path as a full disk.
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, uint64_t{1} << 34}, &pool));
  uint32_t map = Open(pool.get());
  rlimit old, small;
  EXPECT(getrlimit(RLIMIT_FSIZE, &old) == 0);
  small = old;
  // Less than any part, and than where the log lies: on a disk, that would be written.
  small.rlim_cur = kMiB;
  auto handler = signal(SIGXFSZ, SIG_IGN);
  EXPECT(setrlimit(RLIMIT_FSIZE, &small) == 0);
  Model model;
  Status status;
  for (int i = 0; status.ok(); i++) {
    EXPECT(i < 10000);
    std::string key = std::to_string(i), value(10000, 'v');
    status = Put(pool.get(), map, key, value);
    if (status.ok()) model[key] = value;
  }
  EXPECT(status.code() == Code::kNoSpace);
  EXPECT(setrlimit(RLIMIT_FSIZE, &old) == 0);
  signal(SIGXFSZ, handler);
  ExpectSame(*Take(pool.get()), map, model);
  EXPECT_OK(Put(pool.get(), map, "after", std::string(10 * kMiB, 'a')));
  pool.reset();
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
}

}  // namespace
