// Readers beside a process that writes at random: each sees one commit, whatever the writer does
// meanwhile.
#include <sys/mman.h>

#include <atomic>
#include <deque>

#include "engine/check/checker.h"
#include "readers.h"

using namespace potoroo;

namespace {

// A process and its children share what each commit has led to, or will.
struct Shared {
  static constexpr size_t kEpochs = 1 << 20;
  std::atomic<uint64_t> acknowledged{0};
  std::atomic<bool> done{false};
  std::atomic<Digest> digests[kEpochs];

  static Shared* Make() {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT(memory != MAP_FAILED);
    return new (memory) Shared;
  }
  void Free() { munmap(this, sizeof *this); }
};

// Writes at random, and keeps up what each commit leads to.
class Writer {
 public:
  Writer(Pool* pool, Shared* shared, uint64_t seed) : pool_(pool), shared_(shared), chance_(seed) {}

  void Step() {
    const uint64_t what = chance_.Below(100);
    if (what < 85) {
      Write(1 + chance_.Below(what < 5 ? 300 : 10));
    } else if (what < 87) {
      PutBig();
    } else if (what < 90) {
      DropOne();
    } else if (what < 93) {
      EXPECT_OK(pool_->Checkpoint());
    } else {
      bool done = false;
      for (uint64_t i = chance_.Below(20); i > 0 && !done; i--) EXPECT_OK(pool_->Compact(&done));
    }
  }
  const Maps& maps() const { return maps_; }

 private:
  // The next commit leads to what maps_ has now.
  void Announce() { shared_->digests[pool_->epoch() + 1] = maps_.digest(); }
  void Acknowledge() { shared_->acknowledged = pool_->epoch(); }
  std::string Name() { return "map " + std::to_string(chance_.Below(4)); }

  uint32_t Open(const std::string& name) {
    uint32_t map;
    if (!maps_.Has(name)) {
      maps_.Open(name);
      Announce();
    }
    EXPECT_OK(pool_->OpenMap(name, &map));
    Acknowledge();
    return map;
  }
  void Commit(const Batch& batch) {
    Announce();
    EXPECT_OK(batch.WriteTo(pool_));
    Acknowledge();
  }
  // So that each commit changes something.
  void Count(Batch* batch, const std::string& name, uint32_t map) {
    std::string count = std::to_string(++count_);
    batch->Put(map, "count", count);
    maps_.Put(name, "count", count);
  }
  void Write(uint64_t count) {
    const std::string name = Name();
    const uint32_t map = Open(name);
    Batch batch;
    for (; count > 0; count--) {
      std::string key = chance_.Key(300), value = chance_.Value();
      if (chance_.Below(3) == 0) {
        batch.Delete(map, key);
        maps_.Delete(name, key);
      } else {
        batch.Put(map, key, value);
        maps_.Put(name, key, value);
      }
    }
    if (chance_.Below(20) == 0) {
      std::string from = chance_.Key(300), to = chance_.Key(300);
      if (from < to) {
        batch.DeleteRange(map, from, to);
        maps_.DeleteRange(name, from, to);
      }
    }
    Count(&batch, name, map);
    Commit(batch);
  }
  void PutBig() {
    const std::string name = Name();
    const uint32_t map = Open(name);
    Batch batch;
    std::string key = "big " + std::to_string(chance_.Below(2));
    std::string value = chance_.Bytes(3 * kMiB + chance_.Below(2 * kMiB));
    batch.Put(map, key, value);
    maps_.Put(name, key, value);
    Count(&batch, name, map);
    Commit(batch);
  }
  void DropOne() {
    const std::string name = Name();
    if (!maps_.Has(name)) return;
    maps_.Drop(name);
    Announce();
    EXPECT_OK(pool_->DropMap(name));
    Acknowledge();
  }

  Pool* pool_;
  Shared* shared_;
  Chance chance_;
  Maps maps_;
  uint64_t count_ = 0;
};

struct Reader {
  std::unique_ptr<Pool> pool;
  Digest digest;
};

Reader OpenAndExpect(const std::string& path, const Way& way, Shared* shared) {
  const uint64_t least = shared->acknowledged;
  Reader reader{OpenReader(path, way.Key()), 0};
  reader.digest = Read(reader.pool.get());
  const uint64_t epoch = reader.pool->epoch();
  EXPECT(epoch >= least);
  if (epoch > 0) EXPECT(reader.digest == shared->digests[epoch]);
  return reader;
}

void ReadBesideWriter(const Way& way, uint64_t seed) {
  Way::Set set(way.lines);
  Folder folder;
  const std::string path = folder / "pool";
  Shared* shared = Shared::Make();
  {
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(path, way.Options(), &pool));
  }
  pid_t child = Fork([&] {
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Open(path, way.Options(), &pool));
    Writer writer(pool.get(), shared, seed);
    for (int i = 0; i < 1500; i++) writer.Step();
    EXPECT_OK(pool->Close());
    shared->done = true;
  });
  std::deque<Reader> readers;
  int count = 0;
  while (!shared->done || count < 3) {
    readers.push_back(OpenAndExpect(path, way, shared));
    // No process can open a pool while it is checked unopened.
    if (count++ % 10 == 0 && shared->acknowledged > 0) {
      CheckReport report;
      EXPECT_OK(Check(path, &report, way.Key()));
      for (const CheckProblem& problem : report.problems)
        fprintf(stderr, "%s\n", problem.message.c_str());
      EXPECT(report.sound());
    }
    int ended;
    EXPECT(shared->done || waitpid(child, &ended, WNOHANG) == 0 || shared->done);
    if (readers.size() < 4) continue;
    EXPECT(Read(readers.front().pool.get()) == readers.front().digest);
    readers.pop_front();
  }
  for (Reader& reader : readers) EXPECT(Read(reader.pool.get()) == reader.digest);
  printf(" %d", count);
  readers.clear();
  int status;
  if (waitpid(child, &status, 0) == child) EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  shared->Free();
  CheckReport report;
  EXPECT_OK(Check(path, &report, way.Key()));
  EXPECT(report.sound());
}

TEST("readers: beside a process that writes") { ReadBesideWriter(kWays[0], 1); }
TEST("readers: beside a process that writes to a disk") { ReadBesideWriter(kWays[1], 2); }
TEST("readers: beside a process that writes, relaxed") { ReadBesideWriter(kWays[2], 3); }
TEST("readers: of an encrypted pool, beside a process that writes") {
  ReadBesideWriter(kWays[3], 4);
  ReadBesideWriter(kWays[4], 5);
}

}  // namespace
