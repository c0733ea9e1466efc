// The checker on pools that are sound, and on what is none.
#include "engine/check/checker.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <tuple>

#include "engine/check/heap_check.h"
#include "engine/medium/medium.h"
#include "engine/medium/pool_files.h"
#include "engine/medium/pool_set.h"
#include "model.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

CheckReport CheckSound(const std::string& path) {
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  for (const CheckProblem& problem : report.problems) {
    fprintf(stderr, "%s at %llu: %s\n", problem.kind.c_str(),
            static_cast<unsigned long long>(problem.offset), problem.message.c_str());
  }
  EXPECT(report.sound());
  return report;
}

void ExpectCounts(const CheckReport& report, const std::vector<Model>& models) {
  EXPECT(report.maps.size() == models.size());
  uint64_t pages = 0, blobs = 0;
  for (size_t i = 0; i < models.size(); i++) {
    const CheckMap& map = report.maps[i];
    EXPECT(map.name == std::to_string(i));
    EXPECT(map.entries == models[i].size());
    uint64_t keys = 0, values = 0;
    for (const auto& entry : models[i]) {
      keys += entry.first.size();
      values += entry.second.size();
    }
    EXPECT(map.key_bytes == keys && map.value_bytes == values);
    EXPECT((map.pages == 0) == models[i].empty() && (map.depth == 0) == models[i].empty());
    pages += map.pages;
    blobs += map.blobs;
  }
  EXPECT(report.pages > pages && report.blobs == blobs);
}

void RandomWrites(Pool* pool, uint64_t seed, std::vector<Model>* models) {
  Chance chance(seed);
  uint32_t map;
  for (size_t i = 0; i < models->size(); i++) EXPECT_OK(pool->OpenMap(std::to_string(i), &map));
  for (int round = 0; round < 150; round++) {
    Batch batch;
    for (uint64_t i = chance.Below(60); i < 60; i++) {
      map = static_cast<uint32_t>(chance.Below(models->size() - 1));  // the last one stays empty
      if (chance.Below(3) == 0) {
        batch.Delete(map, chance.Key(2000));
      } else {
        batch.Put(map, chance.Key(2000), chance.Value());
      }
    }
    if (round == 70) batch.Put(0, "huge", std::string(5000000, 'h'));
    EXPECT_OK(batch.WriteTo(pool));
    batch.ApplyTo(models);
  }
}

// State that may not change: names, contents and times of the files.
std::map<std::string, std::tuple<int64_t, int64_t, int64_t, int64_t>> StateOf(
    const std::string& path, bool folder) {
  std::map<std::string, std::tuple<int64_t, int64_t, int64_t, int64_t>> state;
  std::vector<std::string> names{path};
  if (folder) {
    EXPECT_OK(ListParts(path, &names));
    names.push_back(SetPath(path));
    names.push_back(path);
  }
  for (const std::string& name : names) {
    struct stat info;
    EXPECT(stat(name.c_str(), &info) == 0);
    state[name] = {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_nsec, info.st_size};
  }
  return state;
}

void CheckRandomPool(bool folder) {
  Folder base;
  std::string path = base / "pool";
  std::unique_ptr<Pool> pool;
  std::vector<Model> models(4);
  PoolOptions options{uint64_t{48} << 20, folder ? uint64_t{1} << 30 : 0};
  EXPECT_OK(Pool::Create(path, options, &pool));
  RandomWrites(pool.get(), 3, &models);
  EXPECT_OK(pool->Checkpoint());
  PoolStats stats = pool->Stats();
  pool.reset();
  auto before = StateOf(path, folder);
  CheckReport report = CheckSound(path);
  EXPECT(StateOf(path, folder) == before);
  ExpectCounts(report, models);
  EXPECT(report.used == stats.used);
  EXPECT(report.size == stats.size && report.max_size == stats.max_size);
  EXPECT(report.leaked == 0 && report.free > 0 && report.free + report.used < report.size);
  EXPECT(report.layout_version > 0 && report.epoch > 150);
}

TEST("check: a sound file, counted") { CheckRandomPool(false); }
TEST("check: a sound folder, counted") { CheckRandomPool(true); }

