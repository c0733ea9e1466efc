// Transactions over buffers: what is saved comes back, by a call or by opening, unless it was
// committed.
#include "engine/log/undo.h"

#include <atomic>
#include <cstring>
#include <thread>

#include "model.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// A pool with a map, and a buffer in it.
struct World {
  explicit World(size_t buffer = 4096, const PoolOptions& options = {24 * kMiB, 0})
      : options(options) {
    EXPECT_OK(Pool::Create(path, options, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    PutBuffer("buffer", std::string(buffer, '.'));
    Find();
  }
  void PutBuffer(const std::string& key, const std::string& value) {
    Operation put{Operation::Kind::kPutBuffer, map, key, value};
    EXPECT_OK(pool->Write(&put, 1));
  }
  void Find() { EXPECT_OK(Take(pool.get())->GetBuffer(map, "buffer", &at, &size)); }
  Status Put(const std::string& key, const std::string& value) {
    Operation put{Operation::Kind::kPut, map, key, value};
    return pool->Write(&put, 1);
  }
  Status WriteSaved(const std::string& key, const std::string& value) {
    Operation put{Operation::Kind::kPut, map, key, value};
    return pool->WriteSaved(&put, 1);
  }
  void Save(size_t offset, size_t length) { EXPECT_OK(pool->SaveBuffer(at + offset, length)); }
  // Others see a store only once it is flushed, but a crash may leave any part of it.
  void Set(size_t offset, size_t length, char byte) { memset(at + offset, byte, length); }
  std::string Value(const std::string& key) {
    Bytes value;
    return Take(pool.get())->Get(map, key, &value).ok() ? std::string(value) : "none";
  }
  Bytes bytes() const { return {at, size}; }

  // Leaves the pool as a crash of the process does: with all that was stored.
  void Crash() {
    std::string command = "cp -r '" + path + "' '" + path + ".crashed'";
    EXPECT(system(command.c_str()) == 0);
    pool.reset();
    command = "rm -rf '" + path + "' && mv '" + path + ".crashed' '" + path + "'";
    EXPECT(system(command.c_str()) == 0);
    Open();
  }
  void Open() {
    EXPECT_OK(Pool::Open(path, options, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    Find();
  }

  PoolOptions options;
  Folder folder;
  std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  uint32_t map = 0;
  char* at = nullptr;
  size_t size = 0;
};

TEST("saved ranges come back by a crash, and do not once they are committed") {
  for (Durability durability : {Durability::kStrict, Durability::kRelaxed}) {
    PoolOptions options{24 * kMiB, 0};
    options.durability = durability;
    World world(4096, options);
    for (int round = 0; round < 4; round++) {
      std::string before(world.bytes()), value = world.Value("k");
      for (size_t i = 0; i < 5; i++) {
        world.Save(i * 300, 100);
        world.Set(i * 300, 100, static_cast<char>('a' + round));
      }
      // In between, maps go on.
      EXPECT_OK(world.Put("other", std::to_string(round)));
      EXPECT(world.pool->SavedBuffers() == 5);
      std::string after(world.bytes());
      if (round % 2 == 1) EXPECT_OK(world.WriteSaved("k", std::to_string(round)));
      world.Crash();
      EXPECT(world.pool->SavedBuffers() == 0);
      EXPECT(world.bytes() == (round % 2 == 1 ? after : before));
      EXPECT(world.Value("k") == (round % 2 == 1 ? std::to_string(round) : value));
      EXPECT(world.Value("other") == std::to_string(round));
    }
  }
}

TEST("saved ranges that overlap come back as they were at first") {
  World world;
  world.Save(0, 100);
  world.Set(0, 100, 'a');
  world.Save(50, 100);
  world.Set(50, 100, 'b');
  world.Save(0, 4096);
  world.Set(0, 4096, 'c');
  EXPECT_OK(world.pool->RestoreBuffers(2));
  EXPECT(world.bytes().substr(0, 150) == std::string(50, 'a') + std::string(100, 'b'));
  EXPECT(world.pool->SavedBuffers() == 2);
  world.Save(0, 1);
  world.Set(0, 1, 'd');
  world.Crash();
  EXPECT(world.bytes() == std::string(4096, '.'));
}

// The same place in the undo area is used again, and what it held before must not count.
TEST("what was restored does not come back a second time") {
  World world;
  auto fill = [&] {
    for (size_t i = 0; i < 8; i++) {
      world.Save(i * 100, 60);
      world.Set(i * 100, 60, 'x');
    }
  };
  for (size_t keep : {0, 3}) {
    fill();
    EXPECT_OK(world.pool->RestoreBuffers(keep));
    EXPECT_OK(world.pool->RestoreBuffers(0));
    // By hand, without a transaction.
    world.Set(0, 4096, 'n');
    EXPECT_OK(world.pool->FlushBuffer(world.at, 4096));
    world.Crash();
    EXPECT(world.bytes() == std::string(4096, 'n'));
    fill();
    EXPECT_OK(world.pool->RestoreBuffers(keep));
    // An entry of the same size in the place of the first that was restored.
    world.Save(2000, 60);
    world.Set(2000, 60, 'y');
    EXPECT_OK(world.pool->RestoreBuffers(0));
    world.Set(0, 4096, 'm');
    world.Save(3000, 60);
    world.Set(3000, 60, 'z');
    world.Crash();
    EXPECT(world.bytes() == std::string(4096, 'm'));
    // Nor what opening brought back.
    fill();
    world.Crash();
    EXPECT(world.bytes() == std::string(4096, 'm'));
    world.Set(0, 4096, '.');
    world.Crash();
    EXPECT(world.bytes() == std::string(4096, '.'));
    world.Save(3000, 60);
    world.Set(3000, 60, 'z');
    world.Crash();
    EXPECT(world.bytes() == std::string(4096, '.'));
  }
}

TEST("a transaction that is under way when the pool is closed is undone") {
  World world;
  world.Save(7, 1000);
  world.Set(7, 1000, 'a');
  world.pool.reset();
  world.Open();
  EXPECT(world.bytes() == std::string(4096, '.'));
}

TEST("more is saved than the undo area holds: it grows, within a transaction too") {
  World world(2 * kMiB);
  std::string before(world.bytes());
  for (size_t i = 0; i < 40; i++) {
    world.Save(i * 50000, 50000);
    world.Set(i * 50000, 50000, static_cast<char>('a' + i % 26));
  }
  std::string after(world.bytes());
  world.Crash();
  EXPECT(world.bytes() == before);
  for (size_t i = 0; i < 40; i++) {
    world.Save(i * 50000, 50000);
    world.Set(i * 50000, 50000, static_cast<char>('a' + i % 26));
  }
  EXPECT_OK(world.WriteSaved("k", "v"));
  world.Crash();
  EXPECT(world.bytes() == after);
  EXPECT_OK(world.pool->SaveBuffer(world.at, 2 * kMiB));
  world.Set(0, 2 * kMiB, 'z');
  EXPECT_OK(world.pool->RestoreBuffers(0));
  EXPECT(world.bytes() == after);
}

TEST("a full pool refuses to save, and what is saved comes back") {
  World world(2 * kMiB, {12 * kMiB, 0});
  std::string before(world.bytes());
  Status status;
  size_t saved = 0;
  while (status.ok() && saved < 1000) {
    status = world.pool->SaveBuffer(world.at + saved * 100, 1 * kMiB);
    if (!status.ok()) break;
    world.Set(saved * 100, 1 * kMiB, static_cast<char>('a' + saved % 26));
    saved++;
  }
  EXPECT(status.code() == Code::kNoSpace);
  EXPECT(saved > 0 && world.pool->SavedBuffers() == saved);
  EXPECT_OK(world.pool->RestoreBuffers(0));
  EXPECT(world.bytes() == before);
}

TEST("a buffer with saved ranges goes with their commit only") {
  World world;
  world.PutBuffer("another", std::string(200, 'a'));
  world.Save(10, 10);
  Operation gone{Operation::Kind::kDelete, world.map, "buffer", {}};
  Operation range{Operation::Kind::kDeleteRange, world.map, "a", "z"};
  Operation put{Operation::Kind::kPut, world.map, "buffer", "value"};
  Operation buffer{Operation::Kind::kPutBuffer, world.map, "buffer", "bytes"};
  for (const Operation& operation : {gone, range, put, buffer}) {
    EXPECT_CODE(kInvalid, world.pool->Write(&operation, 1));
  }
  EXPECT_CODE(kInvalid, world.pool->DropMap("map"));
  Operation other{Operation::Kind::kDelete, world.map, "another", {}};
  EXPECT_OK(world.pool->Write(&other, 1));
  EXPECT_OK(world.pool->WriteSaved(&gone, 1));
  EXPECT(world.Value("buffer") == "none");
  EXPECT(world.pool->SavedBuffers() == 0);
}

TEST("the map of the undo area is the engine's own") {
  World world;
  world.Save(0, 1);
  std::vector<std::string> names;
  EXPECT_OK(world.pool->ListMaps(&names));
  EXPECT(names == std::vector<std::string>{"map"});
  std::vector<NamedMap> maps;
  EXPECT_OK(Take(world.pool.get())->ListMaps(&maps));
  EXPECT(maps.size() == 1 && maps[0].name == "map");
  uint32_t map;
  EXPECT_CODE(kInvalid, world.pool->OpenMap(engine::kUndoMap, &map));
  EXPECT_CODE(kInvalid, world.pool->DropMap(engine::kUndoMap));
  Operation put{Operation::Kind::kPut, world.map + 1, engine::kUndoArea, "mine"};
  EXPECT_CODE(kInvalid, world.pool->Write(&put, 1));
}

TEST("saving and flushing refuse what is not in the pool") {
  World world;
  char outside[8] = {};
  EXPECT_CODE(kInvalid, world.pool->SaveBuffer(outside, 8));
  EXPECT_CODE(kInvalid, world.pool->FlushBuffer(outside, 8));
  EXPECT_CODE(kInvalid, world.pool->SaveBuffer(world.at, uint64_t{1} << 60));
  EXPECT_OK(world.pool->SaveBuffer(world.at, 0));
  EXPECT(world.pool->SavedBuffers() == 0);
  EXPECT_OK(world.pool->WriteSaved(nullptr, 0));
  EXPECT_OK(world.WriteSaved("k", "v"));
  EXPECT(world.Value("k") == "v");
}

TEST("what cannot be written leaves saved what is saved") {
  World world;
  world.Save(0, 10);
  world.Set(0, 10, 'a');
  std::string long_key(kMaxKeySize + 1, 'k');
  Operation bad{Operation::Kind::kPut, world.map, long_key, ""};
  EXPECT_CODE(kInvalid, world.pool->WriteSaved(&bad, 1));
  Operation none{Operation::Kind::kPut, 1000, "k", ""};
  EXPECT(!world.pool->WriteSaved(&none, 1).ok());
  std::string big(64 * kMiB, 'b');
  Operation large{Operation::Kind::kPut, world.map, "k", big};
  EXPECT_CODE(kNoSpace, world.pool->WriteSaved(&large, 1));
  EXPECT(world.pool->SavedBuffers() == 1);
  EXPECT_OK(world.pool->RestoreBuffers(0));
  EXPECT(world.bytes() == std::string(4096, '.'));
}

// Others commit meanwhile, also what makes checkpoints.
TEST("few transactions over buffers while another thread writes maps") {
  World world(4096, {0, uint64_t{1} << 30});
  std::atomic<bool> done{false};
  std::thread other([&] {
    for (int i = 0; !done; i++) {
      EXPECT_OK(world.Put("other " + std::to_string(i % 50), std::string(i % 70 * 100, 'o')));
    }
  });
  for (int i = 0; i < 300; i++) {
    char byte = static_cast<char>('a' + i % 26), last = world.at[100];
    world.Save(100, 64);
    world.Set(100, 64, byte);
    if (i % 3 == 0) {
      EXPECT_OK(world.pool->RestoreBuffers(0));
    } else {
      EXPECT_OK(world.WriteSaved("k", std::string(1, byte)));
    }
    EXPECT(world.at[100] == (i % 3 == 0 ? last : byte));
  }
  done = true;
  other.join();
  std::string now(world.bytes());
  world.Crash();
  EXPECT(world.bytes() == now && world.Value("k") == std::string(1, now[100]));
}

}  // namespace
