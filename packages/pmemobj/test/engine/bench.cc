// Measures the cost of the engine's operations, in CPU time: medians of several rounds.
//
//   bench [entries [folder [rounds]]]     default 1,000,000 in /dev/shm, 5 rounds
//
// Keys are 16 random bytes, values 200 bytes. The pool is filled in random order.
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "check.h"
#include "engine/engine.h"

using namespace potoroo;

namespace {

constexpr size_t kKeyBytes = 16;
constexpr size_t kValueBytes = 200;

double CpuNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double Median(std::vector<double> figures) {
  std::sort(figures.begin(), figures.end());
  return figures[figures.size() / 2];
}

// Runs `work`, which returns how many units it did, several times. `prepare` is not timed.
template <typename Prepare, typename Work>
void Measure(const char* what, size_t rounds, Prepare prepare, Work work) {
  std::vector<double> figures;
  for (size_t round = 0; round < rounds; round++) {
    prepare(round);
    double start = CpuNanoseconds();
    size_t count = work(round);
    figures.push_back((CpuNanoseconds() - start) / static_cast<double>(count));
  }
  printf("%-34s %10.0f ns\n", what, Median(figures));
  fflush(stdout);
}

template <typename Work>
void Measure(const char* what, size_t rounds, Work work) {
  Measure(
      what, rounds, [](size_t) {}, work);
}

// splitmix64: a different number for each one, in no order.
uint64_t Mix(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

std::string Key(uint64_t number) {
  uint64_t words[2] = {Mix(2 * number), Mix(2 * number + 1)};
  return std::string(reinterpret_cast<const char*>(words), kKeyBytes);
}

std::vector<std::string> Keys(size_t from, size_t count) {
  std::vector<std::string> keys;
  for (size_t i = from; i < from + count; i++) keys.push_back(Key(i));
  return keys;
}

std::vector<std::string> SomeKeys(size_t round, size_t count, size_t entries) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; i++) keys.push_back(Key(Mix(round * count + i) % entries));
  return keys;
}

std::vector<std::string> AscendingKeys(size_t from, size_t count) {
  std::vector<std::string> keys;
  char key[32];
  for (size_t i = from; i < from + count; i++) {
    snprintf(key, sizeof key, "%016zu", i);
    keys.push_back(key);
  }
  return keys;
}

size_t Put(Pool* pool, uint32_t map, const std::vector<std::string>& keys, size_t batch) {
  static const std::string value(kValueBytes, 'v');
  std::vector<Operation> operations;
  for (size_t from = 0; from < keys.size(); from += batch) {
    operations.clear();
    for (size_t i = from; i < std::min(from + batch, keys.size()); i++) {
      operations.push_back({Operation::Kind::kPut, map, keys[i], value});
    }
    EXPECT_OK(pool->Write(operations.data(), operations.size()));
  }
  return keys.size();
}

// Adds up what it reads, so that the compiler leaves nothing out.
size_t sum = 0;

size_t Get(const Snapshot& snapshot, uint32_t map, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    Bytes found;
    EXPECT_OK(snapshot.Get(map, key, &found));
    sum += static_cast<unsigned char>(found[17]);
  }
  return keys.size();
}

// `copy`: every byte is read, as it is by who hands the rows on.
size_t Scan(const Snapshot& snapshot, uint32_t map, bool reverse, bool copy) {
  char row[kKeyBytes + kValueBytes];
  size_t rows = 0;
  auto cursor = snapshot.NewCursor(map);
  reverse ? cursor->SeekLast() : cursor->SeekFirst();
  while (cursor->Valid()) {
    Bytes key = cursor->key(), value = cursor->value();
    if (copy) {
      memcpy(row, key.data(), kKeyBytes);
      memcpy(row + kKeyBytes, value.data(), kValueBytes);
      sum += static_cast<unsigned char>(row[rows % sizeof row]);
    } else {
      sum += key.size() + static_cast<unsigned char>(value[17]);
    }
    rows++;
    reverse ? cursor->Prev() : cursor->Next();
  }
  EXPECT_OK(cursor->status());
  return rows;
}

// Bytes of this process's own memory: without the pool, which is shared with its file.
size_t OwnMemory() {
  FILE* file = fopen("/proc/self/status", "r");
  EXPECT(file != nullptr);
  char line[256];
  size_t kilobytes = 0;
  while (fgets(line, sizeof line, file) != nullptr) sscanf(line, "RssAnon: %zu", &kilobytes);
  fclose(file);
  return kilobytes * 1024;
}

