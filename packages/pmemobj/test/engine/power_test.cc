// Power cuts, simulated: the engine's calls of libpmemobj that make bytes durable are taken over
// here. A shadow of the pool gets a cache line only once it was flushed and a fence has passed; at
// a cut it also gets a random part of what is under way, torn at 8 bytes. What the shadow then
// holds has to open as the state of the last acknowledged batch, or the one after it.
#include <dlfcn.h>
#include <fcntl.h>
#include <libpmemobj.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <set>

#include "model.h"

using namespace potoroo;

namespace {

constexpr uint64_t kLine = 64;

struct Simulation {
  PMEMobjpool* pool = nullptr;
  std::string shadow;
  std::set<uint64_t> pending;  // lines that were flushed since the last fence
  std::function<void()> at_fence;

  char* base() const { return reinterpret_cast<char*>(pool); }
  void Flush(const void* address, size_t size) {
    uint64_t from = static_cast<uint64_t>(static_cast<const char*>(address) - base());
    for (uint64_t line = from / kLine; line * kLine < from + size; line++) pending.insert(line);
  }
  void Fence() {
    if (at_fence) at_fence();
    for (uint64_t line : pending) memcpy(&shadow[line * kLine], base() + line * kLine, kLine);
    pending.clear();
  }
  // What is on media if the power fails now.
  std::string Cut(Chance* chance) const {
    std::string image = shadow;
    uint64_t mood = chance->Below(3);
    for (uint64_t line : pending) {
      for (uint64_t word = line * kLine; word < (line + 1) * kLine; word += 8) {
        bool arrived = mood == 0 ? chance->Below(2) == 0 : mood == 1;
        if (arrived) memcpy(&image[word], base() + word, 8);
      }
    }
    return image;
  }
};

Simulation* simulation = nullptr;

bool Simulated(PMEMobjpool* pool) { return simulation != nullptr && simulation->pool == pool; }

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" void* pmemobj_memcpy(PMEMobjpool* pool, void* to, const void* from, size_t size,
                                unsigned flags) {
  static auto* real = Real<decltype(pmemobj_memcpy)>("pmemobj_memcpy");
  if (!Simulated(pool)) return real(pool, to, from, size, flags);
  memcpy(to, from, size);
  simulation->Flush(to, size);
  if (!(flags & PMEMOBJ_F_MEM_NODRAIN)) simulation->Fence();
  return to;
}

extern "C" void pmemobj_flush(PMEMobjpool* pool, const void* address, size_t size) {
  static auto* real = Real<decltype(pmemobj_flush)>("pmemobj_flush");
  if (!Simulated(pool)) return real(pool, address, size);
  simulation->Flush(address, size);
}

extern "C" void pmemobj_drain(PMEMobjpool* pool) {
  static auto* real = Real<decltype(pmemobj_drain)>("pmemobj_drain");
  if (!Simulated(pool)) return real(pool);
  simulation->Fence();
}

namespace {

void WriteImage(const std::string& path, const std::string& image) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  EXPECT(fd >= 0 && write(fd, image.data(), image.size()) == static_cast<ssize_t>(image.size()));
  close(fd);
}

bool Holds(const Snapshot& snapshot, uint32_t map, const Model& model) {
  auto cursor = snapshot.NewCursor(map);
  cursor->SeekFirst();
  for (const auto& entry : model) {
    if (!cursor->Valid() || cursor->key() != entry.first || cursor->value() != entry.second) {
      return false;
    }
    cursor->Next();
  }
  EXPECT_OK(cursor->status());
  return !cursor->Valid();
}

void WriteModel(const std::string& path, const Model& model) {
  FILE* file = fopen(path.c_str(), "w");
  EXPECT(file != nullptr);
  for (const auto& entry : model) {
    for (const std::string* text : {&entry.first, &entry.second}) {
      uint64_t size = text->size();
      EXPECT(fwrite(&size, sizeof size, 1, file) == 1);
      EXPECT(fwrite(text->data(), 1, size, file) == size);
    }
  }
  EXPECT(fclose(file) == 0);
}

