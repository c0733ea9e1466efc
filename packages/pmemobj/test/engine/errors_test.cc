// Each error code, by what brings it about.
#include <fcntl.h>
#include <libpmemobj.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "engine/check/checker.h"
#include "forge.h"
#include "model.h"

using namespace potoroo;

namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

void WriteFile(const std::string& path, const std::string& text) {
  FILE* file = fopen(path.c_str(), "w");
  EXPECT(file != nullptr);
  EXPECT(fwrite(text.data(), 1, text.size(), file) == text.size());
  fclose(file);
}

void Patch(const std::string& path, off_t at, const std::string& bytes) {
  int fd = open(path.c_str(), O_RDWR);
  EXPECT(fd >= 0);
  EXPECT(pwrite(fd, bytes.data(), bytes.size(), at) == static_cast<ssize_t>(bytes.size()));
  close(fd);
}

void CreateBoth(const Folder& folder) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "file", {}, &pool));
  pool.reset();
  EXPECT_OK(Pool::Create(folder / "set", {0, kGiB}, &pool));
}

TEST("what is missing is not found") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kNotFound, Pool::Open(folder / "nothing", {}, &pool));
  EXPECT(pool == nullptr);
}

TEST("what exists is not made again") {
  Folder folder;
  CreateBoth(folder);
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kExists, Pool::Create(folder / "file", {}, &pool));
  EXPECT_CODE(kExists, Pool::Create(folder / "set", {0, kGiB}, &pool));
  EXPECT_OK(Pool::Open(folder / "file", {}, &pool));
  EXPECT_OK(Pool::Open(folder / "set", {}, &pool));
}

TEST("other files and folders are no pools") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  WriteFile(folder / "text", "Dear reader,\n");
  EXPECT_CODE(kNotAPool, Pool::Open(folder / "text", {}, &pool));
  WriteFile(folder / "empty", "");
  EXPECT_CODE(kNotAPool, Pool::Open(folder / "empty", {}, &pool));
  WriteFile(folder / "zeros", std::string(16 << 20, '\0'));
  EXPECT_CODE(kNotAPool, Pool::Open(folder / "zeros", {}, &pool));
  EXPECT(mkdir((folder / "folder").c_str(), 0700) == 0);
  EXPECT_CODE(kNotAPool, Pool::Open(folder / "folder", {}, &pool));
  WriteFile(folder / "folder/pool.set", "PMEMPOOLSET\nOPTION SINGLEHDR\n1073741824 /nowhere\n");
  EXPECT_CODE(kNotAPool, Pool::Open(folder / "folder", {}, &pool));
  WriteFile(folder / "folder/pool.set", "PMEMPOOLSET\n");
  EXPECT_CODE(kNotAPool, Pool::Open(folder / "folder", {}, &pool));
  EXPECT_CODE(kNotAPool, Pool::Open("/dev/null", {}, &pool));
}

TEST("a pool of another program is not ours") {
  Folder folder;
  std::string path = folder / "other";
  PMEMobjpool* other = pmemobj_create(path.c_str(), "other", PMEMOBJ_MIN_POOL, 0600);
  EXPECT(other != nullptr);
  pmemobj_close(other);
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kNotAPool, Pool::Open(path, {}, &pool));
}

TEST("a pool of our name without a superblock is corrupt") {
  Folder folder;
  std::string path = folder / "bare";
  PMEMobjpool* bare = pmemobj_create(path.c_str(), "potoroo", PMEMOBJ_MIN_POOL, 0600);
  EXPECT(bare != nullptr);
  pmemobj_close(bare);
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kCorrupt, Pool::Open(path, {}, &pool));
}

TEST("another layout version is told from damage") {
  Folder folder;
  CreateBoth(folder);
  std::string path = folder / "file";
  off_t at = FindSuperblock(path);
  std::unique_ptr<Pool> pool;
  // A later version, with a checksum that holds.
  EXPECT_OK(OverwriteSuperblock(path, at, [](auto* block) { block->layout_version = 4; }));
  EXPECT_CODE(kLayoutVersion, Pool::Open(path, {}, &pool));
  Patch(path, at + 8, std::string("\3\0\0\0", 4));
  EXPECT_CODE(kCorrupt, Pool::Open(path, {}, &pool));
}

