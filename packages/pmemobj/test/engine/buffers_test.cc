// Buffers: values that lie at one place, and are changed there.
#include <cstring>

#include "model.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

Status PutBuffer(Pool* pool, uint32_t map, Bytes key, Bytes value) {
  Operation put{Operation::Kind::kPutBuffer, map, key, value};
  return pool->Write(&put, 1);
}

Status Put(Pool* pool, uint32_t map, Bytes key, Bytes value) {
  Operation put{Operation::Kind::kPut, map, key, value};
  return pool->Write(&put, 1);
}

Status Delete(Pool* pool, uint32_t map, Bytes key) {
  Operation put{Operation::Kind::kDelete, map, key, {}};
  return pool->Write(&put, 1);
}

struct Memory {
  char* at = nullptr;
  size_t size = 0;
  Bytes bytes() const { return {at, size}; }
};

Memory Get(const Snapshot& snapshot, uint32_t map, Bytes key) {
  Memory memory;
  EXPECT_OK(snapshot.GetBuffer(map, key, &memory.at, &memory.size));
  return memory;
}

Memory Get(Pool* pool, uint32_t map, Bytes key) { return Get(*Take(pool), map, key); }

// A pool with one map.
struct World {
  explicit World(const PoolOptions& options = {24 * kMiB, 0}) {
    EXPECT_OK(Pool::Create(path, options, &pool));
    Open();
  }
  void Open() { EXPECT_OK(pool->OpenMap("map", &map)); }
  void Again() {
    pool.reset();
    EXPECT_OK(Pool::Open(path, {}, &pool));
    Open();
  }

  Folder folder;
  std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  uint32_t map = 0;
};

TEST("a buffer holds what it was made of, or zeros") {
  World world;
  for (size_t size : {size_t{0}, size_t{1}, size_t{64}, size_t{500}, size_t{16384}, size_t{100000},
                      size_t{4 * kMiB}}) {
    std::string key = std::to_string(size), bytes(size, 'b');
    EXPECT_OK(PutBuffer(world.pool.get(), world.map, key, bytes));
    EXPECT(Get(world.pool.get(), world.map, key).bytes() == bytes);
    EXPECT_OK(PutBuffer(world.pool.get(), world.map, key, {nullptr, size}));
    EXPECT(Get(world.pool.get(), world.map, key).bytes() == std::string(size, '\0'));
    Bytes value;
    EXPECT_OK(Take(world.pool.get())->Get(world.map, key, &value));
    EXPECT(value == std::string(size, '\0'));
  }
}

TEST("what is stored in a buffer is there for all who read it, and stays") {
  World world;
  for (size_t size : {size_t{64}, size_t{20000}, size_t{4 * kMiB}}) {
    std::string key = std::to_string(size);
    EXPECT_OK(PutBuffer(world.pool.get(), world.map, key, {nullptr, size}));
    auto before = Take(world.pool.get());
    Memory memory = Get(world.pool.get(), world.map, key);
    memset(memory.at + 10, 'x', 20);
    EXPECT_OK(world.pool->FlushBuffer(memory.at + 10, 20));
    Bytes value;
    EXPECT_OK(before->Get(world.map, key, &value));
    EXPECT(value.substr(10, 20) == std::string(20, 'x'));
  }
  world.Again();
  for (size_t size : {size_t{64}, size_t{20000}, size_t{4 * kMiB}}) {
    Memory memory = Get(world.pool.get(), world.map, std::to_string(size));
    EXPECT(memory.size == size);
    EXPECT(memory.bytes().substr(0, 31) ==
           std::string(10, '\0') + std::string(20, 'x') + std::string(1, '\0'));
    auto cursor = Take(world.pool.get())->NewCursor(world.map);
    cursor->SeekAtLeast(std::to_string(size));
    EXPECT(cursor->Valid() && cursor->value() == memory.bytes());
  }
}

