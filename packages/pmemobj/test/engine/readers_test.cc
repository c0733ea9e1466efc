// Readers beside a writer: each sees one commit, from when it has opened until it closes, whatever the
// writer does meanwhile, and whatever becomes of either process.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <thread>

#include "digest.h"
#include "engine/base/fault.h"
#include "engine/check/checker.h"
#include "engine/medium/reader_locks.h"
#include "model.h"
#include "subject.h"

using namespace potoroo;
using engine::Fault;
using engine::planted_fault;

namespace {

constexpr uint64_t kMiB = 1 << 20;

PoolOptions Reading(const std::string& key = "") {
  PoolOptions options;
  options.read_only = true;
  options.key = key;
  return options;
}

struct Way {
  const char* name;
  bool lines;  // flushed by cache line
  bool folder;
  Durability durability;
  bool encrypted;

  PoolOptions Options() const {
    PoolOptions options;
    options.size = folder ? 0 : 256 * kMiB;
    options.max_size = folder ? 1024 * kMiB : 0;
    options.durability = durability;
    options.key = Key();
    return options;
  }
  std::string Key() const { return encrypted ? std::string(kKeySize, 'k') : std::string(); }
  // Until this goes, pools are flushed that way.
  struct Set {
    explicit Set(bool lines) : before(getenv("PMEM_IS_PMEM_FORCE") ?: "") {
      setenv("PMEM_IS_PMEM_FORCE", lines ? "1" : "0", 1);
    }
    ~Set() { setenv("PMEM_IS_PMEM_FORCE", before.c_str(), 1); }
    std::string before;
  };
};

constexpr Way kWays[] = {
    {"lines", true, true, Durability::kStrict, false},
    {"disk", false, true, Durability::kStrict, false},
    {"relaxed", false, false, Durability::kRelaxed, false},
    {"encrypted", true, false, Durability::kStrict, true},
    {"encrypted disk", false, true, Durability::kStrict, true},
};

Digest Read(Pool* pool) {
  Digest digest;
  EXPECT_OK(DigestOf(pool, &digest));
  return digest;
}

std::unique_ptr<Pool> OpenReader(const std::string& path, const std::string& key = "") {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, Reading(key), &pool));
  return pool;
}

// What a process and those that it forks share: what each commit has led to, or will.
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

