// Pools for the tests of readers, processes that open them, and what writes over what is read.
#ifndef POTOROO_TEST_READERS_H_
#define POTOROO_TEST_READERS_H_

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "digest.h"
#include "model.h"

namespace potoroo {

constexpr uint64_t kMiB = 1 << 20;

inline PoolOptions Reading(const std::string& key = "") {
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

inline Digest Read(Pool* pool) {
  Digest digest;
  EXPECT_OK(DigestOf(pool, &digest));
  return digest;
}

inline std::unique_ptr<Pool> OpenReader(const std::string& path, const std::string& key = "") {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, Reading(key), &pool));
  return pool;
}

// The status of a process that has ended by itself, and well.
inline void ExpectWell(pid_t child) {
  int status;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Runs it in a process of its own.
template <typename Work>
pid_t Fork(Work work) {
  fflush(nullptr);
  pid_t child = fork();
  EXPECT(child >= 0);
  if (child != 0) return child;
  work();
  _exit(0);
}

inline void Put(Pool* pool, const std::string& key, const std::string& value) {
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Batch batch;
  batch.Put(map, key, value);
  EXPECT_OK(batch.WriteTo(pool));
}

// Writes the space of a small pool over and over.
inline void WriteOver(Pool* pool, int times) {
  for (int i = 0; i < times; i++) {
    for (int key = 0; key < 20; key++) {
      Put(pool, "over " + std::to_string(key),
          std::string(100000, static_cast<char>('a' + i % 26)));
    }
    for (int key = 0; key < 200; key++) {
      Put(pool, "small " + std::to_string(key), std::to_string(i));
    }
    EXPECT_OK(pool->Checkpoint());
  }
}

}  // namespace potoroo

#endif  // POTOROO_TEST_READERS_H_
