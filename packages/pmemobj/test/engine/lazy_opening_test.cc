// Pools that are open before their trees are walked: whatever is done then, they hold what they
// would hold otherwise.
#include <unistd.h>

#include "digest.h"
#include "engine/check/checker.h"
#include "lazily.h"
#include "model.h"
#include "subject.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = 1 << 20;

Digest Read(Pool* pool) {
  Digest digest;
  EXPECT_OK(DigestOf(pool, &digest));
  return digest;
}

Status Put(Pool* pool, const std::string& key, const std::string& value) {
  uint32_t map;
  Status status = pool->OpenMap("map", &map);
  Batch batch;
  batch.Put(map, key, value);
  return status.ok() ? batch.WriteTo(pool) : status;
}

PoolOptions Growing() {
  PoolOptions options;
  options.max_size = 512 * kMiB;
  return options;
}

// Values of all storage classes, some of which were deleted again.
void Fill(Pool* pool, int count) {
  Chance chance(3);
  for (int i = 0; i < count; i++) {
    EXPECT_OK(Put(pool, chance.Key(1000), chance.Value()));
  }
  EXPECT_OK(Put(pool, "big", std::string(4 * kMiB, 'b')));
}

TEST("lazy opening: a life with many openings and crashes") {
  Lazily lazily;
  Folder folder;
  const std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  PoolOptions options;
  options.size = 24 * kMiB;
  EXPECT_OK(Pool::Create(path, options, &pool));
  Chance chance(11);
  Maps maps;
  for (int opening = 0; opening < 40; opening++) {
    for (uint64_t steps = chance.Below(30); steps > 0; steps--) {
      const std::string name = "map " + std::to_string(chance.Below(3));
      uint32_t map;
      EXPECT_OK(pool->OpenMap(name, &map));
      maps.Open(name);
      Batch batch;
      for (uint64_t i = chance.Below(20); i > 0; i--) {
        std::string key = chance.Key(200), value = chance.Value();
        if (chance.Below(2) == 0) {
          batch.Put(map, key, value);
          maps.Put(name, key, value);
        } else {
          batch.Delete(map, key);
          maps.Delete(name, key);
        }
      }
      EXPECT_OK(batch.WriteTo(pool.get()));
      bool done;
      if (chance.Below(20) == 0) EXPECT_OK(pool->Checkpoint());
      if (chance.Below(20) == 0) EXPECT_OK(pool->Compact(&done));
      if (chance.Below(20) == 0) {
        EXPECT_OK(pool->DropMap(name));
        maps.Drop(name);
      }
    }
    EXPECT(Read(pool.get()) == maps.digest());
    if (chance.Below(2) == 0) {
      // The copy is as a crash would leave the pool.
      WriteFile(path + ".copy", ReadFile(path));
      pool.reset();
      EXPECT(rename((path + ".copy").c_str(), path.c_str()) == 0);
    } else {
      EXPECT_OK(pool->Close());
    }
    EXPECT_OK(Pool::Open(path, {}, &pool));
    if (chance.Below(2) == 0) EXPECT(Read(pool.get()) == maps.digest());
  }
  const uint64_t used = pool->Stats().used;
  EXPECT_OK(pool->Checkpoint());
  const uint64_t least = pool->Stats().used;
  EXPECT(least <= used);
  EXPECT_OK(pool->Close());
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  EXPECT(report.sound() && report.used == least);
  engine::walked_at_once = lazily.before;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  EXPECT(pool->Stats().used == least);
}

TEST("lazy opening: to open and write again and again makes a pool no bigger") {
  Lazily lazily;
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", Growing(), &pool));
  Fill(pool.get(), 3000);
  const uint64_t size = pool->Stats().size;
  for (int i = 0; i < 50; i++) {
    EXPECT_OK(pool->Close());
    EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
    EXPECT_OK(Put(pool.get(), "again", std::to_string(i)));
  }
  EXPECT(pool->Stats().size == size);
  // Space that is not known to be free counts as used.
  EXPECT_OK(pool->Close());
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  const uint64_t most = pool->Stats().used;
  EXPECT_OK(pool->Checkpoint());
  EXPECT(pool->Stats().used <= most);
}

TEST("lazy opening: a full pool is what it would be otherwise") {
  Lazily lazily;
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  int count = 0;
  while (Put(pool.get(), std::to_string(count), std::string(3000, 'v')).ok()) count++;
  EXPECT_CODE(kNoSpace, Put(pool.get(), "more", std::string(3000, 'v')));
  EXPECT_OK(pool->Close());
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  EXPECT_CODE(kNoSpace, Put(pool.get(), "more", std::string(20000, 'v')));
  EXPECT_OK(pool->Close());
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  EXPECT_OK(pool->OpenMap("map", &map));
  Batch gone;
  for (int i = 0; i < count; i += 2) gone.Delete(map, std::to_string(i));
  EXPECT_OK(gone.WriteTo(pool.get()));
  EXPECT_OK(Put(pool.get(), "more", std::string(3000, 'v')));
}

TEST("lazy opening: damage is found later, and stops writes") {
  Folder folder;
  const std::string path = folder / "pool";
  Subject subject = MakeSubject(path);
  subject.At(subject.leaves[1])[40] ^= 1;
  WriteFile(path, subject.bytes);
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kCorrupt, Pool::Open(path, {}, &pool));
  Lazily lazily;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  std::vector<std::string> names;
  EXPECT_OK(pool->ListMaps(&names));
  EXPECT_CODE(kCorrupt, pool->Checkpoint());
  uint32_t map;
  EXPECT_OK(pool->OpenMap(names[0], &map));
  Batch batch;
  batch.Put(map, "key", "value");
  EXPECT_CODE(kCorrupt, batch.WriteTo(pool.get()));
  auto snapshot = Take(pool.get());
  auto cursor = snapshot->NewCursor(map);
  cursor->SeekFirst();
  EXPECT(cursor->Valid());
}

TEST("lazy opening: a pool is scrubbed, read, compacted and closed right after") {
  Lazily lazily;
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", Growing(), &pool));
  Fill(pool.get(), 3000);
  const Digest digest = Read(pool.get());
  auto open = [&] {
    EXPECT_OK(pool->Close());
    EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  };
  open();
  ScrubStep step;
  while (!step.done) EXPECT_OK(pool->Scrub(kMiB, &step));
  EXPECT(step.faults.empty());
  open();
  EXPECT(Read(pool.get()) == digest);
  open();
  bool done = false;
  while (!done) EXPECT_OK(pool->Compact(&done));
  EXPECT(Read(pool.get()) == digest);
  open();
  open();
  EXPECT_OK(pool->Checkpoint());
  open();
  EXPECT_OK(pool->DropMap("map"));
  open();
  EXPECT(Read(pool.get()) == 0);
}

}  // namespace