TEST("check: a pool that is new, and one that is empty again") {
  Folder folder;
  std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {}, &pool));
  pool.reset();
  EXPECT(CheckSound(path).maps.empty());
  EXPECT_OK(Pool::Open(path, {}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("a", &map));
  Batch batch;
  for (int i = 0; i < 500; i++) batch.Put(map, std::to_string(i), std::string(100, 'x'));
  EXPECT_OK(batch.WriteTo(pool.get()));
  EXPECT_OK(pool->DropMap("a"));
  pool.reset();
  CheckReport report = CheckSound(path);
  EXPECT(report.maps.empty() && report.used == 0 && report.pages == 0);
}

TEST("check: the objects of libpmemobj's heap are those that it finds itself") {
  Folder folder;
  std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {uint64_t{48} << 20, 0}, &pool));
  std::vector<Model> models(2);
  RandomWrites(pool.get(), 8, &models);
  pool.reset();
  std::unique_ptr<Medium> medium;
  EXPECT_OK(Medium::Open(path, 0, &medium));
  // Objects in runs, some of several blocks.
  for (uint64_t i = 0; i < 300; i++) {
    auto fill = [](Medium*, char* address, size_t size, const void*) { memset(address, 1, size); };
    EXPECT(medium->Allocate(ObjectType::kBlob, 1 + i * i % 9000, fill, nullptr) != 0);
  }
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> theirs, ours;
  medium->EachObject([&](ObjectType type, uint64_t offset, uint64_t size) {
    theirs[offset] = {static_cast<uint64_t>(type), size};
  });
  medium.reset();
  PoolReader reader;
  EXPECT_OK(reader.Open(path, false, PoolReader::For::kReading));
  HeapCheck heap(
      reader, [](uint64_t, const std::string& what) { EXPECT(what.empty()); },
      [&](const HeapObject& object) {
        if (!object.internal) ours[object.offset] = {object.type, object.size};
      });
  heap.Run();
  EXPECT(theirs.size() > 300 && ours == theirs);
}

TEST("check: an object that nothing refers to is leaked, and opening frees it") {
  Folder folder;
  std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {uint64_t{32} << 20, 0}, &pool));
  pool.reset();
  std::unique_ptr<Medium> medium;
  EXPECT_OK(Medium::Open(path, 0, &medium));
  auto fill = [](Medium*, char* address, size_t size, const void*) { memset(address, 1, size); };
  EXPECT(medium->Allocate(ObjectType::kBlob, 4000000, fill, nullptr) != 0);
  medium.reset();
  CheckReport report = CheckSound(path);
  EXPECT(report.leaked >= 4000000 && report.used < 4000000);
  EXPECT_OK(Pool::Open(path, {}, &pool));
  pool.reset();
  EXPECT(CheckSound(path).leaked == 0);
}

TEST("check: what is no pool, or cannot be checked") {
  Folder folder;
  CheckReport report;
  EXPECT_CODE(kNotFound, Check(folder / "none", &report));
  EXPECT_CODE(kNotAPool, Check(folder / ".", &report));
  EXPECT_CODE(kNotAPool, Check("/dev/null", &report));
  std::string fifo = folder / "fifo", text = folder / "text", path = folder / "pool";
  EXPECT(mkfifo(fifo.c_str(), 0600) == 0);
  EXPECT_CODE(kNotAPool, Check(fifo, &report));
  EXPECT_OK(WriteText(text, "dear"));
  EXPECT_CODE(kNotAPool, Check(text, &report));
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {}, &pool));
  EXPECT_OK(Check(path, &report));
  EXPECT(report.sound() && report.notes.size() == 1 && report.notes[0].kind == "heap");
  pool.reset();
  CheckSound(path);
  PoolReader other;
  EXPECT_OK(other.Open(path, false, PoolReader::For::kReading));
  CheckSound(path);
  EXPECT_CODE(kInUse, Pool::Open(path, {}, &pool));
}

TEST("check: a part, or the set of a folder, that is a FIFO does not make it wait") {
  Folder folder;
  std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {0, uint64_t{1} << 30}, &pool));
  pool.reset();
  CheckReport report;
  std::string part = path + "/000001.pmem", set = path + "/pool.set";
  EXPECT(mkfifo(part.c_str(), 0600) == 0);
  EXPECT_CODE(kNotAPool, Check(path, &report));
  EXPECT_CODE(kNotAPool, Pool::Open(path, {}, &pool));
  EXPECT(unlink(part.c_str()) == 0 && unlink(set.c_str()) == 0);
  EXPECT(mkfifo(set.c_str(), 0600) == 0);
  EXPECT_CODE(kNotAPool, Check(path, &report));
  EXPECT_CODE(kNotAPool, Pool::Open(path, {}, &pool));
}

}  // namespace
