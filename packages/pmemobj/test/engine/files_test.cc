// The files of a pool, and others that lie beside them; and processes that want the same ones.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "check.h"
#include "engine/check/checker.h"
#include "engine/medium/medium.h"
#include "engine/medium/pool_files.h"
#include "engine/medium/pool_set.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

void WriteFile(const std::string& path, const std::string& text) {
  FILE* file = fopen(path.c_str(), "w");
  EXPECT(file != nullptr);
  EXPECT(fwrite(text.data(), 1, text.size(), file) == text.size());
  fclose(file);
}

std::string ReadFile(const std::string& path) {
  std::string text(16 * kMiB, '\0');
  FILE* file = fopen(path.c_str(), "r");
  EXPECT(file != nullptr);
  text.resize(fread(&text[0], 1, text.size(), file));
  fclose(file);
  return text;
}

std::set<std::string> NamesIn(const std::string& folder) {
  std::set<std::string> names;
  DIR* entries = opendir(folder.c_str());
  EXPECT(entries != nullptr);
  while (const dirent* entry = readdir(entries)) names.insert(entry->d_name);
  closedir(entries);
  names.erase(".");
  names.erase("..");
  return names;
}

void CreateSet(const std::string& path) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {0, 256 * kMiB}, &pool));
}

Status Put(Pool* pool, const std::string& key, const std::string& value) {
  uint32_t map;
  Status status = pool->OpenMap("map", &map);
  const Operation operation{Operation::Kind::kPut, map, key, value};
  return status.ok() ? pool->Write(&operation, 1) : status;
}