Model ReadModel(const std::string& path) {
  FILE* file = fopen(path.c_str(), "r");
  EXPECT(file != nullptr);
  Model model;
  std::string texts[2];
  uint64_t size;
  for (int i = 0; fread(&size, sizeof size, 1, file) == 1; i = 1 - i) {
    texts[i].resize(size);
    EXPECT(fread(&texts[i][0], 1, size, file) == size);
    if (i == 1) model[texts[0]] = texts[1];
  }
  fclose(file);
  return model;
}

// image, model before, model after
int Verify(char** arguments) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(arguments[0], &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  auto snapshot = Take(pool.get());
  EXPECT(Holds(*snapshot, map, ReadModel(arguments[1])) ||
         Holds(*snapshot, map, ReadModel(arguments[2])));
  return 0;
}

const bool registered = (helper = Verify) != nullptr;

// In a process of its own: libpmemobj does not open a copy of a pool beside the pool.
void ExpectEither(const std::string& path, const Model& before, const Model& after) {
  std::string first = path + ".before", second = path + ".after";
  WriteModel(first, before);
  WriteModel(second, after);
  pid_t child = vfork();
  if (child == 0) {
    execl("/proc/self/exe", "tests", "--helper", path.c_str(), first.c_str(), second.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  int result;
  EXPECT(waitpid(child, &result, 0) == child && result == 0);
}

Batch RandomBatch(Chance* chance) {
  Batch batch;
  for (uint64_t i = 1 + chance->Below(chance->Below(5) == 0 ? 40 : 3); i > 0; i--) {
    // All within what the extents hold already: libpmemobj's own writes are not simulated.
    std::string key = chance->Key(200).substr(0, 1000), value = chance->Value().substr(0, 3000);
    chance->Below(4) > 0 ? batch.Put(0, key, value) : batch.Delete(0, key);
  }
  return batch;
}

TEST("power cuts") {
  Folder folder;
  std::string path = folder / "pool", image = folder / "image";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Batch fill, clear;
  for (int i = 0; i < 1500; i++) fill.Put(map, std::to_string(i), std::string(1500, 'v'));
  EXPECT_OK(fill.WriteTo(pool.get()));
  clear.DeleteRange(map, "", "");
  EXPECT_OK(clear.WriteTo(pool.get()));

  Simulation now;
  std::vector<Model> before(1), after(1);
  auto probe = Take(pool.get());
  Bytes none;
  EXPECT_CODE(kNotFound, probe->Get(map, "1", &none));
  probe.reset();
  Chance chance(42);
  int fences = 0, cuts = 0;
  now.at_fence = [&] {
    fences++;
    if (chance.Below(10) != 0) return;
    cuts++;
    WriteImage(image, now.Cut(&chance));
    ExpectEither(image, before[0], after[0]);
  };
  {
    Operation put{Operation::Kind::kPut, map, "where", std::string_view("is the pool's memory?")};
    EXPECT_OK(pool->Write(&put, 1));
    Bytes value;
    EXPECT_OK(Take(pool.get())->Get(map, "where", &value));
    now.pool = pmemobj_pool_by_ptr(value.data());
    EXPECT(now.pool != nullptr);
    before[0]["where"] = after[0]["where"] = std::string(value);
  }
  now.shadow.assign(now.base(), pool->Stats().size);
  simulation = &now;
  std::shared_ptr<Snapshot> kept;
  for (int i = 0; i < 800; i++) {
    if (i % 50 == 0) kept = Take(pool.get());
    if (i % 50 == 25) kept.reset();
    Batch batch = RandomBatch(&chance);
    batch.ApplyTo(&after);
    EXPECT_OK(batch.WriteTo(pool.get()));
    before = after;
    // What was acknowledged survives whatever happens next.
    if (i % 20 == 0) {
      WriteImage(image, now.Cut(&chance));
      ExpectEither(image, after[0], after[0]);
    }
  }
  simulation = nullptr;
  EXPECT(cuts > 100);
  EXPECT(fences > 1000);
}

}  // namespace
