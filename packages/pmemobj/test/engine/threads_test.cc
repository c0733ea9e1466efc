// Readers on other threads while one writes.
#include <atomic>
#include <thread>

#include "model.h"

using namespace potoroo;

namespace {

// Each batch sets all keys to one number: a snapshot that shows two is not one state.
void ExpectStates(const std::string& key, uint64_t decrypted = 0) {
  constexpr int kKeys = 200;
  Folder folder;
  std::unique_ptr<Pool> pool;
  PoolOptions options{0, uint64_t{1} << 30};
  options.key = key;
  options.decrypted = decrypted;
  EXPECT_OK(Pool::Create(folder / "pool", options, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  auto write = [&](int number) {
    Batch batch;
    for (int i = 0; i < kKeys; i++) {
      batch.Put(map, "key " + std::to_string(i), std::to_string(number) + std::string(i, '.'));
    }
    EXPECT_OK(batch.WriteTo(pool.get()));
  };
  write(0);
  std::atomic<bool> done{false};
  std::atomic<int> states{0};
  auto read = [&](uint64_t seed) {
    Chance chance(seed);
    while (!done) {
      auto snapshot = Take(pool.get());
      auto cursor = snapshot->NewCursor(map);
      std::string number;
      int count = 0;
      for (cursor->SeekFirst(); cursor->Valid(); cursor->Next(), count++) {
        std::string value(cursor->value());
        value.resize(value.find_last_not_of('.') + 1);
        if (count == 0) number = value;
        EXPECT(value == number);
        Bytes got;
        if (chance.Below(8) == 0) {
          EXPECT_OK(snapshot->Get(map, cursor->key(), &got));
          EXPECT(got == cursor->value());
        }
      }
      EXPECT_OK(cursor->status());
      EXPECT(count == kKeys);
      states++;
    }
  };
  std::thread first(read, 1), second(read, 2);
  for (int number = 1; number < 1500 || states < 200; number++) write(number);
  done = true;
  first.join();
  second.join();
}

TEST("each snapshot is one state, whatever is written meanwhile") { ExpectStates(""); }
TEST("each snapshot is one state, in an encrypted pool too") {
  ExpectStates(std::string(kKeySize, 'k'));
}
TEST("each snapshot is one state, in an encrypted pool that forgets what it has decrypted") {
  ExpectStates(std::string(kKeySize, 'k'), 1);
}

TEST("stats of a snapshot's pool agree, whoever asks, whatever is written meanwhile") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, uint64_t{1} << 30}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  std::atomic<bool> done{false};
  std::atomic<int> asked{0};
  auto ask = [&] {
    uint64_t epoch = 0;
    while (!done) {
      const PoolStats stats = pool->Stats();
      EXPECT(stats.max_size == uint64_t{1} << 30);
      EXPECT(stats.size >= uint64_t{8} << 20 && stats.size <= stats.max_size);
      EXPECT(stats.free < stats.max_size && stats.largest <= stats.free + kMaxValueSize);
      EXPECT(stats.epoch >= epoch);
      epoch = stats.epoch;
      bool begun = false;
      if (asked++ % 16 == 0) EXPECT_OK(pool->GiveBack(&begun));
    }
  };
  std::thread first(ask), second(ask);
  for (int i = 0; i < 500 || asked < 1000; i++) {
    Batch batch;
    batch.Put(map, "key " + std::to_string(i % 100), std::string(20000, 'x'));
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  done = true;
  first.join();
  second.join();
}

}  // namespace
