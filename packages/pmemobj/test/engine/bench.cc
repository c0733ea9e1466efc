// What the engine's operations cost, in CPU time.
//
//   bench [entries [folder]]     default 1,000,000 in /dev/shm
#include <sys/resource.h>
#include <time.h>

#include <random>

#include "check.h"
#include "engine.h"

using namespace potoroo;

namespace {

double CpuNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

class Timer {
 public:
  Timer() : start_(CpuNanoseconds()) {}
  void Report(const char* what, size_t count) const {
    printf("%-28s %8.0f ns\n", what, (CpuNanoseconds() - start_) / static_cast<double>(count));
    fflush(stdout);
  }

 private:
  double start_;
};

// 24 bytes, in random order.
std::string Key(uint64_t number) {
  char key[32];
  uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15;
  snprintf(key, sizeof key, "doc:%020llu", static_cast<unsigned long long>(mixed));
  return key;
}

void Fill(Pool* pool, uint32_t map, size_t entries, const std::string& value) {
  Timer timer;
  for (size_t from = 0; from < entries; from += 1000) {
    std::vector<std::string> keys;
    std::vector<Operation> operations;
    for (size_t i = from; i < from + 1000; i++) keys.push_back(Key(i));
    for (const std::string& key : keys) {
      operations.push_back({Operation::Kind::kPut, map, key, value});
    }
    EXPECT_OK(pool->Write(operations.data(), operations.size()));
  }
  timer.Report("batch of 1000, per put", entries);
}

void Puts(const char* what, Pool* pool, uint32_t map, const std::vector<std::string>& keys,
          const std::string& value) {
  Timer timer;
  for (const std::string& key : keys) {
    Operation put{Operation::Kind::kPut, map, key, value};
    EXPECT_OK(pool->Write(&put, 1));
  }
  timer.Report(what, keys.size());
}

}  // namespace

int main(int count, char** arguments) {
  size_t entries = count > 1 ? strtoull(arguments[1], nullptr, 10) : 1000000;
  if (count > 2) setenv("TEST_FOLDER", arguments[2], 1);
  Folder folder;
  std::unique_ptr<Pool> pool;
  Timer creating;
  EXPECT_OK(Pool::Create(folder / "pool", {0, uint64_t{1} << 36}, &pool));
  creating.Report("create", 1);
  uint32_t map, other;
  EXPECT_OK(pool->OpenMap("map", &map));
  EXPECT_OK(pool->OpenMap("sequences", &other));
  std::string value(200, 'v');
  Fill(pool.get(), map, entries, value);
  printf("%.0f bytes of the pool an entry\n",
         static_cast<double>(pool->Stats().used) / static_cast<double>(entries));

  size_t some = std::min<size_t>(entries, 100000);
  std::mt19937_64 random(7);
  std::vector<std::string> fresh, old, ascending;
  for (size_t i = 0; i < some; i++) {
    fresh.push_back(Key(entries + i));
    old.push_back(Key(random() % entries));
    char key[32];
    snprintf(key, sizeof key, "%012zu", i);
    ascending.push_back(key);
  }
  Puts("durable put", pool.get(), map, fresh, value);
  Puts("durable overwrite", pool.get(), map, old, value);
  Puts("durable put, ascending", pool.get(), other, ascending, value);

  std::shared_ptr<Snapshot> snapshot;
  EXPECT_OK(pool->Take(&snapshot));
  std::vector<std::string> wanted;
  for (size_t i = 0; i < 4 * some; i++) wanted.push_back(Key(random() % entries));
  size_t bytes = 0;
  Timer getting;
  for (const std::string& key : wanted) {
    Bytes found;
    EXPECT_OK(snapshot->Get(map, key, &found));
    bytes += static_cast<unsigned char>(found[17]);
  }
  getting.Report("get", wanted.size());
  size_t rows = 0;
  Timer scanning;
  auto cursor = snapshot->NewCursor(map);
  for (cursor->SeekFirst(); cursor->Valid(); cursor->Next(), rows++) {
    bytes += cursor->key().size() + static_cast<unsigned char>(cursor->value()[17]);
  }
  EXPECT_OK(cursor->status());
  scanning.Report("scan, per row", rows);
  cursor.reset();
  snapshot.reset();

  pool.reset();
  Timer opening;
  EXPECT_OK(Pool::Open(folder / "pool", &pool));
  opening.Report("open", 1);
  return bytes == 0;
}
