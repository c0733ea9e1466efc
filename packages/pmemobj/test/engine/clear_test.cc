// Clearing and dropping maps: at once for readers, and in steps for the space.
#include <malloc.h>
#include <time.h>

#include <thread>

#include "engine/check/checker.h"
#include "model.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr int kEntries = 100000;

// CPU time of this thread, which other work on the machine does not lengthen.
double Milliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct World {
  World() {
    EXPECT_OK(Pool::Create(folder / "pool", {0, 256 * kMiB}, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    EXPECT_OK(pool->OpenMap("other", &other));
    EXPECT_OK(pool->Checkpoint());
    empty = pool->Stats().used;
  }

  void Fill() {
    for (int i = 0; i < kEntries;) {
      Batch batch;
      for (int j = 0; j < 2000; j++, i++) batch.Put(map, Key(i), std::string(100, 'v'));
      EXPECT_OK(batch.WriteTo(pool.get()));
    }
    EXPECT_OK(pool->Checkpoint());
  }
  static std::string Key(int number) { return "key " + std::to_string(1000000 + number); }
  void Clear() {
    Operation clear{Operation::Kind::kDeleteRange, map, "", ""};
    EXPECT_OK(pool->Write(&clear, 1));
  }
  bool Has(const Snapshot& snapshot, int number) const {
    Bytes value;
    return snapshot.Get(map, Key(number), &value).ok() && value == std::string(100, 'v');
  }
  void Reopen() {
    pool.reset();
    CheckReport report;
    EXPECT_OK(Check(folder / "pool", &report));
    EXPECT(report.sound());
    EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    EXPECT_OK(pool->OpenMap("other", &other));
  }

  Folder folder;
  std::unique_ptr<Pool> pool;
  uint32_t map, other;
  uint64_t empty;
};

TEST("clearing needs hardly any memory, and comes at once") {
  World world;
  world.Fill();
  malloc_trim(0);
  size_t before = mallinfo2().uordblks;
  double start = Milliseconds();
  world.Clear();
  double took = Milliseconds() - start;
  EXPECT(mallinfo2().uordblks < before + 200000);
  // One by one, the entries would take a hundred times as long.
  EXPECT(took < kEntries / 1000);
  EXPECT(!world.Has(*Take(world.pool.get()), 7));
  EXPECT_OK(world.pool->Checkpoint());
  EXPECT(mallinfo2().uordblks < before + 200000);
  EXPECT(world.pool->Stats().used == world.empty);
}

TEST("what was cleared is freed by and by") {
  World world;
  world.Fill();
  world.Clear();
  Operation put{Operation::Kind::kPut, world.other, "key", "value"};
  // The checkpoint that lets go of it; then a thread frees it, and commits help.
  Batch big;
  big.Put(world.other, "big", std::string(kMiB, 'b'));
  EXPECT_OK(big.WriteTo(world.pool.get()));
  EXPECT_OK(world.pool->Write(&put, 1));
  while (world.pool->Stats().used > world.empty + 3 * kMiB) EXPECT_OK(world.pool->Write(&put, 1));
  world.Reopen();
  EXPECT(world.pool->Stats().used <= world.empty + 3 * kMiB);
}

TEST("what was deleted is given back without a write after it, and no crash needs it") {
  World world;
  world.Fill();
  Batch batch;
  for (int i = 0; i < kEntries; i += 1000)
    batch.DeleteRange(world.map, World::Key(i), World::Key(i + 999));
  EXPECT_OK(batch.WriteTo(world.pool.get()));
  const uint64_t left = kEntries / 1000 * 200;
  EXPECT(world.pool->Stats().used > 10 * (world.empty + left));
  bool begun = false;
  while (!begun) EXPECT_OK(world.pool->GiveBack(&begun));
  while (world.pool->Stats().used > 10 * (world.empty + left)) std::this_thread::yield();
  EXPECT(!world.Has(*Take(world.pool.get()), 1000));
  EXPECT(world.Has(*Take(world.pool.get()), 1999));
  world.Reopen();
  EXPECT(world.Has(*Take(world.pool.get()), 1999));
}

TEST("a snapshot keeps what was cleared, and then lets it go") {
  World world;
  world.Fill();
  auto snapshot = Take(world.pool.get());
  world.Clear();
  EXPECT_OK(world.pool->Checkpoint());
  Operation put{Operation::Kind::kPut, world.map, "key 1", "new"};
  for (int i = 0; i < 3000; i++) EXPECT_OK(world.pool->Write(&put, 1));
  for (int i = 0; i < kEntries; i += 7) EXPECT(world.Has(*snapshot, i));
  snapshot.reset();
  EXPECT_OK(world.pool->Write(&put, 1));
  EXPECT_OK(world.pool->Checkpoint());
  EXPECT(world.pool->Stats().used <= world.empty + 4096);
}

TEST("what is freed in steps makes room in a full pool") {
  World world;
  for (int round = 0; round < 3; round++) {
    Status status;
    int count = 0;
    for (; status.ok(); count++) {
      std::string key = std::to_string(count), value(3000, 'v');
      Operation put{Operation::Kind::kPut, world.map, key, value};
      status = world.pool->Write(&put, 1);
    }
    EXPECT(status.code() == Code::kNoSpace);
    EXPECT(count > 60000);
    world.Clear();
  }
}

TEST("a pool that is closed while it frees opens soundly, without what was cleared") {
  World world;
  for (int round = 0; round < 3; round++) {
    world.Fill();
    if (round == 1) {
      EXPECT_OK(world.pool->DropMap("map"));
    } else {
      world.Clear();
    }
    world.Reopen();
    EXPECT(!world.Has(*Take(world.pool.get()), 3));
    EXPECT_OK(world.pool->Checkpoint());
    EXPECT(world.pool->Stats().used <= world.empty + 1024);
  }
}

TEST("ranges that end within pages, beside a model") {
  World world;
  Model model;
  Chance chance(5);
  for (int round = 0; round < 40; round++) {
    Batch batch;
    for (int i = 0; i < 2000; i++) {
      std::string key = World::Key(static_cast<int>(chance.Below(20000)));
      model[key] = std::string(chance.Below(200), 'v');
      batch.Put(world.map, key, model[key]);
    }
    int from = static_cast<int>(chance.Below(20000));
    int to = from + static_cast<int>(chance.Below(15000));
    batch.DeleteRange(world.map, World::Key(from), World::Key(to));
    model.erase(model.lower_bound(World::Key(from)), model.lower_bound(World::Key(to)));
    EXPECT_OK(batch.WriteTo(world.pool.get()));
    if (round % 10 == 9) world.Reopen();
  }
  ExpectSame(*Take(world.pool.get()), world.map, model);
  EXPECT_OK(world.pool->Checkpoint());
  uint64_t used = world.pool->Stats().used;
  world.Reopen();
  EXPECT(world.pool->Stats().used == used);
}

TEST("dropped maps leave nothing in memory, and their numbers are nobody else's") {
  World world;
  uint32_t first, map;
  EXPECT_OK(world.pool->OpenMap("dropped", &first));
  EXPECT_OK(world.pool->DropMap("dropped"));
  auto churn = [&](int count) {
    for (int i = 0; i < count; i++) {
      std::string name = std::string(200, 'n') + std::to_string(i);
      EXPECT_OK(world.pool->OpenMap(name, &map));
      EXPECT(map != first);
      Operation put{Operation::Kind::kPut, map, "key", "value"};
      EXPECT_OK(world.pool->Write(&put, 1));
      EXPECT_OK(world.pool->DropMap(name));
      EXPECT_CODE(kNotFound, world.pool->Write(&put, 1));
      if (i % 100 == 0) EXPECT_OK(world.pool->Checkpoint());
    }
  };
  churn(500);
  EXPECT_OK(world.pool->Checkpoint());
  size_t before = mallinfo2().uordblks;
  churn(10000);
  EXPECT_OK(world.pool->Checkpoint());
  EXPECT(mallinfo2().uordblks < before + 100000);
  Operation put{Operation::Kind::kPut, first, "key", "value"};
  EXPECT_CODE(kNotFound, world.pool->Write(&put, 1));
}

TEST("a map that was dropped is not the one that has its name now, but for snapshots") {
  World world;
  Bytes value;
  Operation put{Operation::Kind::kPut, world.map, "key", "old"};
  EXPECT_OK(world.pool->Write(&put, 1));
  auto old = Take(world.pool.get());
  EXPECT_OK(world.pool->DropMap("map"));
  auto between = Take(world.pool.get());
  uint32_t again;
  EXPECT_OK(world.pool->OpenMap("map", &again));
  EXPECT(again != world.map);
  put = {Operation::Kind::kPut, again, "key", "new"};
  EXPECT_OK(world.pool->Write(&put, 1));
  auto now = Take(world.pool.get());
  EXPECT_OK(old->Get(world.map, "key", &value));
  EXPECT(value == "old");
  EXPECT_CODE(kNotFound, between->Get(world.map, "key", &value));
  EXPECT_CODE(kNotFound, now->Get(world.map, "key", &value));
  EXPECT_OK(now->Get(again, "key", &value));
  EXPECT(value == "new");
  std::vector<NamedMap> maps;
  EXPECT_OK(old->ListMaps(&maps));
  EXPECT(maps.size() == 2 && maps[0].map == world.map);
  EXPECT_OK(between->ListMaps(&maps));
  EXPECT(maps.size() == 1);
  EXPECT_OK(now->ListMaps(&maps));
  EXPECT(maps.size() == 2 && maps[0].map == again);
}

}  // namespace