double FileSize(const std::string& folder) {
  double size = 0;
  struct stat info;
  char name[32];
  for (size_t part = 0;; part++) {
    snprintf(name, sizeof name, "/%06zu.pmem", part);
    if (stat((folder + name).c_str(), &info) != 0) return size;
    size += static_cast<double>(info.st_size);
  }
}

void Reopen(const std::string& path, size_t entries, size_t rounds) {
  std::unique_ptr<Pool> pool;
  uint32_t map;
  std::shared_ptr<Snapshot> snapshot;
  Measure(
      "open, per entry", rounds, [&](size_t) { pool.reset(); },
      [&](size_t) {
        EXPECT_OK(Pool::Open(path, {}, &pool));
        return entries;
      });
  EXPECT_OK(pool->OpenMap("map", &map));
  EXPECT_OK(pool->Take(&snapshot));
  Measure("first scan, which verifies, a row", 1,
          [&](size_t) { return Scan(*snapshot, map, false, false); });
}

// Prints what opening a pool adds to the memory of a process. It has a process of its own, so that
// no memory of an earlier pool is used again.
int PrintMemory(const char* path) {
  std::unique_ptr<Pool> pool;
  size_t before = OwnMemory();
  EXPECT_OK(Pool::Open(path, {}, &pool));
  printf("%zu\n", OwnMemory() - before);
  return 0;
}

double MemoryOf(const std::string& path) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  EXPECT(length > 0);
  std::string command = "'" + std::string(self, static_cast<size_t>(length)) + "' --memory " + path;
  FILE* output = popen(command.c_str(), "r");
  EXPECT(output != nullptr);
  double bytes = 0;
  EXPECT(fscanf(output, "%lf", &bytes) == 1);
  EXPECT(pclose(output) == 0);
  return bytes;
}

void Memory(const std::string& path, const std::string& empty, size_t entries) {
  double own = MemoryOf(empty);
  printf("%-34s %10.0f\n", "bytes of DRAM, empty pool", own);
  printf("%-34s %10.2f\n", "bytes of DRAM an entry",
         (MemoryOf(path) - own) / static_cast<double>(entries));
}

void Writes(Pool* pool, uint32_t map, size_t entries, size_t rounds) {
  uint32_t other;
  EXPECT_OK(pool->OpenMap("sequences", &other));
  size_t next = entries, some = std::min<size_t>(entries, 100000) / rounds;
  std::vector<std::string> keys;
  auto fresh = [&](size_t) {
    keys = Keys(next, some);
    next += some;
  };
  auto put = [&](size_t batch) {
    return [&, batch](size_t) { return Put(pool, map, keys, batch); };
  };
  Measure("durable put", rounds, fresh, put(1));
  Measure("batch of 100, per put", rounds, fresh, put(100));
  Measure("batch of 1000, per put", rounds, fresh, put(1000));
  Measure(
      "overwrite", rounds, [&](size_t round) { keys = SomeKeys(round, some, entries); }, put(1));
  Measure(
      "durable put, ascending", rounds,
      [&](size_t round) { keys = AscendingKeys(round * some, some); },
      [&](size_t) { return Put(pool, other, keys, 1); });
  std::shared_ptr<Snapshot> snapshot;
  std::vector<std::string> one(1);
  Measure("put, each with a new snapshot", rounds, fresh, [&](size_t) {
    for (const std::string& key : keys) {
      EXPECT_OK(pool->Take(&snapshot));
      one[0] = key;
      Put(pool, map, one, 1);
    }
    return some;
  });
}

// Commits as persistent objects do: few entries, hot, of a short key and 40 to 300 bytes.
void Objects(Pool* pool, size_t rounds) {
  constexpr size_t kObjects = 2000, kSome = 50000;
  uint32_t map;
  EXPECT_OK(pool->OpenMap("objects", &map));
  const std::string values(kValueBytes + 100, 'o');
  std::vector<std::string> keys(kObjects);
  std::vector<Operation> operations;
  auto overwrite = [&](size_t round, size_t batch) {
    for (size_t i = 0; i < kSome; i += batch) {
      operations.clear();
      for (size_t j = i; j < i + batch; j++) {
        uint64_t which = Mix(round * kSome + j) % kObjects;
        Bytes value(values.data(), 40 + which % 260);
        operations.push_back({Operation::Kind::kPut, map, keys[which], value});
      }
      EXPECT_OK(pool->Write(operations.data(), operations.size()));
    }
    return kSome / batch;
  };
  for (size_t i = 0; i < kObjects; i++) {
    char key[6] = {0, 0, 0, 0, static_cast<char>(i >> 8), static_cast<char>(i)};
    keys[i].assign(key, sizeof key);
  }
  overwrite(0, 1);
  Measure("overwrite one of 2000 objects", rounds,
          [&](size_t round) { return overwrite(round, 1); });
  Measure("overwrite ten of them at once", rounds,
          [&](size_t round) { return overwrite(round, 10); });
}