// Runs it in a process of its own.
void Apart(void (*run)(const std::string& path), const std::string& path) {
  pid_t child = fork();
  if (child == 0) {
    run(path);
    _exit(0);
  }
  int how;
  EXPECT(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

// Leaves `count` descriptors that can be opened.
void LeaveDescriptors(int count) {
  rlimit limit{256, 256};
  EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  std::vector<int> taken;
  for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0;) taken.push_back(fd);
  for (int i = 0; i < count; i++) close(taken[taken.size() - 1 - static_cast<size_t>(i)]);
}

TEST("of two who make the same file, one learns that it exists, and the other's pool is there") {
  Folder folder;
  const std::string path = folder / "pool";
  std::unique_ptr<Medium> first, second;
  EXPECT_OK(Medium::Create(path, {}, &first));
  EXPECT_OK(Medium::Create(path, {}, &second));
  EXPECT_OK(first->FinishCreation());
  EXPECT_CODE(kExists, second->FinishCreation());
  struct stat before, after;
  EXPECT(stat(path.c_str(), &before) == 0);
  first.reset();
  second.reset();
  EXPECT(stat(path.c_str(), &after) == 0 && before.st_ino == after.st_ino);
  EXPECT(NamesIn(folder / "") == std::set<std::string>{"pool"});
}

TEST("a file that is called as a draft was is left alone") {
  Folder folder;
  WriteFile(folder / "pool.new", "mine");
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", {}, &pool));
  EXPECT(ReadFile(folder / "pool.new") == "mine");
}

TEST("files that are no parts are never touched") {
  for (const char* name : {"note.pmem", "zz.pmem", "000000-old.pmem", "0000001.pmem", "1.pmem"}) {
    for (uint64_t size : {uint64_t{5}, 2 * kMiB}) {
      Folder folder;
      const std::string path = folder / "pool", stray = path + "/" + name;
      CreateSet(path);
      const std::string text(size, 'x');
      WriteFile(stray, text);
      std::unique_ptr<Pool> pool;
      Status status = Pool::Open(path, {}, &pool);
      EXPECT_CODE(kNotAPool, status);
      EXPECT(status.message().find(name) != std::string::npos);
      PoolOptions reading;
      reading.read_only = true;
      EXPECT_OK(Pool::Open(path, reading, &pool));
      pool.reset();
      EXPECT(ReadFile(stray) == text);
      EXPECT(NamesIn(path) == (std::set<std::string>{name, "000000.pmem", "pool.set"}));
      EXPECT(unlink(stray.c_str()) == 0);
      EXPECT_OK(Pool::Open(path, {}, &pool));
      pool.reset();
      EXPECT(rename(path.c_str(), (folder / "other").c_str()) == 0);
      EXPECT(mkdir(path.c_str(), 0700) == 0);
      WriteFile(stray, text);
      EXPECT(!Pool::Create(path, {0, 256 * kMiB}, &pool).ok());
      EXPECT(ReadFile(stray) == text);
    }
  }
}

TEST("a folder that cannot be listed is no empty one") {
  Folder folder;
  CreateSet(folder / "pool");
  EXPECT(unlink((folder / "pool/pool.set").c_str()) == 0);
  Apart(
      [](const std::string& path) {
        // One for the folder's lock.
        LeaveDescriptors(1);
        std::unique_ptr<Pool> pool;
        EXPECT_CODE(kIo, Pool::Create(path, {0, 256 * kMiB}, &pool));
        std::vector<std::string> parts;
        int fd = open("/dev/null", O_RDONLY);
        EXPECT(fd >= 0);
        EXPECT_CODE(kIo, ListParts(path, &parts));
        uint64_t size;
        EXPECT_CODE(kIo, PartsSize(path, &size));
        EXPECT_CODE(kIo, RemoveParts(path));
      },
      folder / "pool");
  EXPECT(ReadFile(folder / "pool/000000.pmem").size() == 8 * kMiB);
}

TEST("a pool that finds no room leaves no folder, but one that was there before") {
  for (bool before : {false, true}) {
    Folder folder;
    if (before) EXPECT(mkdir((folder / "pool").c_str(), 0700) == 0);
    Apart(
        [](const std::string& path) {
          signal(SIGXFSZ, SIG_IGN);
          rlimit limit{kMiB, kMiB};
          EXPECT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
          std::unique_ptr<Pool> pool;
          EXPECT_CODE(kNoSpace, Pool::Create(path, {0, 256 * kMiB}, &pool));
        },
        folder / "pool");
    EXPECT(NamesIn(folder / "") ==
           (before ? std::set<std::string>{"pool"} : std::set<std::string>{}));
    if (before) EXPECT(NamesIn(folder / "pool").empty());
  }
}

TEST("a part that is a symbolic link is told as one") {
  for (bool dangling : {false, true}) {
    Folder folder;
    const std::string path = folder / "pool", part = path + "/000001.pmem";
    CreateSet(path);
    if (!dangling) WriteFile(folder / "elsewhere", std::string(8 * kMiB, 'x'));
    EXPECT(symlink((folder / "elsewhere").c_str(), part.c_str()) == 0);
    std::unique_ptr<Pool> pool;
    const auto expect_told = [&](const Status& status) {
      EXPECT_CODE(kNotAPool, status);
      EXPECT(status.message().find(part + " is a symbolic link") == 0);
    };
    expect_told(Pool::Open(path, {}, &pool));
    EXPECT_CODE(kExists, Pool::Create(path, {0, 256 * kMiB}, &pool));
    EXPECT(unlink((path + "/pool.set").c_str()) == 0);
    expect_told(Pool::Open(path, {}, &pool));
    expect_told(Pool::Create(path, {0, 256 * kMiB}, &pool));
    EXPECT(unlink(part.c_str()) == 0);
    EXPECT_OK(Pool::Open(path, {}, &pool));
  }
}

TEST("an empty or damaged set keeps nobody from the pool") {
  for (const char* text :
       {"", "PMEMPOOLSET\n", "rubbish", "PMEMPOOLSET\nOPTION SINGLEHDR\n1 /x\n"}) {
    Folder folder;
    const std::string path = folder / "pool", set = path + "/pool.set";
    CreateSet(path);
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Open(path, {}, &pool));
    for (int i = 0; i < 20; i++)
      EXPECT_OK(Put(pool.get(), std::to_string(i), std::string(kMiB, 'x')));
    pool.reset();
    WriteFile(set, text);
    PoolOptions reading;
    reading.read_only = true;
    EXPECT_OK(Pool::Open(path, reading, &pool));
    pool.reset();
    EXPECT(ReadFile(set) == text);
    EXPECT_OK(Pool::Open(path, {}, &pool));
    EXPECT_OK(Put(pool.get(), "more", std::string(kMiB, 'x')));
    EXPECT(ReadFile(set) == "PMEMPOOLSET\nOPTION SINGLEHDR\n68719476736 " + path + "\n");
  }
}

