// The medium alone: what it knows of the pool's files.
#include "engine/medium/medium.h"

#include <fcntl.h>
#include <libpmemobj.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "check.h"
#include "engine/check/lane_check.h"
#include "engine/heap/heap_layout.h"
#include "engine/medium/pool_files.h"
#include "engine/medium/pool_set.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Bytes written to the file that PartOf names are those of the mapping.
void ExpectWrites(const Medium& medium, uint64_t offset) {
  Part part = medium.PartOf(offset);
  EXPECT(part.fd >= 0 && offset >= part.start && offset < part.start + part.size);
  std::string bytes = "at " + std::to_string(offset);
  EXPECT(pwrite(part.fd, bytes.data(), bytes.size(), static_cast<off_t>(offset - part.start)) ==
         static_cast<ssize_t>(bytes.size()));
  EXPECT(memcmp(medium.At(offset), bytes.data(), bytes.size()) == 0);
}

TEST("each offset of a pool has its part, also of parts that come later") {
  Folder folder;
  std::string path = folder / "pool";
  std::unique_ptr<Medium> medium, second;
  EXPECT_OK(Medium::Create(path, {0, 64 * kMiB}, &medium));
  EXPECT_OK(medium->FinishCreation());
  for (int round = 0; round < 2; round++) {
    EXPECT(medium->PartOf(0).start == 0 && medium->PartOf(0).size == 8 * kMiB);
    EXPECT(medium->PartOf(medium->size()).fd < 0);
    EXPECT_OK(medium->Grow(10 * kMiB));
    EXPECT(medium->PartOf(medium->size() - 1).size == 10 * kMiB);
    for (uint64_t at = 7 * kMiB; at < medium->size(); at += kMiB) ExpectWrites(*medium, at);
    // Neither opening these files nor closing them gives up libpmemobj's lock.
    EXPECT_CODE(kInUse, Medium::Open(path, 0, &second));
    medium.reset();
    EXPECT_OK(Medium::Open(path, 0, &medium));
  }
  EXPECT(medium->size() == 28 * kMiB);
}

TEST("a pool in one file has one part") {
  Folder folder;
  std::unique_ptr<Medium> medium;
  EXPECT_OK(Medium::Create(folder / "pool", {16 * kMiB, 0}, &medium));
  EXPECT_OK(medium->FinishCreation());
  EXPECT(medium->PartOf(15 * kMiB).start == 0 && medium->PartOf(0).size == 16 * kMiB);
  ExpectWrites(*medium, 15 * kMiB);
}

// A folder with parts of 8 and 10 MiB; `used`: something lies in the second one.
void MakeGrown(const std::string& path, bool used) {
  std::unique_ptr<Medium> medium;
  EXPECT_OK(Medium::Create(path, {0, 64 * kMiB}, &medium));
  EXPECT_OK(medium->FinishCreation());
  EXPECT_OK(medium->Grow(10 * kMiB));
  if (!used) return;
  auto fill = [](Medium* m, char* at, size_t size, const void*) { m->Clear(at, size); };
  EXPECT(medium->Allocate(ObjectType::kBlob, 9 * kMiB, fill, nullptr) != 0);
}

void ExpectMended(const std::string& path) {
  std::unique_ptr<Medium> medium;
  for (int round = 0; round < 2; round++) {
    EXPECT_OK(Medium::Open(path, 0, &medium));
    EXPECT(medium->size() == (round == 0 ? 18 : 28) * kMiB);
    EXPECT_OK(medium->Grow(10 * kMiB));
    medium.reset();
  }
}

struct Break {
  const char* what;
  void (*apply)(const std::string& part);
};
const Break kBreaks[] = {
    {"missing", [](const std::string& part) { EXPECT(unlink(part.c_str()) == 0); }},
    {"empty", [](const std::string& part) { EXPECT(truncate(part.c_str(), 0) == 0); }},
    {"odd", [](const std::string& part) { EXPECT(truncate(part.c_str(), 12345) == 0); }},
    {"shorter", [](const std::string& part) { EXPECT(truncate(part.c_str(), 4 * kMiB) == 0); }},
};

TEST("a new part that a power cut has taken is made again, unless something lies in it") {
  for (const Break& broken : kBreaks) {
    Folder folder;
    std::string path = folder / "pool", part = PartPath(path, 1);
    MakeGrown(path, false);
    broken.apply(part);
    ExpectMended(path);
    std::string other = folder / "other", lost = PartPath(other, 1);
    MakeGrown(other, true);
    broken.apply(lost);
    std::unique_ptr<Medium> medium;
    struct stat before, after;
    bool there = stat(lost.c_str(), &before) == 0;
    Status status = Medium::Open(other, 0, &medium);
    EXPECT_CODE(kCorrupt, status);
    EXPECT(status.message().find("cut short") != std::string::npos);
    // The rest of it stays untouched.
    EXPECT((stat(lost.c_str(), &after) == 0) == there);
    EXPECT(!there || before.st_size == after.st_size);
  }
}

TEST("a new part that has no permissions yet is opened") {
  Folder folder;
  std::string path = folder / "pool";
  MakeGrown(path, true);
  EXPECT(chmod(PartPath(path, 1).c_str(), 0) == 0);
  std::unique_ptr<Medium> medium;
  EXPECT_OK(Medium::Open(path, 0, &medium));
  struct stat info;
  EXPECT(stat(PartPath(path, 1).c_str(), &info) == 0 && (info.st_mode & 0777) == 0600);
}

