// Salvage of pools with two maps of the same keys, and with several parts.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>

#include "check.h"
#include "engine/base/page.h"
#include "engine/log/undo.h"
#include "engine/salvage/salvage_roots.h"
#include "salvage_subject.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

// Fills two maps of a pool in a folder, in parts of 8 MiB; returns their contents.
std::map<std::string, Model> FillFolder(const std::string& path) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {0, uint64_t{256} << 20}, &pool));
  uint32_t maps[2];
  EXPECT_OK(pool->OpenMap("first", &maps[0]));
  EXPECT_OK(pool->OpenMap("second", &maps[1]));
  for (int i = 0; i < 40; i++) {
    Batch batch;
    for (int j = 0; j < 250; j++) {
      std::string key = std::to_string(100000 + i * 250 + j);
      batch.Put(maps[0], key, "first " + std::string(static_cast<size_t>(i * j) % 3000, 'f'));
      batch.Put(maps[1], key, "second " + key);
    }
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  return ReadMaps(pool.get());
}

// Offsets of all pages that verify.
std::vector<uint64_t> SoundPages(const std::string& bytes) {
  std::vector<uint64_t> pages;
  for (uint64_t at = 0; at < bytes.size(); at += kPageSize) {
    if (VerifyPage(&bytes[at], static_cast<uint32_t>(at / kPageSize))) pages.push_back(at);
  }
  return pages;
}

std::vector<uint64_t> SlotPlaces(const std::string& bytes, const std::string& path) {
  WriteFile(path, bytes);
  PoolReader reader;
  EXPECT_OK(reader.Open(path, false, PoolReader::For::kSalvage));
  uint64_t place = FindRoots(reader).offset;
  return {RootSlotAt(place, 0), RootSlotAt(place, 1)};
}

// Every entry that is there was put there by its map.
void ExpectPart(const std::map<std::string, Model>& part, const std::map<std::string, Model>& all) {
  for (const auto& [name, model] : all) {
    auto found = part.find(name);
    if (found == part.end()) continue;
    for (const auto& [key, value] : found->second) {
      EXPECT(model.count(key) > 0 && model.at(key) == value);
    }
  }
}

TEST("salvage: parts that have each other's names, or are missing, or end early") {
  Folder folder;
  auto all = FillFolder(folder / "pool");
  auto part = [&](int i) { return folder / ("pool/00000" + std::to_string(i) + ".pmem"); };
  auto run = [](const std::string& command) { EXPECT(system(command.c_str()) == 0); };
  run("cd " + folder / "pool" + "; mv 000001.pmem x; mv 000000.pmem 000001.pmem; mv x 000000.pmem");
  Salvaged swapped = SalvageFile(folder / "pool");
  EXPECT(!swapped.report.lost && swapped.maps == all);
  run("truncate -s 3000000 " + part(1));
  Salvaged cut = SalvageFile(folder / "pool");
  EXPECT(cut.report.lost);
  ExpectPart(cut.maps, all);
  EXPECT(!cut.maps.empty());
  run("rm " + part(2));
  Salvaged missing = SalvageFile(folder / "pool");
  EXPECT(missing.report.lost);
  ExpectPart(missing.maps, all);
  run("rm " + part(1));
  missing = SalvageFile(folder / "pool");
  EXPECT(missing.report.lost && !missing.maps.empty());
}

// A pool with three checkpoints, records behind the last one, and ranges of a buffer that are saved
// and changed, as a crash leaves it. `all` gets what it holds.
std::string MakeCrashed(const std::string& path, std::map<std::string, Model>* all) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {uint64_t{16} << 20, 0}, &pool));
  uint32_t maps[2];
  EXPECT_OK(pool->OpenMap("first", &maps[0]));
  EXPECT_OK(pool->OpenMap("second", &maps[1]));
  Batch buffer;
  buffer.PutBuffer(maps[0], "buffer", std::string(1000, 'b'));
  EXPECT_OK(buffer.WriteTo(pool.get()));
  for (int i = 0; i < 40; i++) {
    Batch batch;
    for (int j = 0; j < 60; j++) {
      std::string key = std::to_string(1000 + (i * 60 + j) * 7919 % 3000);
      std::string tail(static_cast<size_t>(j), 'f');
      batch.Put(maps[0], key, "first " + std::to_string(i) + tail);
      batch.Put(maps[1], key, "second " + std::to_string(i));
    }
    batch.DeleteRange(maps[1], "1100", "1110");
    EXPECT_OK(batch.WriteTo(pool.get()));
    if (i % 13 == 12) EXPECT_OK(pool->Checkpoint());
  }
  // A checkpoint comes before the first range is saved.
  char* at;
  size_t size;
  EXPECT_OK(Take(pool.get())->GetBuffer(maps[0], "buffer", &at, &size));
  EXPECT_OK(pool->SaveBuffer(at + 100, 300));
  for (uint32_t map : maps) {
    Batch batch;
    batch.Put(map, "logged", map == maps[0] ? "first" : "second");
    batch.DeleteRange(map, "1400", "1420");
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  *all = ReadMaps(pool.get());
  all->erase(std::string(kUndoMap));
  memset(at + 100, 'n', 300);
  return ReadFile(path);
}

TEST("salvage: the log that a crash left, and what buffers held before") {
  Folder folder;
  std::map<std::string, Model> all;
  Salvaged saved = SalvageBytes(MakeCrashed(folder / "pool", &all));
  EXPECT(!saved.report.lost && saved.report.log_records > 0 && saved.maps == all);
}

TEST("salvage: where the latest root slot is torn, the one before and its log hold all") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {uint64_t{16} << 20, 0}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  for (int i = 0; i < 30; i++) {
    Batch batch;
    for (int j = 0; j < 50; j++) {
      batch.Put(map, std::to_string(j * 7919 % 400), std::string(static_cast<size_t>(i * j), 'v'));
    }
    EXPECT_OK(batch.WriteTo(pool.get()));
    if (i % 10 == 9) EXPECT_OK(pool->Checkpoint());
  }
  auto all = ReadMaps(pool.get());
  std::string bytes = ReadFile(folder / "pool");
  for (uint64_t place : SlotPlaces(bytes, folder / "copy")) {
    std::string damaged = bytes;
    damaged[place + 9] ^= 1;
    Salvaged saved = SalvageBytes(damaged);
    EXPECT(!saved.report.lost && saved.maps == all);
  }
}

// Most pages of both maps have several versions by now, with the same keys.
TEST("salvage: no entry of one map comes out of another, whatever pages are lost") {
  Folder folder;
  std::map<std::string, Model> all;
  std::string bytes = MakeCrashed(folder / "pool", &all);
  std::vector<uint64_t> pages = SoundPages(bytes);
  EXPECT(pages.size() > 40);
  std::mt19937_64 random(5);
  for (int round = 0; round < 12; round++) {
    std::string damaged = bytes;
    for (int i = 0; i < 1 + round; i++) damaged[pages[random() % pages.size()] + 40] ^= 1;
    Salvaged saved = SalvageBytes(damaged);
    size_t brought = 0;
    for (const auto& [name, model] : saved.maps) brought += model.size();
    EXPECT(brought > 4000);
    for (const char* name : {"first", "second"}) {
      for (const auto& [key, value] : saved.maps[name]) {
        EXPECT(value.compare(0, strlen(name), name) == 0 || key == "buffer");
      }
    }
  }
}

}  // namespace