TEST("a pool with features that are not known is told from damage") {
  Folder folder;
  CreateBoth(folder);
  std::string path = folder / "file";
  off_t at = FindSuperblock(path);
  std::unique_ptr<Pool> pool;
  CheckReport report;
  EXPECT_OK(OverwriteSuperblock(path, at, [](auto* block) { block->optional = ~uint64_t{0}; }));
  EXPECT_OK(Pool::Open(path, {}, &pool));
  pool.reset();
  EXPECT_OK(OverwriteSuperblock(path, at, [](auto* block) { block->required |= 1ull << 63; }));
  EXPECT_CODE(kLayoutVersion, Pool::Open(path, {}, &pool));
  EXPECT_CODE(kLayoutVersion, Check(path, &report));
}

TEST("both root slots damaged is corrupt, one is not") {
  Folder folder;
  CreateBoth(folder);
  std::string path = folder / "file";
  off_t at = FindSuperblock(path);
  std::unique_ptr<Pool> pool;
  Patch(path, at + 4096 + 3, "x");
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  EXPECT(report.sound() && report.notes.size() == 1 && report.notes[0].kind == "root");
  EXPECT_OK(Pool::Open(path, {}, &pool));
  pool.reset();
  Patch(path, at + 8192 + 3, "x");
  EXPECT_CODE(kCorrupt, Pool::Open(path, {}, &pool));
}

TEST("a pool that is open is in use") {
  Folder folder;
  CreateBoth(folder);
  for (const char* name : {"file", "set"}) {
    std::unique_ptr<Pool> pool, second;
    EXPECT_OK(Pool::Open(folder / name, {}, &pool));
    EXPECT_CODE(kInUse, Pool::Open(folder / name, {}, &second));
    pid_t child = fork();
    if (child == 0) {
      Status status = Pool::Open(folder / name, {}, &second);
      _exit(status.code() == Code::kInUse ? 0 : 1);
    }
    int result;
    EXPECT(waitpid(child, &result, 0) == child && result == 0);
    pool.reset();
    EXPECT_OK(Pool::Open(folder / name, {}, &second));
  }
}

TEST("a pool without permission") {
  // The superuser may open everything: as somebody else, in a child.
  Folder folder;
  CreateBoth(folder);
  EXPECT(chmod((folder / "").c_str(), 0755) == 0);
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
    if (geteuid() != 65534) chmod((folder / "file").c_str(), 0);
    std::unique_ptr<Pool> pool;
    if (Pool::Open(folder / "file", {}, &pool).code() != Code::kPermission) _exit(3);
    if (getuid() == 65534 && Pool::Open(folder / "set", {}, &pool).code() != Code::kPermission)
      _exit(4);
    if (getuid() == 65534 && Pool::Create(folder / "more", {}, &pool).code() != Code::kPermission) {
      _exit(5);
    }
    _exit(0);
  }
  int result;
  EXPECT(waitpid(child, &result, 0) == child);
  EXPECT(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

TEST("arguments out of range") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kInvalid, Pool::Create(folder / "small", {0, 1 << 20}, &pool));
  EXPECT_OK(Pool::Create(folder / "pool", {}, &pool));
  uint32_t map;
  EXPECT_CODE(kInvalid, pool->OpenMap("", &map));
  EXPECT_CODE(kInvalid, pool->OpenMap(std::string(256, 'n'), &map));
  EXPECT_OK(pool->OpenMap(std::string(255, 'n'), &map));
  std::string key(kMaxKeySize + 1, 'k');
  Operation put{Operation::Kind::kPut, map, key, "v"};
  EXPECT_CODE(kInvalid, pool->Write(&put, 1));
  put.key = Bytes(key).substr(1);
  EXPECT_OK(pool->Write(&put, 1));
  put.map = 7;
  EXPECT_CODE(kInvalid, pool->Write(&put, 1));
  EXPECT_OK(pool->Write(nullptr, 0));
  Bytes value;
  EXPECT_CODE(kNotFound, Take(pool.get())->Get(map, key, &value));
  EXPECT_CODE(kInvalid, Take(pool.get())->Get(9, key, &value));
}