TEST("what is stored in a draft is taken back, or kept by what was stored") {
  World world({0, uint64_t{1} << 30});
  for (size_t size : {size_t{1000}, size_t{300000}, size_t{4 * kMiB}, size_t{40 * kMiB}}) {
    const std::string key = std::to_string(size), zeros(size, '\0');
    EXPECT_OK(PutBuffer(world.pool.get(), world.map, key, {nullptr, size}));
    const Memory memory = Get(world.pool.get(), world.map, key);
    auto store = [&] {
      EXPECT_OK(world.pool->DraftBuffer(memory.at, size));
      for (size_t at : {size_t{0}, size / 2, size - 1}) memory.at[at] = 'x';
    };
    store();
    EXPECT_OK(world.pool->DropDrafts());
    EXPECT_OK(world.pool->RestoreBuffers(0));
    EXPECT(memory.bytes() == zeros);
    store();
    EXPECT_OK(world.pool->KeepDrafts());
    EXPECT(world.pool->SavedBuffers() <= 5);
    EXPECT(memory.at[size / 2] == 'x');
    EXPECT_OK(world.pool->RestoreBuffers(0));
    EXPECT(memory.bytes() == zeros);
    store();
    EXPECT_OK(world.pool->KeepDrafts());
    EXPECT_OK(world.pool->WriteSaved(nullptr, 0));
  }
  // One that was never kept is gone with the process.
  const Memory last = Get(world.pool.get(), world.map, std::to_string(4 * kMiB));
  EXPECT_OK(world.pool->DraftBuffer(last.at, last.size));
  memset(last.at, 'y', last.size);
  world.Again();
  for (size_t size : {size_t{1000}, size_t{300000}, size_t{4 * kMiB}, size_t{40 * kMiB}}) {
    std::string expected(size, '\0');
    for (size_t at : {size_t{0}, size / 2, size - 1}) expected[at] = 'x';
    EXPECT(Get(world.pool.get(), world.map, std::to_string(size)).bytes() == expected);
  }
}

TEST("a map that is there is found, and none is made") {
  World world;
  uint32_t map = 0;
  EXPECT_OK(world.pool->FindMap("map", &map));
  EXPECT(map == world.map);
  EXPECT_CODE(kNotFound, world.pool->FindMap("other", &map));
  std::vector<std::string> names;
  EXPECT_OK(world.pool->ListMaps(&names));
  EXPECT(names.size() == 1);
}

TEST("only a buffer is given as one") {
  World world;
  EXPECT_OK(Put(world.pool.get(), world.map, "short", "value"));
  EXPECT_OK(Put(world.pool.get(), world.map, "long", std::string(500, 'v')));
  EXPECT_OK(PutBuffer(world.pool.get(), world.map, "buffer", "value"));
  Memory memory;
  auto snapshot = Take(world.pool.get());
  EXPECT_CODE(kInvalid, snapshot->GetBuffer(world.map, "short", &memory.at, &memory.size));
  EXPECT_CODE(kInvalid, snapshot->GetBuffer(world.map, "long", &memory.at, &memory.size));
  EXPECT_CODE(kNotFound, snapshot->GetBuffer(world.map, "none", &memory.at, &memory.size));
  EXPECT_CODE(kInvalid, snapshot->GetBuffer(99, "buffer", &memory.at, &memory.size));
  // The value in its place is no longer a buffer.
  for (size_t size : {size_t{5}, size_t{500}}) {
    EXPECT_OK(PutBuffer(world.pool.get(), world.map, "buffer", "value"));
    EXPECT_OK(Put(world.pool.get(), world.map, "buffer", std::string(size, 'w')));
    snapshot = Take(world.pool.get());
    EXPECT_CODE(kInvalid, snapshot->GetBuffer(world.map, "buffer", &memory.at, &memory.size));
  }
}

