// Damaged pool files: opening and reading them gives an error or the right data, never a crash,
// an endless loop or wrong data.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "model.h"
#include "sample.h"

using namespace potoroo;

namespace {

constexpr int kTrials = 60;
constexpr int kWrongData = 3;

struct Damage {
  const char* name;
  void (*apply)(Chance* chance, int fd, off_t size);
};

// Returns a place that is in use: most of a pool file is zeros.
off_t UsedPlace(Chance* chance, int fd, off_t size) {
  for (int i = 0; i < 2000; i++) {
    off_t at = static_cast<off_t>(chance->Below(static_cast<uint64_t>(size)));
    char page[64];
    if (pread(fd, page, sizeof page, at) != sizeof page) continue;
    if (std::any_of(page, page + sizeof page, [](char byte) { return byte != 0; })) return at;
  }
  return 0;
}

void FlipBits(Chance* chance, int fd, off_t size) {
  uint64_t count = 1 + chance->Below(4);
  for (uint64_t i = 0; i < count; i++) {
    off_t at = UsedPlace(chance, fd, size);
    char byte;
    EXPECT(pread(fd, &byte, 1, at) == 1);
    byte = static_cast<char>(byte ^ (1 << chance->Below(8)));
    EXPECT(pwrite(fd, &byte, 1, at) == 1);
  }
}

void Overwrite(Chance* chance, int fd, off_t size, bool zeros) {
  char bytes[512];
  for (char& byte : bytes) byte = zeros ? '\0' : static_cast<char>(chance->Below(256));
  size_t length = size_t{1} << chance->Below(10);
  off_t at = UsedPlace(chance, fd, size) / 8 * 8;
  EXPECT(pwrite(fd, bytes, length, at) == static_cast<ssize_t>(length));
}
void OverwriteRandom(Chance* chance, int fd, off_t size) { Overwrite(chance, fd, size, false); }
void OverwriteZeros(Chance* chance, int fd, off_t size) { Overwrite(chance, fd, size, true); }

void Truncate(Chance* chance, int fd, off_t size) {
  EXPECT(ftruncate(fd, static_cast<off_t>(chance->Below(static_cast<uint64_t>(size)))) == 0);
}

// libpmemobj's own structures: headers at the front of the file, lanes, zone and chunk headers.
void FlipInHeap(Chance* chance, int fd, off_t size) {
  static const off_t kPlaces[] = {0, 4096, 8192, 0x300000 + 0x2000, 0x3c0000};
  off_t at = kPlaces[chance->Below(5)] + static_cast<off_t>(chance->Below(4096));
  if (at >= size) at = 0;
  uint64_t word = chance->Below(2) == 0 ? chance->Below(~uint64_t{0}) : chance->Below(65536);
  EXPECT(pwrite(fd, &word, 8, at / 8 * 8) == 8);
}

const Damage kDamages[] = {{"flipped bits", FlipBits},
                           {"overwritten with noise", OverwriteRandom},
                           {"overwritten with zeros", OverwriteZeros},
                           {"truncated", Truncate},
                           {"libpmemobj's heap", FlipInHeap}};

struct Original {
  std::vector<Model> before{2}, after{2};  // of the last commit but one, and of the last
};

void Fill(const std::string& path, const PoolOptions& options, Original* original) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, options, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("0", &map));
  EXPECT_OK(pool->OpenMap("1", &map));
  Chance chance(5);
  for (int i = 0; i < 60; i++) {
    original->before = original->after;
    Batch batch;
    for (int j = 0; j < 20; j++) {
      std::string value = chance.Value();
      batch.Put(static_cast<uint32_t>(i % 2), chance.Key(500), value.substr(0, 20000));
    }
    if (i == 30) batch.Put(0, "big", std::string(4000000, 'b'));
    EXPECT_OK(batch.WriteTo(pool.get()));
    batch.ApplyTo(&original->after);
  }
}