TEST("snapshots and cursors of a closed pool are invalid") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Operation put{Operation::Kind::kPut, map, "key", "value"};
  EXPECT_OK(pool->Write(&put, 1));
  auto snapshot = Take(pool.get());
  auto cursor = snapshot->NewCursor(map);
  cursor->SeekFirst();
  EXPECT(cursor->Valid());
  pool.reset();
  EXPECT(!cursor->Valid());
  EXPECT_CODE(kInvalid, cursor->status());
  cursor->Next();
  cursor->SeekFirst();
  cursor->SeekAtMost("x");
  EXPECT(!cursor->Valid());
  Bytes value;
  EXPECT_CODE(kInvalid, snapshot->Get(map, "key", &value));
  EXPECT(!snapshot->NewCursor(map)->Valid());
}

TEST("maps are made, listed, dropped and made again") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  std::vector<std::string> names;
  EXPECT_OK(Pool::Create(folder / "pool", {0, kGiB}, &pool));
  EXPECT_OK(pool->ListMaps(&names));
  EXPECT(names.empty());
  uint64_t used = pool->Stats().used;
  uint32_t b, a, again;
  EXPECT_OK(pool->OpenMap("b", &b));
  EXPECT_OK(pool->OpenMap("a", &a));
  EXPECT_OK(pool->OpenMap("b", &again));
  EXPECT(again == b && a != b);
  Batch batch;
  for (int i = 0; i < 3000; i++) batch.Put(b, std::to_string(i), std::string(i, 'v'));
  batch.Put(b, "big", std::string(4 << 20, 'v'));
  EXPECT_OK(batch.WriteTo(pool.get()));
  EXPECT_OK(pool->ListMaps(&names));
  EXPECT((names == std::vector<std::string>{"a", "b"}));
  auto before = Take(pool.get());
  EXPECT_OK(pool->DropMap("b"));
  EXPECT_CODE(kNotFound, pool->DropMap("b"));
  Operation put{Operation::Kind::kPut, b, "key", "value"};
  EXPECT_CODE(kNotFound, pool->Write(&put, 1));
  Bytes value;
  EXPECT_OK(before->Get(b, "big", &value));
  EXPECT(value.size() == 4 << 20 && value.back() == 'v');
  before.reset();
  EXPECT_OK(pool->OpenMap("b", &again));
  EXPECT_CODE(kNotFound, Take(pool.get())->Get(again, "1", &value));
  EXPECT_OK(pool->DropMap("a"));
  EXPECT_OK(pool->DropMap("b"));
  EXPECT_OK(pool->Checkpoint());
  EXPECT(pool->Stats().used == used);
}

TEST("many maps, also with long names") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {0, kGiB}, &pool));
  Batch batch;
  for (int i = 0; i < 600; i++) {
    uint32_t map;
    std::string number = std::to_string(i);
    EXPECT_OK(pool->OpenMap(std::string(255 - number.size(), 'n') + number, &map));
    batch.Put(map, "key", number);
  }
  EXPECT_OK(batch.WriteTo(pool.get()));
  pool.reset();
  EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
  std::vector<std::string> names;
  EXPECT_OK(pool->ListMaps(&names));
  EXPECT(names.size() == 600);
  for (const std::string& name : names) {
    uint32_t map;
    Bytes value;
    EXPECT_OK(pool->OpenMap(name, &map));
    auto snapshot = Take(pool.get());
    EXPECT_OK(snapshot->Get(map, "key", &value));
    EXPECT(name.substr(255 - value.size()) == value);
  }
}

TEST("a moved folder opens at its new place") {
  Folder folder;
  CreateBoth(folder);
  EXPECT(rename((folder / "set").c_str(), (folder / "moved").c_str()) == 0);
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(folder / "moved", {}, &pool));
  EXPECT_CODE(kNotFound, Pool::Open(folder / "set", {}, &pool));
}

}  // namespace
