// The checker on pools as a crash leaves them: with records in the log.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

#include "engine/base/checksum.h"
#include "engine/check/checker.h"
#include "engine/check/heap_check.h"
#include "engine/log/log.h"
#include "engine/space/space.h"
#include "engine/space/superblock.h"
#include "model.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

constexpr int kRecords = 10;

// Its bytes, and where the slot that counts and the records lie.
struct Crashed {
  std::string bytes;
  uint64_t slot = 0;
  std::vector<uint64_t> records;
  uint64_t epoch = 0;

  RootSlot* Slot() { return reinterpret_cast<RootSlot*>(&bytes[slot]); }
  LogRecord* Record(size_t i) { return reinterpret_cast<LogRecord*>(&bytes[records[i]]); }
  LogOperation* Operation(size_t i) { return reinterpret_cast<LogOperation*>(Record(i) + 1); }
  void SealSlot() { Slot()->checksum = Checksum(Slot(), offsetof(RootSlot, checksum)); }
  void Seal(size_t i) {
    Record(i)->checksum = Checksum(&bytes[records[i]] + 4, Record(i)->size - 4);
  }
};

std::string ReadFile(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void FindRecords(const std::string& path, Crashed* crashed) {
  PoolReader reader;
  EXPECT_OK(reader.Open(path, false, PoolReader::For::kReading));
  HeapCheck heap(
      reader, [](uint64_t, const std::string& what) { EXPECT(what.empty()); },
      [](const HeapObject&) {});
  heap.Run();
  const RootView view = ViewOf(crashed->bytes.data(), heap.root());
  crashed->slot = view.places[view.latest.number % 2];
  uint64_t at = crashed->Slot()->log + crashed->Slot()->segment * crashed->Slot()->segment_size;
  for (int i = 0; i < kRecords; i++) {
    crashed->records.push_back(at);
    at = (at + crashed->Record(static_cast<size_t>(i))->size + 63) / 64 * 64;
  }
}

// A map with 100 entries at the last checkpoint, and 10 records with two puts each after it.
Crashed MakeCrashed(const Folder& folder) {
  std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Batch first;
  for (int i = 0; i < 100; i++) first.Put(map, "old " + std::to_string(i), "value");
  EXPECT_OK(first.WriteTo(pool.get()));
  EXPECT_OK(pool->Checkpoint());
  for (int i = 0; i < kRecords; i++) {
    Batch batch;
    batch.Put(map, "new " + std::to_string(i), std::string(100, 'n'));
    batch.Put(map, "old " + std::to_string(i), "changed");
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  Crashed crashed;
  crashed.bytes = ReadFile(path);
  crashed.epoch = pool->Stats().epoch;
  pool.reset();
  WriteFile(path, crashed.bytes);
  FindRecords(path, &crashed);
  return crashed;
}

CheckReport CheckBytes(const Folder& folder, const std::string& bytes) {
  WriteFile(folder / "copy", bytes);
  CheckReport report;
  EXPECT_OK(Check(folder / "copy", &report));
  return report;
}

TEST("check: the log of a pool that was not closed") {
  Folder folder;
  Crashed crashed = MakeCrashed(folder);
  CheckReport report = CheckBytes(folder, crashed.bytes);
  EXPECT(report.sound());
  EXPECT(report.epoch == crashed.epoch);
  // An operation says which map the others are on.
  EXPECT(report.log_records == kRecords && report.log_operations == 3 * kRecords);
  EXPECT(report.log_bytes > kRecords * 100 && report.maps[0].entries == 100);
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(folder / "copy", {}, &pool));
  Batch batch;
  batch.Put(0, "last", "value");
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  EXPECT_OK(batch.WriteTo(pool.get()));
  pool.reset();
  EXPECT_OK(Check(folder / "copy", &report));
  EXPECT(report.sound() && report.log_records == 0 && report.maps[0].entries == 111);
}

// Nothing can tell the last record from one that was torn by a crash, and never acknowledged.
TEST("check: the end of the log is where its records end") {
  Folder folder;
  Crashed crashed = MakeCrashed(folder);
  crashed.bytes[crashed.records.back() + 40] ^= 1;
  CheckReport report = CheckBytes(folder, crashed.bytes);
  EXPECT(report.sound() && report.log_records == kRecords - 1);
}

TEST("check tells: logs that are damaged, and open does not take them") {
  Folder folder;
  Crashed original = MakeCrashed(folder);
  auto edit = [](void (*change)(Crashed*)) { return std::function<void(Crashed*)>(change); };
  const std::vector<std::pair<const char*, std::function<void(Crashed*)>>> plants{
      {"later ones follow", edit([](Crashed* c) { c->bytes[c->records[0] + 50] ^= 1; })},
      {"later ones follow", edit([](Crashed* c) { c->Record(5)->epoch ^= 1; })},
      {"later ones follow", edit([](Crashed* c) { memset(c->Record(4), 0, 64); })},
      {"operations", edit([](Crashed* c) {
         c->Operation(3)->kind = static_cast<LogKind>(9);
         c->Seal(3);
       })},
      {"operations", edit([](Crashed* c) {
         c->Operation(3)->key_size = 60000;
         c->Seal(3);
       })},
      {"operations", edit([](Crashed* c) {
         reinterpret_cast<char*>(c->Operation(3) + 1)[0] = 'x';  // another map
         c->Seal(3);
       })},
      {"no place", edit([](Crashed* c) {
         c->Slot()->log += 1024;
         c->SealSlot();
       })},
      {"no place", edit([](Crashed* c) {
         c->Slot()->log = uint64_t{1} << 50;
         c->SealSlot();
       })},
      {"no place", edit([](Crashed* c) {
         c->Slot()->segment_size += 1;
         c->SealSlot();
       })},
      {"no place", edit([](Crashed* c) {
         c->Slot()->segment_size = 1024;  // less than a record may have
         c->SealSlot();
       })},
      {"no place", edit([](Crashed* c) {
         c->Slot()->log = c->Slot()->segment_size = 0;
         c->SealSlot();
       })},
  };
  for (const auto& plant : plants) {
    Crashed copy = original;
    plant.second(&copy);
    CheckReport report = CheckBytes(folder, copy.bytes);
    bool told =
        std::any_of(report.problems.begin(), report.problems.end(), [&](const CheckProblem& p) {
          return p.kind == "log" && p.message.find(plant.first) != std::string::npos;
        });
    if (!told) fprintf(stderr, "not told: %s\n", plant.first);
    EXPECT(told);
    std::unique_ptr<Pool> pool;
    EXPECT_CODE(kCorrupt, Pool::Open(folder / "copy", {}, &pool));
  }
}

}  // namespace
