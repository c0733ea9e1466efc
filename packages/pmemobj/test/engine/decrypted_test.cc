// The memory that what was decrypted takes is given back above a limit, and nobody notices.
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "lazily.h"
#include "model.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr int kKeys = 3000;

// In the page, in slots, in runs that lie across regions, and objects.
std::string ValueOf(int i, int round = 0) {
  const size_t size = i % 500 == 3   ? 3 * kMiB + 5000
                      : i % 100 == 7 ? 2 * kMiB
                      : i % 10 == 1  ? 20000
                      : i % 3 == 0   ? 1000
                                     : 40;
  std::string value = std::to_string(i) + " in round " + std::to_string(round) + ";";
  value.resize(size, static_cast<char>('a' + (i + round) % 26));
  return value;
}

std::string KeyOf(int i) {
  return i % 7 == 0 ? std::string(300, 'k') + std::to_string(i) : std::to_string(i);
}

struct Subject {
  Folder folder;
  const std::string path = folder / "pool";
  PoolOptions options;
  std::unique_ptr<Pool> pool;
  uint32_t map = 0;

  explicit Subject(uint64_t limit) {
    options.key = std::string(kKeySize, 'k');
    options.max_size = 1024 * kMiB;
    options.decrypted = limit;
    EXPECT_OK(Pool::Create(path, options, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    for (int i = 0; i < kKeys; i++) Put(i, 0);
    OpenAgain();
  }
  void Put(int i, int round) {
    Batch batch;
    batch.Put(map, KeyOf(i), ValueOf(i, round));
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  void OpenAgain() {
    pool.reset();
    EXPECT_OK(Pool::Open(path, options, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    // Until it has been walked, nothing is given back.
    if (!options.read_only) EXPECT_OK(pool->Checkpoint());
  }
  void ExpectAt(const Snapshot& snapshot, int i, int round = 0) {
    Bytes value;
    EXPECT_OK(snapshot.Get(map, KeyOf(i), &value));
    EXPECT(value == ValueOf(i, round));
  }
  uint64_t used() const { return pool->Stats().decrypted; }
};

// 0 where sanitizers take memory of their own.
uint64_t ResidentBytes() {
#if UNDER_ASAN || UNDER_TSAN
  return 0;
#else
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0, shared = 0;
  file >> size >> resident >> shared;
  return (resident - shared) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
#endif
}

TEST("decrypted: what is read takes no more memory than it may, and is read again") {
  Subject subject(8 * kMiB);
  const uint64_t before = ResidentBytes();
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < kKeys; i++) {
      subject.ExpectAt(*Take(subject.pool.get()), i);
      EXPECT(subject.used() <= 8 * kMiB);
    }
  }
  EXPECT(ResidentBytes() < before + 40 * kMiB);
}

TEST("decrypted: without a limit that is reached, all stays") {
  Subject subject(512 * kMiB);
  for (int i = 0; i < kKeys; i++) subject.ExpectAt(*Take(subject.pool.get()), i);
  EXPECT(subject.used() > 70 * kMiB);
}

TEST("decrypted: what a snapshot has given stays as long as it lives") {
  Subject subject(kMiB);
  auto kept = Take(subject.pool.get());
  std::vector<Bytes> values(kKeys);
  for (int i = 0; i < kKeys; i++) EXPECT_OK(kept->Get(subject.map, KeyOf(i), &values[i]));
  for (int i = 0; i < kKeys; i++) {
    subject.ExpectAt(*Take(subject.pool.get()), i);
    if (i % 10 == 0) subject.Put(i, 1);
  }
  EXPECT(subject.used() > 70 * kMiB);
  auto cursor = kept->NewCursor(subject.map);
  cursor->SeekFirst();
  for (int i = 0; i < kKeys; i++) EXPECT(values[i] == ValueOf(i));
  kept.reset();
  // The cursor keeps the snapshot alive.
  EXPECT(subject.used() > 70 * kMiB && cursor->Valid());
  // Pages that it has to make durable stay.
  EXPECT_OK(subject.pool->Checkpoint());
  cursor.reset();
  while (subject.used() > kMiB) {
    const uint64_t before = subject.used();
    Take(subject.pool.get());
    EXPECT(subject.used() < before);
  }
  for (int i = 0; i < kKeys; i++) {
    subject.ExpectAt(*Take(subject.pool.get()), i, i % 10 == 0 ? 1 : 0);
  }
}

TEST("decrypted: what is not durable yet stays, and writes go on") {
  Subject subject(1);
  for (int round = 1; round < 4; round++) {
    for (int i = round; i < kKeys; i += 5) subject.Put(i, round);
    for (int i = 0; i < kKeys; i += 11) {
      int last = 0;
      for (int r = 1; r <= round; r++) last = i >= r && (i - r) % 5 == 0 ? r : last;
      subject.ExpectAt(*Take(subject.pool.get()), i, last);
    }
    if (round == 2) subject.OpenAgain();
  }
  EXPECT_OK(subject.pool->Checkpoint());
  Take(subject.pool.get());
}

TEST("decrypted: of a pool that is read only, or is walked once it is open, it is given back") {
  Lazily lazily;
  Subject subject(4 * kMiB);
  for (bool read_only : {false, true}) {
    subject.options.read_only = read_only;
    subject.OpenAgain();
    for (int i = 0; i < kKeys; i++) {
      subject.ExpectAt(*Take(subject.pool.get()), i);
      EXPECT(subject.used() <= 4 * kMiB);
    }
  }
}

TEST("decrypted: readers, a scrub and a writer at the same time see what they have to") {
  Subject subject(1);
  std::atomic<bool> done{false};
  auto read = [&](int from) {
    for (int i = from; !done; i = (i + 7) % kKeys) {
      auto snapshot = Take(subject.pool.get());
      Bytes value, other;
      EXPECT_OK(snapshot->Get(subject.map, KeyOf(i), &value));
      EXPECT_OK(snapshot->Get(subject.map, KeyOf((i + 1) % kKeys), &other));
      const int round = value == ValueOf(i, 1) ? 1 : 0;
      EXPECT(value == ValueOf(i, round));
    }
  };
  std::thread first(read, 0), second(read, 1000), scrubs([&] {
    ScrubStep step;
    while (!done) {
      EXPECT_OK(subject.pool->Scrub(kMiB, &step));
      EXPECT(step.faults.empty());
    }
  });
  for (int i = 0; i < kKeys; i += 10) subject.Put(i, 1);
  done = true;
  first.join();
  second.join();
  scrubs.join();
  for (int i = 0; i < kKeys; i++)
    subject.ExpectAt(*Take(subject.pool.get()), i, i % 10 == 0 ? 1 : 0);
}

}  // namespace