TEST("a set that is missing keeps nobody from the pool") {
  Folder folder;
  const std::string path = folder / "pool", set = path + "/pool.set";
  CreateSet(path);
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  for (int i = 0; i < 20; i++)
    EXPECT_OK(Put(pool.get(), std::to_string(i), std::string(kMiB, 'x')));
  pool.reset();
  EXPECT(unlink(set.c_str()) == 0);
  PoolOptions reading;
  reading.read_only = true;
  EXPECT_OK(Pool::Open(path, reading, &pool));
  pool.reset();
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  EXPECT(report.sound() && report.maps.size() == 1 && report.maps[0].entries == 20);
  EXPECT(NamesIn(path).count("pool.set") == 0);
  EXPECT_CODE(kExists, Pool::Create(path, {0, 256 * kMiB}, &pool));
  EXPECT_OK(Pool::Open(path, {}, &pool));
  EXPECT_OK(Put(pool.get(), "more", std::string(kMiB, 'x')));
  EXPECT(ReadFile(set) == "PMEMPOOLSET\nOPTION SINGLEHDR\n68719476736 " + path + "\n");
}

TEST("parts without a set are none of a pool beside a draft, or where one is missing") {
  Folder folder;
  const std::string path = folder / "pool", set = path + "/pool.set";
  CreateSet(path);
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  for (int i = 0; i < 20; i++)
    EXPECT_OK(Put(pool.get(), std::to_string(i), std::string(kMiB, 'x')));
  pool.reset();
  EXPECT(rename(set.c_str(), (set + ".draft").c_str()) == 0);
  PoolOptions reading;
  reading.read_only = true;
  CheckReport report;
  EXPECT_CODE(kNotAPool, Pool::Open(path, {}, &pool));
  EXPECT_CODE(kNotAPool, Pool::Open(path, reading, &pool));
  EXPECT_CODE(kNotAPool, Check(path, &report));
  EXPECT(unlink((set + ".draft").c_str()) == 0);
  for (const std::string& name : NamesIn(path)) {
    const std::string part = path + "/" + name;
    EXPECT(rename(part.c_str(), (folder / "part").c_str()) == 0);
    EXPECT(!Pool::Open(path, {}, &pool).ok());
    EXPECT(rename((folder / "part").c_str(), part.c_str()) == 0);
  }
  EXPECT_OK(Pool::Open(path, {}, &pool));
}

TEST("a set that cannot be written keeps nobody from the pool") {
  Folder folder;
  CreateSet(folder / "pool");
  const std::string path = folder / "moved", set = ReadFile(folder / "pool/pool.set");
  EXPECT(rename((folder / "pool").c_str(), path.c_str()) == 0);
  EXPECT(mkdir((path + "/pool.set.new").c_str(), 0700) == 0);
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  for (int i = 0; i < 20; i++)
    EXPECT_OK(Put(pool.get(), std::to_string(i), std::string(kMiB, 'x')));
  EXPECT(ReadFile(path + "/pool.set") == set);
}

TEST("a set without parts may be replaced, where it is one of ours") {
  Folder folder;
  const std::string path = folder / "pool";
  CreateSet(path);
  EXPECT(unlink((path + "/000000.pmem").c_str()) == 0);
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kNotAPool, Pool::Open(path, {}, &pool));
  CreateSet(path);
  EXPECT_OK(Pool::Open(path, {}, &pool));
  pool.reset();
  EXPECT(unlink((path + "/000000.pmem").c_str()) == 0);
  const std::string other = "PMEMPOOLSET\n8M /elsewhere/part\n";
  WriteFile(path + "/pool.set", other);
  EXPECT_CODE(kExists, Pool::Create(path, {0, 256 * kMiB}, &pool));
  EXPECT(ReadFile(path + "/pool.set") == other);
}