bool HasShutdownState(const std::string& part) {
  constexpr off_t kIncompatibleFeatures = 16;
  int fd = open(part.c_str(), O_RDONLY);
  uint32_t features = 0;
  EXPECT(pread(fd, &features, sizeof features, kIncompatibleFeatures) == sizeof features);
  close(fd);
  return (features & 4) != 0;
}

// Makes the state that growth on several devices, and then a crash, leave.
void ForgeShutdownState(const std::string& part) {
  char state[kShutdownStateSize] = {};
  state[0] = 7;   // sum of unsafe shutdowns
  state[8] = 9;   // sum of ids
  state[16] = 1;  // not closed
  uint64_t sum = FletcherSum(state, sizeof state, 56, sizeof state);
  memcpy(state + 56, &sum, sizeof sum);
  int fd = open(part.c_str(), O_RDWR);
  EXPECT(pwrite(fd, state, sizeof state, kShutdownStateAt) == sizeof state);
  close(fd);
}

TEST("libpmemobj's shutdown state keeps no pool from being opened") {
  Folder folder;
  MakeGrown(folder / "new", true);
  EXPECT(!HasShutdownState(PartPath(folder / "new", 0)));
  // As pools of earlier versions have it.
  int on = 1, off = 0;
  EXPECT(pmemobj_ctl_set(nullptr, "sds.at_create", &on) == 0);
  MakeGrown(folder / "old", true);
  EXPECT(pmemobj_ctl_set(nullptr, "sds.at_create", &off) == 0);
  std::string part = PartPath(folder / "old", 0);
  EXPECT(HasShutdownState(part));
  ForgeShutdownState(part);
  EXPECT(pmemobj_open(SetPath(folder / "old").c_str(), kLayoutName) == nullptr);
  EXPECT(strstr(pmemobj_errormsg(), "ADR") != nullptr);
  std::unique_ptr<Medium> medium;
  EXPECT_OK(Medium::Open(folder / "old", 0, &medium));
  EXPECT_OK(medium->Grow(10 * kMiB));
}

uint64_t Allocated(const std::string& path) {
  struct stat info;
  EXPECT(stat(path.c_str(), &info) == 0);
  return static_cast<uint64_t>(info.st_blocks) * 512;
}

void Punch(const std::string& path, off_t from, off_t size) {
  int fd = open(path.c_str(), O_RDWR);
  EXPECT(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, size) == 0);
  close(fd);
}

// Nowhere a whole region, which may stay a hole.
void PunchPieces(const std::string& part, uint64_t from, uint64_t size) {
  constexpr uint64_t kPiece = 256 * 1024, kKept = 4096;
  for (uint64_t at = from; at < from + size; at += kPiece) Punch(part, at, kPiece - kKept);
}

TEST("holes in the parts of a pool are filled when it is opened") {
  Folder folder;
  std::string path = folder / "pool", part = PartPath(path, 1);
  MakeGrown(path, false);
  Punch(part, 4096, 12288);
  PunchPieces(part, 2 * kMiB, 3 * kMiB);
  PunchPieces(part, 9 * kMiB, kMiB);
  EXPECT(Allocated(part) < 7 * kMiB);
  std::unique_ptr<Medium> medium;
  EXPECT_OK(Medium::Open(path, 0, &medium));
  EXPECT(Allocated(part) >= 10 * kMiB);
}

// Opens a pool in a file system of its own, which 20 MiB fill. Does nothing if a process may not
// mount one.
int OpenOnFullDisk(const std::string& folder) {
  if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return 0;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 0;
  if (mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=20m") != 0) return 0;
  std::string path = folder + "/pool";
  MakeGrown(path, false);
  PunchPieces(PartPath(path, 1), 2 * kMiB, 4 * kMiB);
  int fd = open((folder + "/other").c_str(), O_RDWR | O_CREAT, 0600);
  if (posix_fallocate(fd, 0, 5 * kMiB) != 0) return 1;
  std::unique_ptr<Medium> medium;
  Status status = Medium::Open(path, 0, &medium);
  if (status.code() != Code::kNoSpace) return 2;
  if (status.message().find("holes") == std::string::npos) return 3;
  if (ftruncate(fd, 0) != 0) return 4;
  return Medium::Open(path, 0, &medium).ok() ? 0 : 5;
}

TEST("holes that a full file system cannot fill keep a pool from being opened") {
  Folder folder;
  pid_t child = fork();
  if (child == 0) {
    EXPECT(mkdir((folder / "disk").c_str(), 0700) == 0);
    _exit(OpenOnFullDisk(folder / "disk"));
  }
  int result;
  EXPECT(waitpid(child, &result, 0) == child);
  EXPECT(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

TEST("no pool is greater than its page numbers can say") {
  Folder folder;
  std::unique_ptr<Medium> medium;
  const uint64_t more = kMaxPoolSize + 2 * kMiB;
  EXPECT_CODE(kInvalid, Medium::Create(folder / "file", {more, 0}, &medium));
  EXPECT_CODE(kInvalid, Medium::Create(folder / "folder", {0, more}, &medium));
  EXPECT_OK(Medium::Create(folder / "pool", {0, kMaxPoolSize}, &medium));
  EXPECT_OK(medium->FinishCreation());
  medium.reset();
  EXPECT_CODE(kInvalid, Medium::Open(folder / "pool", more, &medium));
  EXPECT_OK(Medium::Open(folder / "pool", kMaxPoolSize, &medium));
}

}  // namespace