// Whatever else is written: splits, joins, growth, checkpoints.
TEST("a buffer stays where it is") {
  World world({0, uint64_t{1} << 30});
  std::vector<Memory> memories;
  for (int i = 0; i < 40; i++) {
    size_t size = i % 10 == 9 ? 4 * kMiB : 100u << i % 10;
    std::string key = "key " + std::to_string(i * 25);
    EXPECT_OK(PutBuffer(world.pool.get(), world.map, key, std::string(size, char('a' + i % 26))));
    memories.push_back(Get(world.pool.get(), world.map, key));
    EXPECT(reinterpret_cast<uintptr_t>(memories.back().at) % 16 == 0);
  }
  for (int round = 0; round < 4; round++) {
    Batch batch;
    for (int i = 0; i < 1000; i++) {
      std::string key = "key " + std::to_string(i);
      if (i % 25 == 0) continue;
      round % 2 == 0 ? batch.Put(world.map, key, std::string(i % 200, 'v'))
                     : batch.Delete(world.map, key);
    }
    EXPECT_OK(batch.WriteTo(world.pool.get()));
    EXPECT_OK(world.pool->Checkpoint());
  }
  for (int i = 0; i < 40; i++) {
    Memory memory = Get(world.pool.get(), world.map, "key " + std::to_string(i * 25));
    EXPECT(memory.at == memories[static_cast<size_t>(i)].at);
    EXPECT(memory.bytes() == std::string(memory.size, char('a' + i % 26)));
  }
}

// Each in another way to go.
TEST("a buffer that has gone lives as long as a snapshot that has it") {
  for (size_t size : {size_t{200}, size_t{20000}, size_t{4 * kMiB}}) {
    for (int way = 0; way < 5; way++) {
      World world;
      EXPECT_OK(PutBuffer(world.pool.get(), world.map, "k", std::string(size, 'b')));
      auto snapshot = Take(world.pool.get());
      Memory memory = Get(*snapshot, world.map, "k");
      Operation range{Operation::Kind::kDeleteRange, world.map, "", ""};
      if (way == 0) EXPECT_OK(Delete(world.pool.get(), world.map, "k"));
      if (way == 1) EXPECT_OK(world.pool->Write(&range, 1));
      if (way == 2) EXPECT_OK(world.pool->DropMap("map"));
      if (way == 3) EXPECT_OK(Put(world.pool.get(), world.map, "k", "another"));
      if (way == 4) EXPECT_OK(PutBuffer(world.pool.get(), world.map, "k", std::string(size, 'c')));
      world.Open();
      for (int i = 0; i < 3; i++) {
        EXPECT_OK(Put(world.pool.get(), world.map, "n", std::string(size, 'n')));
        EXPECT_OK(world.pool->Checkpoint());
      }
      EXPECT(memory.bytes() == std::string(size, 'b'));
      memory.at[0] = 'B';
      uint64_t used = world.pool->Stats().used;
      snapshot.reset();
      EXPECT_OK(Put(world.pool.get(), world.map, "n", ""));
      EXPECT_OK(world.pool->Checkpoint());
      EXPECT(world.pool->Stats().used < used);
    }
  }
}

TEST("a full pool refuses a buffer, and stays as it was") {
  for (bool folder : {false, true}) {
    World world({folder ? 0 : 8 * kMiB, folder ? 16 * kMiB : 0});
    for (size_t size : {size_t{2000}, size_t{100000}, size_t{4 * kMiB}}) {
      Operation all{Operation::Kind::kDeleteRange, world.map, "", ""};
      EXPECT_OK(world.pool->Write(&all, 1));
      Status status;
      std::vector<std::string> made;
      while (status.ok()) {
        std::string key = std::to_string(made.size());
        status = PutBuffer(world.pool.get(), world.map, key, {nullptr, size});
        if (status.ok()) made.push_back(key);
      }
      EXPECT(status.code() == Code::kNoSpace);
      if (made.empty()) continue;
      for (const std::string& key : made) {
        EXPECT(Get(world.pool.get(), world.map, key).size == size);
      }
      EXPECT_OK(Delete(world.pool.get(), world.map, made[0]));
      EXPECT_OK(PutBuffer(world.pool.get(), world.map, made[0], {nullptr, size}));
    }
  }
}

}  // namespace