// Of a process that has ended by itself, and well.
void ExpectWell(pid_t child) {
  int status;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// In a process of its own.
template <typename Work>
pid_t Fork(Work work) {
  fflush(nullptr);
  pid_t child = fork();
  EXPECT(child >= 0);
  if (child != 0) return child;
  work();
  _exit(0);
}

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
    // Nobody can open a pool while one that is not open is checked.
    if (count++ % 10 == 0 && shared->acknowledged > 0) {
      CheckReport report;
      EXPECT_OK(Check(path, &report, way.Key()));
      for (const CheckProblem& problem : report.problems) fprintf(stderr, "%s\n", problem.message.c_str());
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

void Put(Pool* pool, const std::string& key, const std::string& value) {
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Batch batch;
  batch.Put(map, key, value);
  EXPECT_OK(batch.WriteTo(pool));
}

// Writes the space of a small pool over and over.
void WriteOver(Pool* pool, int times) {
  for (int i = 0; i < times; i++) {
    for (int key = 0; key < 20; key++) {
      Put(pool, "over " + std::to_string(key), std::string(100000, static_cast<char>('a' + i % 26)));
    }
    for (int key = 0; key < 200; key++) {
      Put(pool, "small " + std::to_string(key), std::to_string(i));
    }
    EXPECT_OK(pool->Checkpoint());
  }
}

TEST("readers: what one reads stays, and goes with the last") {
  for (const Way& way : kWays) {
    Way::Set set(way.lines);
    Folder folder;
    const std::string path = folder / "pool";
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(path, way.Options(), &pool));
    WriteOver(pool.get(), 2);
    const uint64_t used = pool->Stats().used;
    // One with a log to be done anew, and one without.
    auto first = OpenReader(path, way.Key());
    Put(pool.get(), "small 3", "changed");
    auto second = OpenReader(path, way.Key());
    const Digest before = Read(first.get()), after = Read(second.get());
    EXPECT(before != after);
    EXPECT(pool->Stats().snapshots == 0);
    WriteOver(pool.get(), 60);
    EXPECT(Read(first.get()) == before);
    EXPECT(Read(second.get()) == after);
    EXPECT(pool->Stats().used > used + 20 * 100000);
    EXPECT_OK(first->Close());
    EXPECT_OK(pool->Checkpoint());
    EXPECT(pool->Stats().used > used + 20 * 100000);
    EXPECT_OK(second->Close());
    WriteOver(pool.get(), 1);
    WriteOver(pool.get(), 1);
    EXPECT(pool->Stats().used < used + 20 * 100000);
  }
}

TEST("readers: a reader that is killed keeps nothing") {
  Folder folder;
  const std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, kWays[0].Options(), &pool));
  EXPECT_OK(pool->Close());
  int ready[2];
  EXPECT(pipe(ready) == 0);
  pid_t child = Fork([&] {
    auto reader = OpenReader(path);
    EXPECT(write(ready[1], "r", 1) == 1);
    pause();
  });
  char byte;
  EXPECT(read(ready[0], &byte, 1) == 1);
  EXPECT_OK(Pool::Open(path, {}, &pool));
  WriteOver(pool.get(), 3);
  const uint64_t kept = pool->Stats().used;
  kill(child, SIGKILL);
  int status;
  EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
  WriteOver(pool.get(), 2);
  EXPECT(pool->Stats().used <= kept);
  close(ready[0]);
  close(ready[1]);
}

TEST("readers: of a pool that nobody has open") {
  for (const Way& way : kWays) {
    Way::Set set(way.lines);
    Folder folder;
    const std::string path = folder / "pool";
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(path, way.Options(), &pool));
    auto empty = OpenReader(path, way.Key());
    std::vector<std::string> names;
    EXPECT_OK(empty->ListMaps(&names));
    EXPECT(names.empty());
    WriteOver(pool.get(), 1);
    Put(pool.get(), "big", std::string(5 * kMiB, 'b'));
    Put(pool.get(), "small 1", "later");
    const Digest digest = Read(pool.get());
    EXPECT_OK(pool->Close());
    auto reader = OpenReader(path, way.Key());
    EXPECT(Read(reader.get()) == digest);
    auto another = OpenReader(path, way.Key());
    EXPECT(Read(another.get()) == digest);
    if (way.encrypted) {
      EXPECT_CODE(kKeyNeeded, Pool::Open(path, Reading(), &pool));
      EXPECT_CODE(kWrongKey, Pool::Open(path, Reading(std::string(kKeySize, 'o')), &pool));
    } else {
      EXPECT_CODE(kNotEncrypted, Pool::Open(path, Reading(std::string(kKeySize, 'o')), &pool));
    }
  }
}

TEST("readers: whether a pool lies on persistent memory is what a writer says") {
  for (const Way& way : kWays) {
    Way::Set set(way.lines);
    Folder folder;
    const std::string path = folder / "pool";
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(path, way.Options(), &pool));
    EXPECT(pool->Stats().is_pmem == way.lines);
    auto reader = OpenReader(path, way.Key());
    EXPECT(reader->Stats().is_pmem == way.lines);
  }
}