TEST("who has a pool open keeps out who makes one, and who opens it by another name") {
  Folder folder;
  const std::string path = folder / "a pool", link = folder / "link";
  CreateSet(path);
  EXPECT(symlink(path.c_str(), link.c_str()) == 0);
  std::unique_ptr<Pool> pool, other;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  EXPECT_CODE(kInUse, Pool::Open(link, {}, &other));
  EXPECT_CODE(kInUse, Pool::Create(path, {0, 256 * kMiB}, &other));
}

TEST("a pool grows where its folder was moved to while it was open") {
  Folder folder;
  const std::string path = folder / "pool", moved = folder / "moved";
  CreateSet(path);
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  EXPECT(rename(path.c_str(), moved.c_str()) == 0);
  for (int i = 0; i < 20; i++)
    EXPECT_OK(Put(pool.get(), std::to_string(i), std::string(kMiB, 'x')));
  pool.reset();
  EXPECT(NamesIn(moved).count("000001.pmem") == 1);
  EXPECT_OK(Pool::Open(moved, {}, &pool));
}

void GrowWith(const std::string& path, int count) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  EXPECT_OK(Put(pool.get(), "first", "x"));
  rlimit before;
  EXPECT(getrlimit(RLIMIT_NOFILE, &before) == 0);
  LeaveDescriptors(count);
  int failed = 0, put = 0;
  for (; put < 100 && failed == 0; put++) {
    Status status = Put(pool.get(), std::to_string(put), std::string(kMiB, 'x'));
    if (status.ok()) continue;
    failed++;
    EXPECT(status.code() == Code::kIo);
    EXPECT(status.message().find("Too many open files") != std::string::npos);
    // Writes that need no growth go on.
    EXPECT_OK(Put(pool.get(), "small", "x"));
  }
  EXPECT(failed == 1);
  for (int fd = 200; fd < 256; fd++) close(fd);
  for (int end = put + 40; put < end; put++)
    EXPECT_OK(Put(pool.get(), std::to_string(put), std::string(kMiB, 'x')));
  pool.reset();
  EXPECT_OK(Pool::Open(path, {}, &pool));
}

TEST("a pool that cannot grow for want of descriptors goes on when there are some") {
  Folder folder;
  for (const char* name : {"0", "1", "2", "3"}) {
    const std::string path = folder / name;
    CreateSet(path);
    Apart([](const std::string& at) { GrowWith(at, at.back() - '0'); }, path);
  }
}

TEST("a pool whose files were removed says so, and acknowledges no more") {
  for (uint64_t max_size : {uint64_t{0}, 256 * kMiB}) {
    Folder folder;
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(folder / "pool", {16 * kMiB, max_size}, &pool));
    EXPECT_OK(Put(pool.get(), "key", "value"));
    EXPECT(system(("rm -rf " + (folder / "pool")).c_str()) == 0);
    Status status;
    for (int i = 0; i < 200 && status.ok(); i++)
      status = Put(pool.get(), "key", std::string(kMiB, 'x'));
    EXPECT_CODE(kIo, status);
    EXPECT(status.message().find("removed") != std::string::npos);
    EXPECT_CODE(kIo, Put(pool.get(), "key", "value"));
    EXPECT_CODE(kIo, pool->Checkpoint());
  }
}

// Until the clock that writes look at says another second.
void AwaitSecond() {
  timespec from, now;
  EXPECT(clock_gettime(CLOCK_MONOTONIC_COARSE, &from) == 0);
  do {
    usleep(1000);
    EXPECT(clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0);
  } while (now.tv_sec == from.tv_sec);
}

TEST("a small write fails a second after any file of the pool was removed") {
  for (const char* removed : {"000000.pmem", "000001.pmem"}) {
    Folder folder;
    const std::string path = folder / "pool";
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(path, {16 * kMiB, 256 * kMiB}, &pool));
    EXPECT_OK(Put(pool.get(), "key", "value"));
    EXPECT(unlink((path + "/" + removed).c_str()) == 0);
    AwaitSecond();
    Status status = Put(pool.get(), "key", "value");
    EXPECT_CODE(kIo, status);
    EXPECT(status.message().find("removed") != std::string::npos);
  }
}

}  // namespace
