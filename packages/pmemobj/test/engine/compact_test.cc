// Pools that shrink while they are used.
#include "engine/check/checker.h"
#include "model.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

Status CompactAll(Pool* pool) {
  Status status;
  for (bool done = false; status.ok() && !done;) status = pool->Compact(&done);
  return status;
}

struct World {
  explicit World(uint64_t max_size = 512 * kMiB) {
    EXPECT_OK(Pool::Create(folder / "pool", {0, max_size}, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    EXPECT_OK(pool->OpenMap("another", &other));
  }

  // Keys in random order, values of all sizes but huge ones.
  void Fill(int count) {
    for (int i = 0; i < count;) {
      Batch batch;
      for (int j = 0; j < 500 && i < count; j++, i++) {
        std::string key = chance.Key(1000000);
        uint64_t size = chance.Below(20) == 0 ? chance.Below(100000) : chance.Below(2000);
        model[key] = std::string(size, static_cast<char>('a' + i % 26));
        batch.Put(map, key, model[key]);
      }
      EXPECT_OK(batch.WriteTo(pool.get()));
    }
  }
  // Leaves one entry in `share`.
  void Thin(uint64_t share) {
    Batch batch;
    for (auto entry = model.begin(); entry != model.end();) {
      bool stays = chance.Below(share) == 0;
      if (!stays) batch.Delete(map, entry->first);
      entry = stays ? std::next(entry) : model.erase(entry);
      if (batch.size() < 1000 && entry != model.end()) continue;
      EXPECT_OK(batch.WriteTo(pool.get()));
      batch = Batch();
    }
  }
  void Reopen() {
    pool.reset();
    ExpectSound(folder / "pool");
    EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    EXPECT_OK(pool->OpenMap("another", &other));
  }
  static void ExpectSound(const std::string& path) {
    CheckReport report;
    EXPECT_OK(Check(path, &report));
    for (const CheckProblem& problem : report.problems) {
      fprintf(stderr, "%s\n", problem.message.c_str());
    }
    EXPECT(report.sound());
  }
  // Goes on with what a kill would have left of the pool.
  void Kill() {
    std::string path = folder / "pool", copy = folder / "copy";
    EXPECT(system(("cp -r " + path + " " + copy).c_str()) == 0);
    pool.reset();
    EXPECT(system(("rm -r " + path + " && mv " + copy + " " + path).c_str()) == 0);
    Reopen();
  }

  Folder folder;
  std::unique_ptr<Pool> pool;
  uint32_t map, other;
  Model model;
  Chance chance{11};
};

TEST("compaction: a pool that has shed most of its entries shrinks, and fills again") {
  World world;
  world.Fill(40000);
  uint64_t full = world.pool->BytesOnDisk(), used = world.pool->Stats().used;
  world.Thin(20);
  EXPECT_OK(CompactAll(world.pool.get()));
  uint64_t small = world.pool->BytesOnDisk();
  EXPECT(small < full / 3);
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
  world.Reopen();
  EXPECT(world.pool->BytesOnDisk() <= small + kMiB);
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
  uint64_t size = world.pool->Stats().size;
  while (world.pool->Stats().used < used * 9 / 10) world.Fill(1000);
  EXPECT(world.pool->Stats().size == size);
  EXPECT(world.pool->BytesOnDisk() > full * 3 / 4);
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
  world.Reopen();
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
}

TEST("compaction: an empty pool takes next to nothing, whatever was in it") {
  World world;
  world.Fill(10000);
  Operation big{Operation::Kind::kPut, world.other, "big", {}};
  std::string bytes(100 * kMiB, 'b');
  big.value = bytes;
  EXPECT_OK(world.pool->Write(&big, 1));
  Operation clear[] = {{Operation::Kind::kDeleteRange, world.map, "", ""},
                       {Operation::Kind::kDeleteRange, world.other, "", ""}};
  EXPECT_OK(world.pool->Write(clear, 2));
  EXPECT_OK(CompactAll(world.pool.get()));
  EXPECT(world.pool->BytesOnDisk() < 40 * kMiB);
  // The holes are filled where libpmemobj needs the space.
  EXPECT_OK(world.pool->Write(&big, 1));
  EXPECT(world.pool->BytesOnDisk() > 100 * kMiB);
  world.Reopen();
  Bytes value;
  EXPECT_OK(Take(world.pool.get())->Get(world.other, "big", &value));
  EXPECT(value == bytes);
}

TEST("compaction: others write between its steps, and a crash at any of them harms nothing") {
  World world(128 * kMiB);
  world.Fill(6000);
  world.Thin(10);
  bool done = false;
  for (int steps = 1; !done; steps += 2) {
    for (int step = 0; step < steps && !done; step++) {
      EXPECT_OK(world.pool->Compact(&done));
      std::string key = world.chance.Key(1000000);
      world.model[key] = std::string(world.chance.Below(40000), 'w');
      Operation put{Operation::Kind::kPut, world.map, key, world.model[key]};
      EXPECT_OK(world.pool->Write(&put, 1));
    }
    ExpectSame(*Take(world.pool.get()), world.map, world.model);
    world.Kill();
    ExpectSame(*Take(world.pool.get()), world.map, world.model);
  }
}

TEST("compaction: snapshots stay as they are, and buffers where they are") {
  World world;
  char* memory;
  size_t size;
  Batch batch;
  batch.PutBuffer(world.other, "buffer", std::string(5000, 'b'));
  EXPECT_OK(batch.WriteTo(world.pool.get()));
  world.Fill(10000);
  auto snapshot = Take(world.pool.get());
  EXPECT_OK(snapshot->GetBuffer(world.other, "buffer", &memory, &size));
  Model before = world.model;
  world.Thin(20);
  EXPECT_OK(CompactAll(world.pool.get()));
  ExpectSame(*snapshot, world.map, before);
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
  memory[7] = 'x';
  EXPECT_OK(world.pool->FlushBuffer(memory, size));
  snapshot.reset();
  uint64_t held = world.pool->BytesOnDisk();
  EXPECT_OK(CompactAll(world.pool.get()));
  EXPECT(world.pool->BytesOnDisk() < held);
  char* again;
  EXPECT_OK(Take(world.pool.get())->GetBuffer(world.other, "buffer", &again, &size));
  EXPECT(again == memory && again[7] == 'x' && again[8] == 'b');
  world.Reopen();
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
}

TEST("compaction: a pool that is full stays usable") {
  World world(48 * kMiB);
  Status status;
  for (int i = 0; status.ok(); i++) {
    std::string key = std::to_string(i);
    world.model[key] = std::string(3000, 'v');
    Operation put{Operation::Kind::kPut, world.map, key, world.model[key]};
    status = world.pool->Write(&put, 1);
    if (!status.ok()) world.model.erase(key);
  }
  EXPECT(status.code() == Code::kNoSpace);
  EXPECT_OK(CompactAll(world.pool.get()));
  world.Thin(2);
  bool done = false;
  for (int i = 0; !done; i++) {
    EXPECT_OK(world.pool->Compact(&done));
    std::string key = std::to_string(i % 3000);
    world.model[key] = std::string(3000, 'w');
    Operation put{Operation::Kind::kPut, world.map, key, world.model[key]};
    EXPECT_OK(world.pool->Write(&put, 1));
  }
  world.Reopen();
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
}

}  // namespace
