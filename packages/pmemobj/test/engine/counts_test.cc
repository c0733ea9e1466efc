// Counts of ranges, and cursors that skip: held against a std::map under random writes, and against
// what a checker counts.
#include <atomic>
#include <thread>

#include "engine/base/page.h"
#include "engine/check/checker.h"
#include "model.h"

using namespace potoroo;

namespace {

uint64_t CountOf(const Snapshot& snapshot, uint32_t map, const Bytes* from, const Bytes* to) {
  uint64_t count = 0;
  bool known = false;
  EXPECT_OK(snapshot.Count(map, from, to, &count, &known));
  EXPECT(known);
  return count;
}

// Keys that are there, that are not, and that are none.
std::string Bound(Chance* chance, const Model& model, uint64_t spread) {
  uint64_t die = chance->Below(10);
  if (die == 0) return {};
  if (die < 5 || model.empty()) return chance->Key(spread) + (die % 2 == 0 ? "0" : "");
  auto at = model.begin();
  std::advance(at, static_cast<ptrdiff_t>(chance->Below(model.size())));
  return at->first;
}

void ExpectCounts(Chance* chance, const Snapshot& snapshot, uint32_t map, const Model& model,
                  uint64_t spread) {
  EXPECT(CountOf(snapshot, map, nullptr, nullptr) == model.size());
  for (int i = 0; i < 12; i++) {
    std::string low = Bound(chance, model, spread), high = Bound(chance, model, spread);
    Bytes from = low, to = high;
    auto first = model.lower_bound(low), end = model.lower_bound(high);
    auto expected = static_cast<uint64_t>(low < high ? std::distance(first, end) : 0);
    EXPECT(CountOf(snapshot, map, &from, &to) == expected);
    expected = static_cast<uint64_t>(std::distance(first, model.end()));
    EXPECT(CountOf(snapshot, map, &from, nullptr) == expected);
    expected = static_cast<uint64_t>(std::distance(model.begin(), end));
    EXPECT(CountOf(snapshot, map, nullptr, &to) == expected);
  }
}

void ExpectSkips(Chance* chance, const Snapshot& snapshot, uint32_t map, const Model& model,
                 uint64_t spread) {
  auto cursor = snapshot.NewCursor(map);
  for (int i = 0; i < 8; i++) {
    std::string key = Bound(chance, model, spread);
    auto at = model.lower_bound(key);
    cursor->SeekAtLeast(key);
    // Some steps of one cursor, the last of which ends outside.
    while (cursor->Valid()) {
      EXPECT(cursor->key() == at->first && cursor->value() == at->second);
      bool forward = chance->Below(3) > 0;
      auto room = static_cast<uint64_t>(forward ? std::distance(at, model.end()) - 1
                                                : std::distance(model.begin(), at));
      uint64_t step = chance->Below(chance->Below(2) == 0 ? 20 : 2 * room + 2);
      EXPECT(cursor->Skip(step, forward));
      EXPECT_OK(cursor->status());
      EXPECT(cursor->Valid() == (step <= room));
      if (step <= room) std::advance(at, static_cast<ptrdiff_t>(forward ? step : -step));
      if (chance->Below(6) == 0) break;
      if (!cursor->Valid()) continue;
      // It goes on from there as any other.
      forward ? cursor->Next() : cursor->Prev();
      if (!forward && at == model.begin()) {
        EXPECT(!cursor->Valid());
        break;
      }
      forward ? ++at : --at;
      EXPECT(cursor->Valid() == (at != model.end()));
    }
  }
}

struct Kept {
  std::shared_ptr<Snapshot> snapshot;
  Model model;
};

void Fill(Chance* chance, uint64_t spread, Batch* batch) {
  uint64_t die = chance->Below(100), mood = chance->Below(3);
  size_t count = die < 60 ? 1 : die < 95 ? 1 + chance->Below(30) : 1 + chance->Below(2000);
  for (size_t i = 0; i < count; i++) {
    uint64_t what = chance->Below(200);
    if (what < (mood == 0 ? 60u : 150u)) {
      batch->Put(0, chance->Key(spread), std::string(chance->Below(100), 'v'));
    } else if (what < 198) {
      batch->Delete(0, chance->Key(spread));
    } else {
      std::string from = chance->Key(spread), to = chance->Below(20) == 0 ? "" : from + "5";
      batch->DeleteRange(0, from, to);
    }
  }
}

void ExpectSound(const std::string& path) {
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  for (const CheckProblem& problem : report.problems) {
    fprintf(stderr, "%s: %s\n", problem.kind.c_str(), problem.message.c_str());
  }
  EXPECT(report.sound());
}

// `snapshots`: how many are kept; without any, pages change in place.
void Run(uint64_t seed, uint64_t spread, int rounds, size_t snapshots) {
  Folder folder;
  Chance chance(seed);
  std::unique_ptr<Pool> pool;
  PoolOptions options;
  options.max_size = uint64_t{1} << 34;
  const std::string path = folder / "pool";
  EXPECT_OK(Pool::Create(path, options, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  EXPECT(map == 0);
  std::vector<Model> models(1);
  std::vector<Kept> kept;
  for (int round = 0; round < rounds; round++) {
    Batch batch;
    Fill(&chance, spread, &batch);
    EXPECT_OK(batch.WriteTo(pool.get()));
    batch.ApplyTo(&models);
    if (round % 8 == 0 || kept.size() < snapshots) {
      auto snapshot = Take(pool.get());
      ExpectCounts(&chance, *snapshot, map, models[0], spread);
      ExpectSkips(&chance, *snapshot, map, models[0], spread);
      if (kept.size() < snapshots) kept.push_back({snapshot, models[0]});
    }
    if (!kept.empty() && chance.Below(4) == 0) {
      size_t which = chance.Below(kept.size());
      ExpectCounts(&chance, *kept[which].snapshot, map, kept[which].model, spread);
      kept.erase(kept.begin() + static_cast<ptrdiff_t>(which));
    }
    if (chance.Below(60) == 0) {
      bool done = false;
      while (!done) EXPECT_OK(pool->Compact(&done));
      ExpectCounts(&chance, *Take(pool.get()), map, models[0], spread);
    }
    if (chance.Below(60) == 0) {
      kept.clear();
      pool.reset();
      ExpectSound(path);
      EXPECT_OK(Pool::Open(path, options, &pool));
      EXPECT_OK(pool->OpenMap("map", &map));
      ExpectCounts(&chance, *Take(pool.get()), map, models[0], spread);
    }
  }
  kept.clear();
  pool.reset();
  ExpectSound(path);
}

TEST("counts of ranges under random writes to few keys") {
  for (uint64_t seed = 1; seed <= 4; seed++) Run(seed, 100, 400, seed % 2 == 0 ? 4 : 0);
}
TEST("counts of ranges under random writes to many keys") {
  Run(11, 3000, 500, 0);
  Run(12, 3000, 500, 5);
  Run(13, 30000, 300, 2);
}

TEST("a map that is empty, or not there yet, has no entries, and a closed pool says so") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {}, &pool));
  uint32_t map, later;
  EXPECT_OK(pool->OpenMap("map", &map));
  auto snapshot = Take(pool.get());
  EXPECT_OK(pool->OpenMap("later", &later));
  EXPECT(CountOf(*snapshot, map, nullptr, nullptr) == 0);
  EXPECT(CountOf(*snapshot, later, nullptr, nullptr) == 0);
  auto cursor = snapshot->NewCursor(map);
  cursor->SeekFirst();
  EXPECT(cursor->Skip(3, true) && !cursor->Valid());
  EXPECT_OK(pool->Close());
  uint64_t count;
  bool known;
  EXPECT_CODE(kInvalid, snapshot->Count(map, nullptr, nullptr, &count, &known));
}

