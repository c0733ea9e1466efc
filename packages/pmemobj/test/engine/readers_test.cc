// A reader sees one commit from when it has opened a pool until it closes, whatever writers do
// meanwhile, and whatever becomes of either process.
#include "readers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "engine/check/checker.h"
#include "engine/medium/reader_locks.h"
#include "subject.h"

using namespace potoroo;

namespace {

TEST("readers: what one reads stays, and goes with the last") {
  for (const Way& way : kWays) {
    Way::Set set(way.lines);
    Folder folder;
    const std::string path = folder / "pool";
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(path, way.Options(), &pool));
    WriteOver(pool.get(), 2);
    const uint64_t used = pool->Stats().used;
    // One has a log to replay, and one has none.
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
  const int one = open(path.c_str(), O_RDONLY | O_CLOEXEC),
            two = open(path.c_str(), O_RDWR | O_CLOEXEC);
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