// Wrong data is an entry that was in neither of the last two commits, or one that is missing
// without an error.
bool Right(const Snapshot& snapshot, uint32_t map, const Original& original, bool* complete) {
  auto cursor = snapshot.NewCursor(map);
  Model seen;
  for (int direction = 0; direction < 2; direction++) {
    direction == 0 ? cursor->SeekFirst() : cursor->SeekLast();
    for (; cursor->Valid(); direction == 0 ? cursor->Next() : cursor->Prev()) {
      seen[std::string(cursor->key())] = std::string(cursor->value());
    }
    if (!cursor->status().ok()) *complete = false;
  }
  for (const Model* model : {&original.before[map], &original.after[map]}) {
    bool within = std::all_of(seen.begin(), seen.end(), [&](const auto& entry) {
      auto found = model->find(entry.first);
      return found != model->end() && found->second == entry.second;
    });
    if (within && (!*complete || seen.size() == model->size())) return true;
  }
  return false;
}

// Runs in a child of its own, so that its end is seen from outside.
int Exercise(const std::string& path, const Original& original) {
  std::unique_ptr<Pool> pool;
  Status status = Pool::Open(path, {}, &pool);
  if (!status.ok()) return status.code() == Code::kCorrupt ? 1 : 2;
  bool complete = true;
  uint32_t map;
  for (uint32_t i = 0; i < 2; i++) {
    if (!pool->OpenMap(std::to_string(i), &map).ok()) return 1;
    std::shared_ptr<Snapshot> snapshot = Take(pool.get());
    if (!Right(*snapshot, map, original, &complete)) return kWrongData;
    Bytes value;
    for (const auto& entry : original.after[i]) {
      if (!snapshot->Get(map, entry.first, &value).ok()) complete = false;
    }
  }
  for (int i = 0; i < 50; i++) {
    Batch batch;
    batch.Put(0, "new " + std::to_string(i), std::string(static_cast<size_t>(i) * 20, 'n'));
    batch.Delete(1, std::to_string(i));
    if (!batch.WriteTo(pool.get()).ok()) complete = false;
  }
  Batch batch;
  batch.DeleteRange(0, "", "");
  if (!batch.WriteTo(pool.get()).ok()) complete = false;
  return complete ? 0 : 1;
}

void Copy(const std::string& from, const std::string& to) {
  std::string command = "rm -rf " + to + " && cp -r --sparse=always " + from + " " + to;
  EXPECT(system(command.c_str()) == 0);
}

void Trials(const Damage& damage, bool as_folder) {
  Folder folder;
  std::string master = folder / "master", copy = folder / "copy";
  Original original;
  Fill(master, {uint64_t{16} << 20, as_folder ? uint64_t{1} << 30 : 0}, &original);
  int outcomes[4] = {};
  Sample sample;
  for (int trial = 0; trial < kTrials; trial++) {
    if (!sample.Next()) continue;
    Chance chance(static_cast<uint64_t>(trial) + 1000);
    Copy(master, copy);
    std::string file = copy;
    if (as_folder) file += chance.Below(4) == 0 ? "/000001.pmem" : "/000000.pmem";
    int fd = open(file.c_str(), O_RDWR);
    if (fd < 0 && as_folder) fd = open((copy + "/000000.pmem").c_str(), O_RDWR);
    struct stat info;
    EXPECT(fd >= 0 && fstat(fd, &info) == 0);
    damage.apply(&chance, fd, info.st_size);
    close(fd);
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(Exercise(copy, original));
    }
    int result;
    EXPECT(waitpid(child, &result, 0) == child);
    if (!WIFEXITED(result) || WEXITSTATUS(result) >= kWrongData) {
      fprintf(stderr, "trial %d: %s\n", trial,
              WIFSIGNALED(result) ? strsignal(WTERMSIG(result)) : "wrong data");
      if (getenv("KEEP_GOING") == nullptr) abort();
      continue;
    }
    outcomes[WEXITSTATUS(result)]++;
  }
  printf(" (%d unharmed, %d corrupt, %d other errors)", outcomes[0], outcomes[1], outcomes[2]);
}

TEST("damage: bits flipped in a file") { Trials(kDamages[0], false); }
TEST("damage: bits flipped in a folder") { Trials(kDamages[0], true); }
TEST("damage: noise") { Trials(kDamages[1], true); }
TEST("damage: zeros") { Trials(kDamages[2], true); }
TEST("damage: truncated file") { Trials(kDamages[3], false); }
TEST("damage: truncated part") { Trials(kDamages[3], true); }
TEST("damage: libpmemobj's structures") { Trials(kDamages[4], false); }

}  // namespace
