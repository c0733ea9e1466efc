// Pools whose files have holes where something lies, as a copy that leaves out zeros has them, on a
// file system that is full: opening gives them space, and knows those that are free.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/medium/part_files.h"
#include "lazily.h"
#include "model.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr int kValues = 4;
constexpr size_t kValue = 5 * kMiB / 2;  // holds a whole region, wherever it lies

std::string Name(int i) { return "value " + std::to_string(i); }

Model MakePool(const std::string& path) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {32 * kMiB, 0}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Model model;
  for (int i = 0; i < 2 * kValues; i++) {
    model[Name(i)] = std::string(kValue, 0);
    Batch batch;
    batch.Put(map, Name(i), model[Name(i)]);
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  // The other half is free then, in extents.
  for (int i = kValues; i < 2 * kValues; i++) {
    model.erase(Name(i));
    Batch batch;
    batch.Delete(map, Name(i));
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  return model;
}

// The number of all regions that hold zeros alone.
int Punch(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  const std::string zeros(kRegionSize, 0);
  std::string region = zeros;
  int punched = 0;
  for (off_t at = 0; pread(file, &region[0], kRegionSize, at) == kRegionSize; at += kRegionSize) {
    if (region != zeros) continue;
    EXPECT(fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, kRegionSize) == 0);
    punched++;
  }
  close(file);
  return punched;
}

uint64_t OnDisk(const std::string& path) {
  struct stat info;
  EXPECT(stat(path.c_str(), &info) == 0);
  return static_cast<uint64_t>(info.st_blocks) * 512;
}

// Takes all that the file system has.
void FillDisk(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string bytes(kMiB, 'x');
  for (size_t size = kMiB; size >= 4096;) {
    if (write(file, bytes.data(), size) != static_cast<ssize_t>(size)) size /= 2;
  }
  close(file);
}

// Writes until there is no room, on a disk that has none for holes.
void FillPool(Pool* pool, Model* model) {
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Status status;
  for (int i = 0; status.ok(); i++) {
    EXPECT(i < 10000);
    const std::string key = "more " + std::to_string(i), value(20000, 'm');
    Batch batch;
    batch.Put(map, key, value);
    status = batch.WriteTo(pool);
    if (status.ok()) (*model)[key] = value;
  }
  EXPECT_CODE(kNoSpace, status);
  ExpectSame(*Take(pool), map, *model);
}

void OpenOnFullDisk(const std::string& folder, bool lazily) {
  const std::string path = folder + "/pool", filler = folder + "/filler";
  Model model = MakePool(path);
  EXPECT(Punch(path) > kValues);
  std::unique_ptr<Pool> pool;
  if (lazily) {
    // A region in no extent gets space at once.
    EXPECT_OK(Pool::Open(path, {}, &pool));
    pool.reset();
  }
  const uint64_t sparse = OnDisk(path);
  FillDisk(filler);
  if (lazily) {
    EXPECT_OK(Pool::Open(path, {}, &pool));
    EXPECT_CODE(kNoSpace, pool->Checkpoint());
    pool.reset();
  } else {
    EXPECT_CODE(kNoSpace, Pool::Open(path, {}, &pool));
  }
  EXPECT(unlink(filler.c_str()) == 0);
  EXPECT_OK(Pool::Open(path, {}, &pool));
  EXPECT_OK(pool->Checkpoint());
  // Free space stays a hole.
  EXPECT(OnDisk(path) >= sparse + kValues * kRegionSize);
  EXPECT(OnDisk(path) <= (32 - kValues) * kMiB);
  FillDisk(filler);
  FillPool(pool.get(), &model);
  EXPECT_OK(pool->Close());
}

// Runs in a process of its own, with a file system of its own. Does nothing if it may not mount
// one.
void Apart(bool lazily) {
  Folder folder;
  EXPECT(mkdir((folder / "disk").c_str(), 0700) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string disk = folder / "disk";
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(0);
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) _exit(0);
    if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=40m") != 0) _exit(0);
    OpenOnFullDisk(disk, lazily);
    _exit(0);
  }
  int result;
  EXPECT(waitpid(child, &result, 0) == child);
  EXPECT(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

TEST("holes where values lie get space when a pool is opened, and free ones before they are used") {
  Apart(false);
}

TEST("lazy opening: holes where values lie get space with the end of the walk") {
  Lazily lazily;
  Apart(true);
}

}  // namespace
