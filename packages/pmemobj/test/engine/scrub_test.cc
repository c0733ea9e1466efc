// Scrubbing: all that the last checkpoint leads to is read again, whatever was found before, and
// whatever others do meanwhile.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include "hostile.h"
#include "subject.h"

using namespace potoroo;

namespace {

constexpr uint64_t kAll = uint64_t{1} << 40;
const std::string kSecret(kKeySize, 's');

struct Sum {
  uint64_t steps = 0, bytes = 0, pages = 0, values = 0;
  uint64_t count = 0;                                    // of faults
  std::set<std::pair<std::string, std::string>> faults;  // kind and key
};

Sum Pass(const Pool& pool, uint64_t bytes) {
  Sum sum;
  for (ScrubStep step; !step.done; sum.steps++) {
    EXPECT_OK(pool.Scrub(bytes, &step));
    sum.bytes += step.bytes;
    sum.pages += step.pages;
    sum.values += step.values;
    sum.count += step.faults.size();
    for (const ScrubFault& fault : step.faults) sum.faults.insert({fault.kind, fault.key});
  }
  return sum;
}

struct World {
  explicit World(const std::string& key) {
    options.max_size = uint64_t{1} << 30;
    options.key = key;
    EXPECT_OK(Pool::Create(path, options, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    EXPECT_OK(pool->OpenMap("other", &other));
    const Hostile hostile([this] { return pool->epoch(); });
    Batch batch;
    for (int i = 0; i < 2000; i++) {
      model[Key(i)] = hostile.Make(&chance, i % 50 == 1 ? 20000 : 300);
      if (i % 700 == 0) model[Key(i)] = "the value of " + Key(i) + std::string(300, 'v');
      batch.Put(map, Key(i), model[Key(i)]);
    }
    batch.Put(other, std::string(400, 'l'), "of a long key");
    batch.Put(other, "object", std::string(4 << 20, 'o'));
    EXPECT_OK(batch.WriteTo(pool.get()));
    EXPECT_OK(pool->Checkpoint());
  }
  static std::string Key(int i) { return "key " + std::to_string(10000 + i); }

  // Changes each of those bytes in the pool's file, behind the pool's back.
  void Flip(const std::string& bytes, size_t beyond) const {
    const std::string file = path + "/000000.pmem", now = ReadFile(file);
    const int fd = open(file.c_str(), O_RDWR);
    size_t flipped = 0;
    for (size_t at = now.find(bytes); at != std::string::npos; at = now.find(bytes, at + 1)) {
      const char changed = static_cast<char>(now[at + beyond] ^ 4);
      EXPECT(pwrite(fd, &changed, 1, static_cast<off_t>(at + beyond)) == 1);
      flipped++;
    }
    close(fd);
    EXPECT(flipped > 0);
  }

  Folder folder;
  const std::string path = folder / "pool";
  PoolOptions options;
  std::unique_ptr<Pool> pool;
  uint32_t map, other;
  Chance chance{5};
  Model model;
};

TEST("scrub: a pass reads all of it, in few steps or many, encrypted or not") {
  for (const std::string& key : {std::string(), kSecret}) {
    World world(key);
    const Sum whole = Pass(*world.pool, kAll);
    EXPECT(whole.steps == 1 && whole.faults.empty());
    EXPECT(whole.values == 2001 && whole.bytes > uint64_t{5} << 20);
    for (uint64_t bytes : {1, 5000, 1000000}) {
      const Sum steps = Pass(*world.pool, bytes);
      EXPECT(steps.values == whole.values && steps.pages >= whole.pages && steps.faults.empty());
      EXPECT(steps.steps > whole.bytes / (bytes + (5 << 20)));
    }
  }
}

TEST("scrub: what has rotted is found though it was read before, and is named") {
  World world("");
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
  EXPECT(Pass(*world.pool, kAll).faults.empty());
  world.Flip("the value of " + World::Key(700), 150);
  world.Flip("the value of " + World::Key(1400), 0);
  world.Flip(std::string(400, 'l'), 300);
  for (uint64_t bytes : {kAll, uint64_t{30000}}) {
    const Sum sum = Pass(*world.pool, bytes);
    EXPECT(sum.faults.size() == 3);
    EXPECT(sum.faults.count({"value", World::Key(700)}) == 1);
    EXPECT(sum.faults.count({"value", World::Key(1400)}) == 1);
  }
}

// Long keys in a tree of three levels, of which the file's bytes may be changed.
struct LongKeys {
  static constexpr int kCount = 6000;

  explicit LongKeys(size_t value_size) {
    options.max_size = uint64_t{1} << 30;
    EXPECT_OK(Pool::Create(path, options, &pool));
    uint32_t map;
    EXPECT_OK(pool->OpenMap("map", &map));
    const std::string value(value_size, 'v');
    for (int from = 0; from < kCount; from += 500) {
      Batch batch;
      for (int i = from; i < from + 500; i++) batch.Put(map, Key(i), value);
      EXPECT_OK(batch.WriteTo(pool.get()));
    }
    EXPECT_OK(pool->Close());
  }
  static std::string Key(int i) {
    return kPrefix + std::to_string(100000 + i) + std::string(60, 'Z');
  }

  // A byte of each key, or of each part of one that separates pages, that `wanted` says by the rest
  // of it.
  size_t Damage(const std::function<bool(bool separator, size_t nth)>& wanted) {
    const std::string file = path + "/000000.pmem", now = ReadFile(file);
    const int fd = open(file.c_str(), O_RDWR);
    size_t damaged = 0, nth[2] = {0, 0};
    for (size_t at = now.find(kPrefix); at != std::string::npos;
         at = now.find(kPrefix, at + kPrefix.size())) {
      const bool separator = now[at + kPrefix.size() + 6] != 'Z';
      if (!wanted(separator, nth[separator]++)) continue;
      EXPECT(pwrite(fd, "!", 1, static_cast<off_t>(at + 100)) == 1);
      damaged++;
    }
    close(fd);
    return damaged;
  }
  // Reads all in steps of several sizes, whatever is damaged; each fault is reported once.
  void ExpectSamePasses() {
    EXPECT_OK(Pool::Open(path, {}, &pool));
    const Sum whole = Pass(*pool, kAll);
    EXPECT(whole.steps == 1 && !whole.faults.empty());
    for (uint64_t bytes : {uint64_t{1}, uint64_t{20000}, uint64_t{300000}}) {
      Sum sum;
      std::set<uint64_t> places;
      for (ScrubStep step; !step.done; sum.steps++) {
        const std::string map = step.map, key = step.key;
        EXPECT_OK(pool->Scrub(bytes, &step));
        EXPECT(step.done || step.map > map || (step.map == map && step.key > key));
        sum.values += step.values;
        for (const ScrubFault& fault : step.faults) EXPECT(places.insert(fault.offset).second);
      }
      EXPECT(sum.values == whole.values && sum.steps > 1);
      EXPECT(places.size() == whole.count);
    }
    EXPECT_OK(pool->Close());
  }

  static const std::string kPrefix;
  Folder folder;
  const std::string path = folder / "pool";
  PoolOptions options;
  std::unique_ptr<Pool> pool;
};
const std::string LongKeys::kPrefix(240, 'p');

TEST("scrub: a pass comes to its end past keys that are damaged, and reports each once") {
  const std::function<bool(bool, size_t)> wanted[] = {
      [](bool separator, size_t) { return separator; },
      [](bool separator, size_t nth) { return separator && nth % 5 == 2; },
      [](bool separator, size_t nth) { return !separator && nth % 7 == 3; },
      [](bool, size_t nth) { return nth % 300 < 100; },
      [](bool separator, size_t) { return !separator; },
  };
  for (const auto& which : wanted) {
    LongKeys world(250);
    EXPECT(world.Damage(which) > 0);
    world.ExpectSamePasses();
  }
}

TEST("scrub: of an encrypted pool what is in its files is decrypted again") {
  World world(kSecret);
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
  const std::string file = world.path + "/000000.pmem", sound = ReadFile(file);
  const int fd = open(file.c_str(), O_RDWR);
  // Pages and values lie behind what libpmemobj has, and the log.
  for (size_t at = 4 << 20; at + 8 < sound.size(); at += 20011) {
    EXPECT(pwrite(fd, "rottenss", 8, static_cast<off_t>(at)) == 8);
  }
  EXPECT(Pass(*world.pool, 100000).faults.size() > 20);
  // Pages that were decrypted earlier are in memory, and still right.
  ExpectSame(*Take(world.pool.get()), world.map, world.model);
  EXPECT(pwrite(fd, sound.data(), sound.size(), 0) == static_cast<ssize_t>(sound.size()));
  close(fd);
  EXPECT(Pass(*world.pool, 100000).faults.empty());
}

TEST("scrub: few steps at a time find nothing wrong while others write, clear, compact and read") {
  for (const std::string& key : {std::string(), kSecret}) {
    World world(key);
    std::atomic<bool> done{false};
    std::atomic<int> passes{0}, reads{0};
    std::thread scrub([&] {
      while (!done) {
        EXPECT(Pass(*world.pool, 300000).faults.empty());
        passes++;
      }
    });
    std::thread read([&] {
      Chance chance(9);
      while (!done) {
        auto snapshot = Take(world.pool.get());
        Bytes value;
        for (int i = 0; i < 20; i++) {
          Status status =
              snapshot->Get(world.map, World::Key(static_cast<int>(chance.Below(2000))), &value);
          EXPECT(status.ok() || status.code() == Code::kNotFound);
          if (status.ok()) EXPECT(value.size() >= 300);
        }
        reads++;
      }
    });
    const Hostile hostile([&] { return world.pool->epoch(); });
    for (int i = 0; i < 120 || passes < 3 || reads < 20; i++) {
      Batch batch;
      for (int k = 0; k < 30; k++) {
        const std::string name = World::Key(static_cast<int>(world.chance.Below(2000)));
        if (k % 5 == 4) {
          batch.Delete(world.map, name);
        } else {
          batch.Put(world.map, name, hostile.Make(&world.chance, 300 + world.chance.Below(5000)));
        }
      }
      if (i % 20 == 7) batch.DeleteRange(world.other, "", "");
      if (i % 20 == 17) batch.Put(world.other, "object", std::string((4 << 20) + i, 'p'));
      EXPECT_OK(batch.WriteTo(world.pool.get()));
      if (i % 10 == 3) EXPECT_OK(world.pool->Checkpoint());
      bool compacted = i % 40 != 21;
      while (!compacted) EXPECT_OK(world.pool->Compact(&compacted));
    }
    done = true;
    scrub.join();
    read.join();
    EXPECT(Pass(*world.pool, kAll).faults.empty());
  }
}

}  // namespace