std::string Key(int number) { return std::to_string(1000000 + number); }

TEST("few readers count in snapshots while one writes") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  PoolOptions options;
  options.max_size = uint64_t{1} << 32;
  EXPECT_OK(Pool::Create(folder / "pool", options, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  // Each commit puts ten keys and deletes five of them, and says how many there are then.
  std::atomic<bool> done{false};
  auto read = [&] {
    while (!done) {
      auto snapshot = Take(pool.get());
      Bytes said, low = "1", high = "2";
      if (snapshot->Get(map, "count", &said).code() == Code::kNotFound) continue;
      EXPECT(CountOf(*snapshot, map, &low, &high) == std::stoull(std::string(said)));
      auto cursor = snapshot->NewCursor(map);
      cursor->SeekFirst();
      EXPECT(cursor->Skip(std::stoull(std::string(said)), true));
      EXPECT(cursor->Valid() && cursor->key() == "count");
    }
  };
  std::thread first(read), second(read);
  for (int round = 0; round < 600; round++) {
    Batch batch;
    for (int i = 0; i < 10; i++) batch.Put(map, Key(round * 7919 % 600 * 10 + i), "value");
    for (int i = 0; i < 10; i += 2) batch.Delete(map, Key(round * 7919 % 600 * 10 + i));
    batch.Put(map, "count", std::to_string(5 * (round + 1)));
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  done = true;
  first.join();
  second.join();
}

TEST("what an engine that does not count has written is not known until it is written again") {
  Folder folder;
  const std::string path = folder / "pool";
  EXPECT(system(("gzip -dc " FIXTURES "/version-2-closed.pool.gz > '" + path + "'").c_str()) == 0);
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("animals", &map));
  uint64_t count = 1;
  bool known = true;
  auto snapshot = Take(pool.get());
  EXPECT_OK(snapshot->Count(map, nullptr, nullptr, &count, &known));
  EXPECT(!known && count == 0);
  auto cursor = snapshot->NewCursor(map);
  cursor->SeekFirst();
  const std::string first(cursor->key());
  EXPECT(!cursor->Skip(1800, true));
  EXPECT_OK(cursor->status());
  EXPECT(cursor->Valid() && cursor->key() == first);
  std::vector<std::string> keys;
  for (; cursor->Valid(); cursor->Next()) keys.emplace_back(cursor->key());
  cursor.reset();
  snapshot.reset();
  for (const std::string& key : keys) {
    Batch batch;
    batch.Put(map, key, "again");
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  EXPECT(CountOf(*Take(pool.get()), map, nullptr, nullptr) == keys.size());
  pool.reset();
  ExpectSound(path);
}

TEST("a count that is of another state of the page does not count") {
  engine::PageHeader header{};
  header.level = 1;
  header.epoch = 0x123456789;
  engine::SetEntries(&header, 1000);
  EXPECT(engine::EntriesOf(header) == 1000);
  // As an engine does that copies the page, and knows of no counts.
  header.epoch++;
  EXPECT(engine::EntriesOf(header) == engine::kNotKnown);
}

}  // namespace
