// Extents hold values above 8 KiB, and space that goes back to libpmemobj.
#include "engine/check/checker.h"
#include "model.h"

using namespace potoroo;

namespace {

constexpr uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

Status Put(Pool* pool, uint32_t map, const std::string& key, uint64_t size) {
  std::string value(size, 'v');
  Operation put{Operation::Kind::kPut, map, key, value};
  return pool->Write(&put, 1);
}

void Clear(Pool* pool, uint32_t map) {
  Operation clear{Operation::Kind::kDeleteRange, map, "", ""};
  EXPECT_OK(pool->Write(&clear, 1));
}

// How many values of a size fit.
int Fill(Pool* pool, uint32_t map, uint64_t size) {
  int count = 0;
  for (;; count++) {
    Status status = Put(pool, map, std::to_string(count), size);
    if (status.ok()) continue;
    EXPECT(status.code() == Code::kNoSpace);
    return count;
  }
}

void ExpectSound(const std::string& path) {
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  for (const CheckProblem& problem : report.problems) {
    fprintf(stderr, "%s\n", problem.message.c_str());
  }
  EXPECT(report.sound());
}

TEST("space that small values have filled holds big ones again") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 64 * kMiB}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  const int big = Fill(pool.get(), map, 4 * kMiB);
  Clear(pool.get(), map);
  EXPECT(big > 10);
  for (uint64_t small : {uint64_t{1000}, 17 * kKiB, kMiB, 5 * kMiB / 2}) {
    EXPECT(static_cast<uint64_t>(Fill(pool.get(), map, small)) * small > 36 * kMiB);
    Clear(pool.get(), map);
    EXPECT_OK(pool->Checkpoint());
    EXPECT(pool->Stats().largest >= 4 * kMiB);
    // By then the log is a bigger one, and some blocks are kept for deleting.
    EXPECT(Fill(pool.get(), map, 4 * kMiB) >= big * 3 / 4);
    pool.reset();
    ExpectSound(folder / "pool");
    EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    Clear(pool.get(), map);
  }
}

TEST("a pool that is full of small values refuses a big one, and takes deletes") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 32 * kMiB}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  int count = Fill(pool.get(), map, 1000);
  for (int i = 0; i < 5; i++) EXPECT_CODE(kNoSpace, Put(pool.get(), map, "big", 4 * kMiB));
  for (int i = 0; i < count; i++) {
    std::string key = std::to_string(i);
    Operation remove{Operation::Kind::kDelete, map, key, ""};
    EXPECT_OK(pool->Write(&remove, 1));
  }
  EXPECT_OK(Put(pool.get(), map, "big", 4 * kMiB));
}

TEST("values of 8 to 128 KiB take less than 4 KiB more than their size") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 256 * kMiB}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  EXPECT_OK(pool->Checkpoint());
  for (uint64_t size = 8 * kKiB + 1; size < 128 * kKiB; size += 1500) {
    uint64_t before = pool->Stats().used;
    const uint64_t count = 20;
    for (uint64_t i = 0; i < count; i++) EXPECT_OK(Put(pool.get(), map, std::to_string(i), size));
    EXPECT_OK(pool->Checkpoint());
    uint64_t taken = pool->Stats().used - before;
    // And a few pages.
    EXPECT(taken < count * (size + 4 * kKiB) + 8 * kKiB);
    Clear(pool.get(), map);
    EXPECT_OK(pool->Checkpoint());
  }
  // In fact, and not only by the count of it.
  int count = Fill(pool.get(), map, 17 * kKiB);
  EXPECT(static_cast<uint64_t>(count) * 17 * kKiB > 256 * kMiB * 3 / 4);
}

TEST("values above 8 KiB come and go, and keep to their places") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 48 * kMiB}, &pool));
  Chance chance(17);
  Model model;
  for (int round = 0; round < 4; round++) {
    uint32_t map;
    EXPECT_OK(pool->OpenMap("map", &map));
    for (int i = 0; i < 1500; i++) {
      std::string key = std::to_string(chance.Below(400));
      uint64_t size = chance.Below(10) == 0 ? chance.Below(600 * kKiB) : chance.Below(80 * kKiB);
      std::string value(size, static_cast<char>('a' + i % 26));
      Operation operation{Operation::Kind::kPut, map, key, value};
      if (chance.Below(3) == 0) operation = {Operation::Kind::kDelete, map, key, {}};
      Status status = pool->Write(&operation, 1);
      EXPECT(status.ok() || status.code() == Code::kNoSpace);
      if (!status.ok()) continue;
      if (operation.kind == Operation::Kind::kPut) {
        model[key] = value;
      } else {
        model.erase(key);
      }
    }
    EXPECT_OK(pool->Checkpoint());
    ExpectSame(*Take(pool.get()), map, model);
    uint64_t used = pool->Stats().used, free = pool->Stats().free;
    pool.reset();
    ExpectSound(folder / "pool");
    EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
    // It waits until all trees are walked.
    EXPECT_OK(pool->Checkpoint());
    EXPECT(pool->Stats().used == used);
    EXPECT(pool->Stats().free + 64 * 16 * kKiB >= free);
    EXPECT_OK(pool->OpenMap("map", &map));
    ExpectSame(*Take(pool.get()), map, model);
  }
}

}  // namespace
