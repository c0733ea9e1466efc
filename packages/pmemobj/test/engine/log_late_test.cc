// A thread that is late in writing records, off persistent memory: they are durable by a checkpoint
// by then, and what was the log's place may be others', or gone.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "engine/base/fault.h"
#include "engine/check/checker.h"
#include "media.h"
#include "model.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

thread_local bool is_late = false;
std::atomic<bool> stalled{false}, may_go{false}, moved{false};

void StallIfLate() {
  if (!is_late) return;
  is_late = false;
  stalled = true;
  while (!may_go) std::this_thread::yield();
}

std::string ValueOf(int i) { return std::string(3000, static_cast<char>('a' + i % 26)); }

void PutUnsynced(Pool* pool, uint32_t map, int i, const std::string& value) {
  const std::string key = "key" + std::to_string(i);
  Operation put{Operation::Kind::kPut, map, key, value};
  uint64_t commit;
  EXPECT_OK(pool->Write(&put, 1, &commit));
}

// Whether all is there once a thread has written so late that the log has another place by then.
// `held`: it is let go only when that place holds something else.
bool SurvivesLateWrite(bool held) {
  Folder folder;
  const std::string path = folder / "pool";
  stalled = may_go = moved = false;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {0, 256 * kMiB}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  int count = 0;
  auto put_more = [&] {
    PutUnsynced(pool.get(), map, count, ValueOf(count));
    count++;
  };
  while (pool->Stats().used < 16 * kMiB) put_more();
  PutUnsynced(pool.get(), map, -1, std::string(200 << 10, 'l'));
  const uint64_t commit = pool->epoch();
  before_log_move = held ? [] { moved = true; } : [] { moved = may_go = true; };
  before_write_through = StallIfLate;
  std::thread late([&] {
    is_late = true;
    EXPECT_OK(pool->Sync(commit));
  });
  while (!stalled) std::this_thread::yield();
  while (!moved) put_more();
  for (int i = 0; i < 1000; i++) put_more();
  may_go = true;
  late.join();
  before_write_through = nullptr;
  before_log_move = nullptr;
  bool same = pool->Close().ok();
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  return same && report.sound();
}

TEST("planted: a late write to where the log was") {
  setenv("PMEM_IS_PMEM_FORCE", "0", 1);
  EXPECT(SurvivesLateWrite(false));
  planted_fault = Fault::kLogMove;
  const bool survives = SurvivesLateWrite(true);
  planted_fault = Fault::kNone;
  EXPECT(!survives);
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
}

std::mutex syncing_mutex;
std::set<std::thread::id> syncing;
std::atomic<bool> two_sync{false};

thread_local bool writes = false;

// Holds up whoever syncs, other than who writes, until another thread does so too.
void AwaitAnother() {
  if (writes) return;
  {
    std::lock_guard<std::mutex> lock(syncing_mutex);
    syncing.insert(std::this_thread::get_id());
    if (syncing.size() > 1) two_sync = true;
  }
  while (!two_sync) std::this_thread::yield();
}

TEST("relaxed: the log is synced while a checkpoint is under way") {
  setenv("PMEM_IS_PMEM_FORCE", "0", 1);
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {16 * kMiB, 0, Durability::kRelaxed}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  PutUnsynced(pool.get(), map, 0, ValueOf(0));
  writes = true;
  before_sync = AwaitAnother;
  for (int i = 0; !two_sync; i++) PutUnsynced(pool.get(), map, i % 1000, ValueOf(i));
  before_sync = nullptr;
  writes = false;
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
}

// Its call ends, and nothing is read or written that is gone.
TEST("a pool is closed while a thread writes records") {
  setenv("PMEM_IS_PMEM_FORCE", "0", 1);
  Folder folder;
  const std::string path = folder / "pool";
  stalled = may_go = false;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  PutUnsynced(pool.get(), map, 0, ValueOf(0));
  before_write_through = StallIfLate;
  std::thread late([&] {
    is_late = true;
    EXPECT_OK(pool->Sync(pool->epoch()));
  });
  while (!stalled) std::this_thread::yield();
  std::atomic<bool> closed{false};
  std::thread closing([&] {
    EXPECT_OK(pool->Close());
    closed = true;
  });
  // From then on it waits for nobody but that thread.
  std::vector<std::string> names;
  while (pool->ListMaps(&names).ok()) std::this_thread::yield();
  EXPECT(!closed);
  may_go = true;
  late.join();
  closing.join();
  before_write_through = nullptr;
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
}

}  // namespace
