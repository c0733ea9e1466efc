// Random operations, held against std::map.
#include "hostile.h"

using namespace potoroo;

namespace {

struct World {
  std::unique_ptr<Pool> pool;
  std::vector<Model> models{3};
  struct Kept {
    std::shared_ptr<Snapshot> snapshot;
    std::vector<Model> models;
  };
  std::vector<Kept> kept;

  void OpenMaps() {
    for (uint32_t i = 0; i < models.size(); i++) {
      uint32_t map;
      EXPECT_OK(pool->OpenMap("map " + std::to_string(i), &map));
      EXPECT(map == i);
    }
  }
  void ExpectAllSame() {
    auto snapshot = Take(pool.get());
    for (uint32_t i = 0; i < models.size(); i++) ExpectSame(*snapshot, i, models[i]);
  }
};

void RandomBatch(Chance* chance, uint64_t spread, Batch* batch) {
  uint64_t die = chance->Below(100);
  size_t count = die < 50 ? 1 : die < 95 ? 1 + chance->Below(30) : 1 + chance->Below(1000);
  uint64_t mood = chance->Below(3);
  for (size_t i = 0; i < count; i++) {
    uint32_t map = static_cast<uint32_t>(chance->Below(3));
    uint64_t what = chance->Below(100);
    if (what < (mood == 0 ? 30u : 75u)) {
      batch->Put(map, chance->Key(spread), chance->Value());
    } else if (what < 98 || chance->Below(4) > 0) {
      batch->Delete(map, chance->Key(spread));
    } else {
      std::string from = chance->Key(spread), to = chance->Key(spread);
      if (chance->Below(30) == 0) to.clear();
      if (chance->Below(3) > 0) to = from + "5";
      batch->DeleteRange(map, from, to);
    }
  }
}

void ExpectSeeks(Chance* chance, const Snapshot& snapshot, uint32_t map, const Model& model,
                 uint64_t spread) {
  auto cursor = snapshot.NewCursor(map);
  for (int i = 0; i < 20; i++) {
    std::string key = chance->Key(spread);
    if (chance->Below(2) == 0) key += "0";
    cursor->SeekAtLeast(key);
    auto at = model.lower_bound(key);
    EXPECT(cursor->Valid() == (at != model.end()));
    if (at != model.end()) EXPECT(cursor->key() == at->first && cursor->value() == at->second);
    at = model.upper_bound(key);
    cursor->SeekAtMost(key);
    EXPECT(cursor->Valid() == (at != model.begin()));
    if (at != model.begin()) EXPECT(cursor->key() == std::prev(at)->first);
  }
}

void Run(uint64_t seed, uint64_t spread, int rounds, bool hostile = false,
         const std::string& key = {}, uint64_t decrypted = 0) {
  Folder folder;
  Chance chance(seed);
  World world;
  if (hostile) {
    chance.SetBytes(Hostile([&] { return world.pool->epoch(); }).Maker());
  }
  std::string path = folder / "pool";
  PoolOptions options;
  options.max_size = uint64_t{1} << 34;
  options.key = key;
  options.decrypted = decrypted;
  EXPECT_OK(Pool::Create(path, options, &world.pool));
  world.OpenMaps();
  for (int round = 0; round < rounds; round++) {
    Batch batch;
    RandomBatch(&chance, spread, &batch);
    EXPECT_OK(batch.WriteTo(world.pool.get()));
    batch.ApplyTo(&world.models);
    if (round % 64 == 0) world.ExpectAllSame();
    if (round % 16 == 0) {
      auto snapshot = Take(world.pool.get());
      ExpectSeeks(&chance, *snapshot, 1, world.models[1], spread);
      if (chance.Below(3) == 0) world.kept.push_back({snapshot, world.models});
    }
    if (world.kept.size() > (decrypted == 0 ? 4 : 0) ||
        (!world.kept.empty() && chance.Below(40) == 0)) {
      size_t which = chance.Below(world.kept.size());
      for (uint32_t i = 0; i < 3; i++) {
        ExpectSame(*world.kept[which].snapshot, i, world.kept[which].models[i]);
      }
      world.kept.erase(world.kept.begin() + static_cast<ptrdiff_t>(which));
    }
    if (chance.Below(100) == 0) {
      world.kept.clear();
      uint64_t used = world.pool->Stats().used;
      world.pool.reset();
      EXPECT_OK(Pool::Open(path, options, &world.pool));
      // The space found by walking the trees is the space that was kept count of.
      EXPECT(world.pool->Stats().used <= used);
      world.OpenMaps();
      world.ExpectAllSame();
    }
  }
  world.ExpectAllSame();
}

TEST("random operations on few keys") {
  for (uint64_t seed = 1; seed <= 6; seed++) Run(seed, 60, 400);
}
TEST("random operations on hundreds of keys") {
  for (uint64_t seed = 11; seed <= 13; seed++) Run(seed, 1000, 600);
}
TEST("random operations on few keys, with hostile keys and values") {
  for (uint64_t seed = 31; seed <= 33; seed++) Run(seed, 60, 400, true);
}
TEST("random operations on many keys") { Run(21, 30000, 1000); }
TEST("random operations on an encrypted pool") {
  const std::string key(kKeySize, 'k');
  for (uint64_t seed = 41; seed <= 43; seed++) Run(seed, 60, 400, seed == 43, key);
  Run(44, 10000, 400, false, key);
}
TEST("random operations on an encrypted pool that forgets what it has decrypted") {
  const std::string key(kKeySize, 'k');
  for (uint64_t seed = 51; seed <= 53; seed++) Run(seed, 60, 400, seed == 53, key, 1);
  Run(54, 10000, 400, false, key, 1);
}

}  // namespace
