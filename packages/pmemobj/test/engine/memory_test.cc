// Memory that is refused: each operation of a workload is tried with its first allocation failing,
// then its second, and so on until it has none left to fail. In between, all is as it was.
#include "engine/base/memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

#include "engine/check/checker.h"
#include "engine/salvage/salvage.h"
#include "model.h"

using namespace potoroo;

namespace {

std::atomic<bool> armed{false};
std::atomic<bool> lasting{false};  // all that follow fail, too
std::atomic<int64_t> left{0};      // allocations, up to the one that fails
std::atomic<uint64_t> refused{0};

void* Allocate(size_t size) noexcept {
  if (armed.load(std::memory_order_relaxed)) {
    const int64_t now = left.fetch_sub(1) - 1;
    if (now == 0 || (now < 0 && lasting)) {
      refused++;
      return nullptr;
    }
  }
  return malloc(size == 0 ? 1 : size);
}

void* AllocateOrThrow(size_t size) {
  void* memory = Allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return AllocateOrThrow(size); }
void* operator new[](size_t size) { return AllocateOrThrow(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* memory) noexcept { free(memory); }
void operator delete[](void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t) noexcept { free(memory); }
void operator delete[](void* memory, size_t) noexcept { free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { free(memory); }

namespace {

// Calls with the allocation number `at` failing. Whether any did.
template <typename Call>
bool Refusing(int64_t at, bool all, Call call) {
  refused = 0;
  lasting = all;
  left = at;
  armed = true;
  call();
  armed = false;
  return refused > 0;
}

struct World {
  enum class Medium { kLines, kStrict, kRelaxed, kEncrypted };

  explicit World(Medium medium) {
    setenv("PMEM_IS_PMEM_FORCE",
           medium == Medium::kStrict || medium == Medium::kRelaxed ? "0" : "1", 1);
    options.durability = medium == Medium::kRelaxed ? Durability::kRelaxed : Durability::kStrict;
    if (medium == Medium::kEncrypted) options.key = std::string(32, 'k');
    Try([&] { return Pool::Create(path, options, &pool); }, [] {});
    OpenMaps();
  }
  ~World() {
    snapshots.clear();
    pool.reset();
    setenv("PMEM_IS_PMEM_FORCE", "1", 1);
  }

  // Tries `call` until nothing fails; it has to succeed then, and else to do nothing.
  template <typename Call, typename Undone>
  void Try(Call call, Undone undone) {
    for (int64_t at = 1;; at += 1 + at / 24) {
      Status status;
      const bool any = Refusing(at, at % 3 == 0, [&] { status = call(); });
      if (any) failures++;
      if (status.ok()) break;
      EXPECT(any);
      EXPECT(status.code() == Code::kNoMemory);
      undone();
    }
  }
  template <typename Call>
  void Try(Call call) {
    Try(call, [this] { ExpectAllSame(); });
  }

  void OpenMaps() {
    for (uint32_t i = 0; i < models.size(); i++) {
      uint32_t map = 99;
      Try([&] { return pool->OpenMap("map " + std::string(1, static_cast<char>('0' + i)), &map); },
          [] {});
      EXPECT(map == i);
    }
  }

  void ExpectAllSame() {
    std::shared_ptr<Snapshot> snapshot = Take(pool.get());
    for (uint32_t i = 0; i < models.size(); i++) ExpectSame(*snapshot, i, models[i]);
  }

  void Write(const Batch& batch) {
    const std::vector<Operation> operations = batch.operations();
    Try([&] { return pool->Write(operations.data(), operations.size()); });
    batch.ApplyTo(&models);
    ExpectAllSame();
  }

  void Read(Chance* chance) {
    std::shared_ptr<Snapshot> snapshot;
    Try([&] { return pool->Take(&snapshot); });
    const uint32_t map = static_cast<uint32_t>(chance->Below(models.size()));
    std::unique_ptr<Cursor> cursor;
    Try([&] {
      cursor = snapshot->NewCursor(map);
      return cursor == nullptr ? engine::NoMemory() : cursor->status();
    });
    size_t rows = 0;
    Refusing(1, true, [&] {
      for (cursor->SeekFirst(); cursor->Valid(); cursor->Next()) rows++;
    });
    // Only what has to be decrypted takes memory.
    if (options.key.empty()) EXPECT_OK(cursor->status());
    EXPECT(cursor->status().ok() ? rows == models[map].size()
                                 : cursor->status().code() == Code::kNoMemory);
    Bytes value;
    if (!models[map].empty()) {
      const auto& first = *models[map].begin();
      Try([&] { return snapshot->Get(map, first.first, &value); });
      EXPECT(value == first.second);
    }
    if (snapshots.size() > 2) snapshots.erase(snapshots.begin());
    snapshots.push_back({snapshot, models});
  }

  void ExpectSnapshots() {
    for (const auto& kept : snapshots) {
      for (uint32_t i = 0; i < models.size(); i++) ExpectSame(*kept.first, i, kept.second[i]);
    }
  }

  void Compact() {
    Try([&] {
      bool done = false;
      Status status;
      while (status.ok() && !done) status = pool->Compact(&done);
      return status;
    });
  }

  // A pass, each of whose steps is tried again from where it began.
  void Scrub() {
    for (ScrubStep step; !step.done;) {
      const std::string map = step.map, key = step.key;
      Try([&] { return pool->Scrub(20000, &step); },
          [&] { EXPECT(step.map == map && step.key == key); });
      EXPECT(step.faults.empty());
    }
  }

  void Reopen() {
    ExpectSnapshots();
    snapshots.clear();
    uint64_t used = pool->Stats().used;
    // A failing allocation fails nothing here: opening does what it left.
    const int64_t at = 1 + failures % 7;
    Status closed;
    Refusing(at, failures % 2 == 0, [&] { closed = pool->Close(); });
    EXPECT_OK(closed);
    pool.reset();
    ExpectSound();
    Try([&] { return Pool::Open(path, options, &pool); }, [] {});
    EXPECT(pool->Stats().used <= used);
    OpenMaps();
    ExpectAllSame();
  }

  void ExpectSound() {
    CheckReport report;
    Try([&] { return Check(path, &report, options.key); }, [] {});
    for (const CheckProblem& problem : report.problems) {
      fprintf(stderr, "%s: %s\n", problem.kind.c_str(), problem.message.c_str());
    }
    EXPECT(report.sound());
  }

  Folder folder;
  const std::string path = folder / "pool";
  PoolOptions options{0, uint64_t{1} << 32};
  std::unique_ptr<Pool> pool;
  std::vector<Model> models{2};
  std::vector<std::pair<std::shared_ptr<Snapshot>, std::vector<Model>>> snapshots;
  uint64_t failures = 0;
};

Batch RandomBatch(Chance* chance, uint64_t spread) {
  Batch batch;
  const uint64_t die = chance->Below(10);
  const size_t count = die < 5 ? 1 : die < 9 ? 1 + chance->Below(20) : 100 + chance->Below(200);
  for (size_t i = 0; i < count; i++) {
    const uint32_t map = static_cast<uint32_t>(chance->Below(2));
    const uint64_t what = chance->Below(20);
    if (what < 12) {
      batch.Put(map, chance->Key(spread), chance->Value());
    } else if (what < 19 || count > 100) {
      batch.Delete(map, chance->Key(spread));
    } else {
      batch.DeleteRange(map, chance->Key(spread), chance->Below(4) == 0 ? "" : chance->Key(spread));
    }
  }
  return batch;
}

// A map of its own that comes and goes.
void OtherMap(World* world, Chance* chance) {
  uint32_t map;
  world->Try([&] { return world->pool->OpenMap("other", &map); });
  Batch batch;
  for (int i = 0; i < 60; i++) batch.Put(map, chance->Key(1000), std::string(200, 'x'));
  const std::vector<Operation> operations = batch.operations();
  world->Try([&] { return world->pool->Write(operations.data(), operations.size()); });
  world->Try([&] { return world->pool->DropMap("other"); });
  world->ExpectAllSame();
}

void Buffers(World* world) {
  Pool* pool = world->pool.get();
  uint32_t map;
  char* at = nullptr;
  size_t size = 0;
  EXPECT_OK(pool->OpenMap("buffers", &map));
  const Operation make{Operation::Kind::kPutBuffer, map, "buffer", std::string_view("0123456789")};
  world->Try([&] { return pool->Write(&make, 1); });
  std::shared_ptr<Snapshot> snapshot = Take(pool);
  world->Try([&] { return snapshot->GetBuffer(map, "buffer", &at, &size); });
  const Operation put{Operation::Kind::kPut, map, "beside", "it"};
  for (int round = 0; round < 2; round++) {
    world->Try([&] { return pool->SaveBuffer(at + 2, 3); });
    memcpy(at + 2, "abc", 3);
    world->Try([&] { return pool->SaveBuffer(at + 6, 2); });
    memcpy(at + 6, "de", 2);
    EXPECT(pool->SavedBuffers() == 2);
    world->Try([&] { return pool->RestoreBuffers(1); });
    EXPECT(Bytes(at, size) == "01abc56789");
    world->Try([&] { return pool->WriteSaved(&put, 1); });
    EXPECT(pool->SavedBuffers() == 0);
    memcpy(at, "0123456789", 10);
    world->Try([&] { return pool->FlushBuffer(at, 10); });
  }
  snapshot.reset();
  world->Try([&] { return pool->DropMap("buffers"); });
}

void Workload(World::Medium medium, uint64_t seed) {
  World world(medium);
  Chance chance(seed);
  EXPECT_OK(world.pool->Checkpoint());
  for (int round = 0; round < 64; round++) {
    world.Write(RandomBatch(&chance, 60));
    if (round % 3 == 0) world.Read(&chance);
    if (round % 8 == 3) OtherMap(&world, &chance);
    if (round % 8 == 5) world.Try([&] { return world.pool->Checkpoint(); });
    if (round % 16 == 7 && world.options.key.empty()) Buffers(&world);
    if (round % 16 == 9) world.Try([&] { return world.pool->Flush(); });
    if (round % 16 == 11) world.Compact();
    if (round % 16 == 15) world.Scrub();
    if (round % 16 == 13) world.Reopen();
  }
  EXPECT(world.failures > 500);
  world.Reopen();
  // Nothing is lost to refusals: what is in use is what opening finds.
  EXPECT_OK(world.pool->Checkpoint());
  const uint64_t used = world.pool->Stats().used;
  world.Reopen();
  EXPECT(world.pool->Stats().used == used && world.pool->Stats().snapshots == 0);
}

TEST("refused memory: each allocation of a workload fails once, on persistent memory") {
  for (uint64_t seed = 1; seed <= 2; seed++) Workload(World::Medium::kLines, seed);
}
TEST("refused memory: each allocation of a workload fails once, on a disk") {
  Workload(World::Medium::kStrict, 4);
}
TEST("refused memory: each allocation of a workload fails once, on a disk that is flushed later") {
  Workload(World::Medium::kRelaxed, 5);
}

TEST("refused memory: each allocation of a workload fails once, in an encrypted pool") {
  Workload(World::Medium::kEncrypted, 6);
}

// Space that refusals have parked or left is freed once there is memory again.
TEST("refused memory leaves no space taken") {
  World world(World::Medium::kLines);
  EXPECT_OK(world.pool->Checkpoint());
  Batch clear;
  for (uint32_t map = 0; map < 2; map++) clear.DeleteRange(map, "", "");
  const auto used = [&] {
    world.Write(clear);
    world.snapshots.clear();
    EXPECT_OK(world.pool->Checkpoint());
    EXPECT_OK(world.pool->Checkpoint());
    return world.pool->Stats().used;
  };
  const uint64_t before = used();
  for (uint64_t seed = 1; seed <= 3; seed++) {
    Chance chance(seed);
    for (int round = 0; round < 20; round++) {
      world.Write(RandomBatch(&chance, 60));
      world.Read(&chance);
      if (world.snapshots.size() < 2) continue;
      // Snapshots end in any order, and without memory for what they leave.
      Refusing(1, true, [&] { world.snapshots[round % 2].first.reset(); });
      world.snapshots.erase(world.snapshots.begin() + round % 2);
    }
    EXPECT(used() == before);
  }
}

TEST("refused memory: salvage ends in an error, and leaves the pool as it is") {
  World world(World::Medium::kLines);
  Chance chance(9);
  for (int round = 0; round < 4; round++) world.Write(RandomBatch(&chance, 60));
  world.pool.reset();
  const std::string to = world.folder / "salvaged";
  for (int64_t at = 1;; at += 1 + at / 6) {
    SalvageReport report;
    Status status;
    std::filesystem::remove_all(to);
    const bool any =
        Refusing(at, false, [&] { status = Salvage(world.path, to, world.options, &report); });
    if (status.ok()) break;
    EXPECT(any && status.code() == Code::kNoMemory);
  }
  world.ExpectSound();
  EXPECT_OK(Pool::Open(to, world.options, &world.pool));
  world.OpenMaps();
  world.ExpectAllSame();
}

}  // namespace