// The byte of a lock is that of a checkpoint.
TEST("readers: a lock shows to others, and where that cannot be asked, there may be one") {
  Folder folder;
  const std::string path = folder / "locked";
  WriteFile(path, "a file");
  const int one = open(path.c_str(), O_RDONLY | O_CLOEXEC), two = open(path.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT(one >= 0 && two >= 0);
  EXPECT(!engine::IsRead(two, 0, 100));
  EXPECT_OK(engine::LockForReader(one, 7));
  EXPECT(engine::IsRead(two, 7, 7) && engine::IsRead(two, 0, 100));
  EXPECT(!engine::IsRead(two, 0, 6) && !engine::IsRead(two, 8, 100));
  engine::UnlockForReader(one, 7);
  EXPECT(!engine::IsRead(two, 7, 7));
  EXPECT_OK(engine::LockForReader(one, 9));
  close(one);
  EXPECT(!engine::IsRead(two, 9, 9));
  close(two);
  EXPECT(engine::IsRead(two, 9, 9) && engine::IsRead(-1, 0, 100));
  EXPECT_CODE(kIo, engine::LockForReader(-1, 9));
}

TEST("readers: all calls that write are refused") {
  Folder folder;
  const std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, kWays[0].Options(), &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Batch put;
  put.Put(map, "key", "value");
  put.PutBuffer(map, "buffer", "bytes");
  EXPECT_OK(put.WriteTo(pool.get()));
  auto reader = OpenReader(path);
  EXPECT_OK(reader->OpenMap("map", &map));
  Batch again;
  again.Put(map, "key", "other");
  EXPECT_CODE(kReadOnly, again.WriteTo(reader.get()));
  uint64_t commit = 0;
  EXPECT_CODE(kReadOnly, reader->Write(again.operations().data(), 1, &commit));
  EXPECT_CODE(kNotFound, reader->OpenMap("another", &map));
  EXPECT_CODE(kReadOnly, reader->DropMap("map"));
  EXPECT_CODE(kReadOnly, reader->Checkpoint());
  bool done;
  EXPECT_CODE(kReadOnly, reader->Compact(&done));
  EXPECT_CODE(kReadOnly, reader->RotateKey(std::string(kKeySize, 'k')));
  char byte = 0;
  EXPECT_CODE(kReadOnly, reader->FlushBuffer(&byte, 1));
  EXPECT_CODE(kReadOnly, reader->SaveBuffer(&byte, 1));
  EXPECT_CODE(kReadOnly, reader->RestoreBuffers(0));
  EXPECT_CODE(kReadOnly, reader->WriteSaved(nullptr, 0));
  EXPECT_OK(reader->Flush());
  EXPECT_OK(reader->OpenMap("map", &map));
  auto snapshot = Take(reader.get());
  char* memory;
  size_t size;
  EXPECT_CODE(kReadOnly, snapshot->GetBuffer(map, "buffer", &memory, &size));
  Bytes value;
  EXPECT_OK(snapshot->Get(map, "buffer", &value));
  EXPECT(value == "bytes");
  ScrubStep step;
  while (!step.done) EXPECT_OK(reader->Scrub(kMiB, &step));
  EXPECT(step.faults.empty());
  EXPECT(reader->BytesOnDisk() > 0);
  PoolStats stats = reader->Stats();
  EXPECT(stats.size > 0 && stats.free == 0 && stats.epoch == pool->epoch());
  EXPECT_OK(reader->Close());
  EXPECT_CODE(kInvalid, snapshot->Get(map, "key", &value));
}

TEST("readers: of a folder and files that may only be read") {
  Folder folder;
  const std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, kWays[0].Options(), &pool));
  WriteOver(pool.get(), 1);
  const Digest digest = Read(pool.get());
  EXPECT_OK(pool->Close());
  EXPECT(system(("chmod a-w " + path + "/* " + path).c_str()) == 0);
  // Not even root could write to it then, were it mapped to be written.
  pid_t child = Fork([&] {
    if (geteuid() == 0) {
      EXPECT(system(("chmod -R a+rX " + path + " " + (folder / "")).c_str()) == 0);
      EXPECT(setgid(65534) == 0 && setuid(65534) == 0);
    }
    auto reader = OpenReader(path);
    EXPECT(Read(reader.get()) == digest);
    std::unique_ptr<Pool> writer;
    EXPECT_CODE(kPermission, Pool::Open(path, {}, &writer));
  });
  ExpectWell(child);
}