// A buffer of 40 KB, of which 64 bytes change.
void Buffers(Pool* pool, size_t rounds) {
  constexpr size_t kSize = 40000, kSome = 20000;
  uint32_t map;
  EXPECT_OK(pool->OpenMap("buffers", &map));
  Operation put{Operation::Kind::kPutBuffer, map, "buffer", {nullptr, kSize}};
  EXPECT_OK(pool->Write(&put, 1));
  std::shared_ptr<Snapshot> snapshot;
  EXPECT_OK(pool->Take(&snapshot));
  char* at;
  size_t size;
  EXPECT_OK(snapshot->GetBuffer(map, "buffer", &at, &size));
  snapshot.reset();
  auto change = [&](const char* what, auto save, auto commit) {
    Measure(what, rounds, [&](size_t round) {
      for (size_t i = 0; i < kSome; i++) {
        char* range = at + Mix(round * kSome + i) % (kSize / 64) * 64;
        save(range);
        memset(range, static_cast<int>(i), 64);
        commit(range);
      }
      return kSome;
    });
  };
  auto flush = [&](char* range) { EXPECT_OK(pool->FlushBuffer(range, 64)); };
  auto save = [&](char* range) { EXPECT_OK(pool->SaveBuffer(range, 64)); };
  auto write = [&](char*) { EXPECT_OK(pool->WriteSaved(nullptr, 0)); };
  change(
      "change and flush 64 bytes", [](char*) {}, flush);
  change("... in a transaction", save, write);
}

void Reads(Pool* pool, uint32_t map, size_t entries, size_t rounds) {
  std::shared_ptr<Snapshot> snapshot;
  EXPECT_OK(pool->Take(&snapshot));
  size_t some = std::min<size_t>(entries, 200000);
  std::vector<std::string> keys;
  Measure(
      "get", rounds, [&](size_t round) { keys = SomeKeys(round, some, entries); },
      [&](size_t) { return Get(*snapshot, map, keys); });
  Measure("scan, per row", rounds, [&](size_t) { return Scan(*snapshot, map, false, false); });
  Measure("scan in reverse, per row", rounds,
          [&](size_t) { return Scan(*snapshot, map, true, false); });
  Measure("scan with copy, per row", rounds,
          [&](size_t) { return Scan(*snapshot, map, false, true); });
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && strcmp(arguments[1], "--memory") == 0) return PrintMemory(arguments[2]);
  size_t entries = count > 1 ? strtoull(arguments[1], nullptr, 10) : 1000000;
  if (count > 2) setenv("TEST_FOLDER", arguments[2], 1);
  size_t rounds = count > 3 ? strtoull(arguments[3], nullptr, 10) : 5;
  EXPECT(entries > 0 && rounds > 0);
  Folder folder;
  std::unique_ptr<Pool> pool;
  uint32_t map;
  EXPECT_OK(Pool::Create(folder / "pool", {0, uint64_t{1} << 36}, &pool));
  EXPECT_OK(pool->OpenMap("map", &map));
  Measure("fill in batches of 1000, per put", 1,
          [&](size_t) { return Put(pool.get(), map, Keys(0, entries), 1000); });
  double raw = static_cast<double>(entries) * (kKeyBytes + kValueBytes);
  printf("%-34s %10.2f\n", "pages and values / raw bytes",
         static_cast<double>(pool->Stats().used) / raw);
  printf("%-34s %10.2f\n", "files / raw bytes", FileSize(folder / "pool") / raw);
  Reads(pool.get(), map, entries, rounds);
  pool.reset();
  EXPECT_OK(Pool::Create(folder / "empty", {0, uint64_t{1} << 36}, &pool));
  pool.reset();
  Memory(folder / "pool", folder / "empty", entries);
  Reopen(folder / "pool", entries, rounds);
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  Writes(pool.get(), map, entries, rounds);
  Objects(pool.get(), rounds);
  Buffers(pool.get(), rounds);
  return sum == 0;
}
