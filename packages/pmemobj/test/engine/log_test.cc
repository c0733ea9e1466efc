// What goes through the log, and what is too long for it.
#include "checker.h"
#include "model.h"

using namespace potoroo;

namespace {

TEST("a batch that goes from map to map and back is never longer than a log") {
  constexpr int kOperations = 24000;
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, 256 << 20}, &pool));
  uint32_t maps[2];
  Model models[2];
  for (int i = 0; i < 2; i++) {
    EXPECT_OK(pool->OpenMap(std::string(255, static_cast<char>('a' + i)), &maps[i]));
  }
  Batch batch;
  for (int i = 0; i < kOperations; i++) {
    std::string key = std::to_string(i % 100);
    models[i % 2][key] = "";
    batch.Put(maps[i % 2], key, "");
  }
  for (int round = 0; round < 3; round++) EXPECT_OK(batch.WriteTo(pool.get()));
  for (int i = 0; i < 2; i++) ExpectSame(*Take(pool.get()), maps[i], models[i]);
  pool.reset();
  CheckReport report;
  EXPECT_OK(Check(folder / "pool", &report));
  EXPECT(report.sound());
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  for (int i = 0; i < 2; i++) {
    EXPECT_OK(pool->OpenMap(std::string(255, static_cast<char>('a' + i)), &maps[i]));
    ExpectSame(*Take(pool.get()), maps[i], models[i]);
  }
}

}  // namespace