TEST("readers: what is no pool") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kNotFound, Pool::Open(folder / "none", Reading(), &pool));
  EXPECT_CODE(kNotAPool, Pool::Open(folder / "", Reading(), &pool));
  WriteFile(folder / "text", "text");
  EXPECT_CODE(kNotAPool, Pool::Open(folder / "text", Reading(), &pool));
  WriteFile(folder / "big", std::string(9 * kMiB, 'x'));
  EXPECT_CODE(kNotAPool, Pool::Open(folder / "big", Reading(), &pool));
}

// A writer that ends without closing, and another one after it.
void ExpectKeptAcrossOpenings(const std::string& path, const Way& way) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, way.Options(), &pool));
  WriteOver(pool.get(), 2);
  EXPECT_OK(pool->Close());
  int ready[2], go[2];
  EXPECT(pipe(ready) == 0 && pipe(go) == 0);
  char byte;
  pid_t writer = Fork([&] {
    std::unique_ptr<Pool> mine;
    EXPECT_OK(Pool::Open(path, way.Options(), &mine));
    WriteOver(mine.get(), 3);
    EXPECT(write(ready[1], "w", 1) == 1);
    EXPECT(read(go[0], &byte, 1) == 1);
    // Makes what is read one of the past.
    WriteOver(mine.get(), 3);
    EXPECT(write(ready[1], "w", 1) == 1);
    pause();
  });
  EXPECT(read(ready[0], &byte, 1) == 1);
  auto reader = OpenReader(path, way.Key());
  const Digest digest = Read(reader.get());
  EXPECT(write(go[1], "g", 1) == 1);
  EXPECT(read(ready[0], &byte, 1) == 1);
  kill(writer, SIGKILL);
  int status;
  EXPECT(waitpid(writer, &status, 0) == writer && WIFSIGNALED(status));
  EXPECT_OK(Pool::Open(path, way.Options(), &pool));
  auto later = OpenReader(path, way.Key());
  const Digest after = Read(later.get());
  WriteOver(pool.get(), 30);
  EXPECT(Read(later.get()) == after);
  EXPECT(Read(reader.get()) == digest);
  const uint64_t size = pool->Stats().used;
  EXPECT_OK(reader->Close());
  WriteOver(pool.get(), 3);
  EXPECT(Read(later.get()) == after);
  EXPECT_OK(later->Close());
  WriteOver(pool.get(), 2);
  EXPECT(pool->Stats().used < size);
  const Digest last = Read(pool.get());
  EXPECT_OK(pool->Close());
  EXPECT_OK(Pool::Open(path, way.Options(), &pool));
  EXPECT(Read(pool.get()) == last);
  EXPECT_OK(pool->Close());
  CheckReport report;
  EXPECT_OK(Check(path, &report, way.Key()));
  EXPECT(report.sound());
  for (int fd : {ready[0], ready[1], go[0], go[1]}) close(fd);
}

TEST("readers: what one reads stays, whoever opens the pool to write") {
  for (const Way& way : kWays) {
    Way::Set set(way.lines);
    Folder folder;
    ExpectKeptAcrossOpenings(folder / "pool", way);
  }
}

Pool* racing = nullptr;

// So small that what is given up is soon written over.
PoolOptions Small() {
  PoolOptions options;
  options.size = 12 * kMiB;
  return options;
}

// Whether what a reader of a new pool sees is the same after a writer has written everything over;
// before the reader's lock, `race` is called with the pool.
bool StaysTheSame(Fault fault, void (*race)()) {
  Folder folder;
  std::unique_ptr<Pool> pool, reader;
  EXPECT_OK(Pool::Create(folder / "pool", Small(), &pool));
  WriteOver(pool.get(), 2);
  racing = pool.get();
  planted_fault = fault;
  engine::before_reader_lock = race;
  Status status = Pool::Open(folder / "pool", Reading(), &reader);
  Digest before = 0, after = 0;
  if (status.ok()) status = DigestOf(reader.get(), &before);
  WriteOver(pool.get(), 20);
  if (status.ok()) status = DigestOf(reader.get(), &after);
  planted_fault = Fault::kNone;
  return status.ok() && before == after;
}

void WriteOnce() {
  engine::before_reader_lock = nullptr;
  WriteOver(racing, 1);
}

TEST("planted: a writer that does not ask for readers") {
  EXPECT(StaysTheSame(Fault::kNone, nullptr));
  EXPECT(!StaysTheSame(Fault::kUnasked, nullptr));
}

TEST("planted: a reader that does not look again") {
  EXPECT(StaysTheSame(Fault::kNone, WriteOnce));
  EXPECT(!StaysTheSame(Fault::kUnlooked, WriteOnce));
}

// The same where the pool is opened to write by another one, after the reader's.
bool StaysTheSameThen(Fault fault) {
  Folder folder;
  const std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, Small(), &pool));
  WriteOver(pool.get(), 2);
  auto reader = OpenReader(path);
  const Digest before = Read(reader.get());
  WriteOver(pool.get(), 1);
  EXPECT_OK(pool->Close());
  planted_fault = fault;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  planted_fault = Fault::kNone;
  // Without other space.
  for (int i = 0; i < 200; i++) {
    uint32_t map;
    EXPECT_OK(pool->OpenMap("map", &map));
    Batch batch;
    batch.Put(map, "over " + std::to_string(i % 20), std::string(100000, 'z'));
    (void)batch.WriteTo(pool.get());
  }
  Digest after;
  return DigestOf(reader.get(), &after).ok() && before == after;
}

TEST("planted: an opening that takes what others may read") {
  EXPECT(StaysTheSameThen(Fault::kNone));
  EXPECT(!StaysTheSameThen(Fault::kUnmerged));
}

// Damage is found, or has not hit what is read; in any case nothing else happens.
TEST("readers: damaged pools") {
  Folder folder;
  const std::string path = folder / "pool";
  Subject subject = MakeSubject(path);
  const std::string bytes = ReadFile(path);
  std::mt19937_64 random(7);
  auto damage = [&](uint64_t from, uint64_t size) {
    std::string damaged = bytes;
    damaged[from + random() % size] ^= static_cast<char>(1 + random() % 255);
    WriteFile(path, damaged);
    std::unique_ptr<Pool> pool;
    Digest digest;
    if (Pool::Open(path, Reading(), &pool).ok()) (void)DigestOf(pool.get(), &digest);
  };
  for (int i = 0; i < 5; i++) {
    damage(0, 8192);
    damage(subject.root_object, engine::kRootSize);
    damage(subject.superblock, 4096 * 3);
    damage(subject.directory, engine::kPageSize);
    damage(subject.root, engine::kPageSize);
    damage(subject.leaves[random() % subject.leaves.size()], engine::kPageSize);
  }
  for (uint64_t size : {uint64_t{0}, uint64_t{5000}, 8 * kMiB, bytes.size() / 2 / 4096 * 4096}) {
    WriteFile(path, bytes.substr(0, size));
    std::unique_ptr<Pool> pool;
    Digest digest;
    if (Pool::Open(path, Reading(), &pool).ok()) (void)DigestOf(pool.get(), &digest);
  }
  // A file that is cut short while it is read.
  WriteFile(path, bytes);
  auto pool = OpenReader(path);
  EXPECT(truncate(path.c_str(), 4096) == 0);
  Digest digest;
  EXPECT(!DigestOf(pool.get(), &digest).ok());
}

}  // namespace
