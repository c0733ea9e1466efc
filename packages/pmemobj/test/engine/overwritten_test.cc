// Headers of libpmemobj's that another process overwrites in the files of a pool that is open.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "engine/heap/heap_layout.h"
#include "model.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

constexpr uint64_t kMiB = 1 << 20;

struct Range {
  const char* what;
  uint64_t at, size;
  bool followed;  // by libpmemobj, while the pool is open
};

uint64_t WordAt(int file, uint64_t at) {
  uint64_t word;
  EXPECT(pread(file, &word, sizeof word, static_cast<off_t>(at)) == sizeof word);
  return word;
}

std::vector<Range> Headers(int file) {
  const uint64_t lanes = WordAt(file, kOffsetsAt), heap = WordAt(file, kOffsetsAt + 16);
  const uint64_t zone = heap + kHeapHeader, chunks = zone + kZoneHeader;
  std::vector<Range> ranges = {{"lanes", lanes, heap - lanes, false},
                               {"the heap's header", heap, kHeapHeader, false},
                               {"a zone's header", zone, 8, true},
                               {"chunk headers", chunks, kChunksAt - kZoneHeader, true}};
  for (uint64_t i = 0; ranges.size() < 5; i++) {
    const uint64_t word = WordAt(file, chunks + i * sizeof(Chunk));
    Chunk chunk;
    memcpy(&chunk, &word, sizeof chunk);
    if (chunk.type == kRun) {
      ranges.push_back({"a run's header", zone + kChunksAt + i * kChunkSize, kRunHeader, true});
    }
  }
  return ranges;
}

// Makes libpmemobj allocate and free, until there is an error.
Status Work(Pool* pool) {
  uint32_t map;
  Status status = pool->OpenMap("map", &map);
  for (int i = 0; i < 6 && status.ok(); i++) {
    for (bool put : {true, false, true}) {
      Batch batch;
      if (put) batch.Put(map, "big", std::string(4 * kMiB + static_cast<size_t>(i) * kMiB, 'b'));
      if (!put) batch.Delete(map, "big");
      if (status.ok()) status = batch.WriteTo(pool);
      if (status.ok()) status = pool->Checkpoint();
    }
    bool done = false;
    while (status.ok() && !done) status = pool->Compact(&done);
  }
  return status;
}

void Overwrite(const std::string& path, const std::string& file, size_t which, bool noise) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {0, 256 * kMiB}, &pool));
  EXPECT_OK(Work(pool.get()));
  const int opened = open(file.c_str(), O_RDWR | O_CLOEXEC);
  const Range range = Headers(opened)[which];
  Chance chance(which);
  std::string bytes(range.size, 0);
  if (noise) {
    for (char& byte : bytes) byte = static_cast<char>(chance.Below(256));
  }
  EXPECT(pwrite(opened, bytes.data(), bytes.size(), static_cast<off_t>(range.at)) ==
         static_cast<ssize_t>(bytes.size()));
  close(opened);
  printf(" %s,", range.what);
  if (range.followed) {
    EXPECT_CODE(kIo, Work(pool.get()));
  } else {
    (void)Work(pool.get());
  }
  pool.reset();
}

TEST("headers of libpmemobj's that are overwritten under an open pool are errors") {
  for (const char* lines : {"1", "0"}) {
    setenv("PMEM_IS_PMEM_FORCE", lines, 1);
    for (size_t i = 0; i < 10; i++) {
      Folder folder;
      const std::string path = folder / "pool";
      Overwrite(path, path + "/000000.pmem", i / 2, i % 2 == 1);
      // A lane is as good as empty, if it is all zeros.
      if (i == 0) continue;
      std::unique_ptr<Pool> pool;
      EXPECT_CODE(kCorrupt, Pool::Open(path, {}, &pool));
    }
  }
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
}

// Off persistent memory, all that writes goes by our own descriptors, and libpmemobj's own pointers
// are put back before it follows them.
TEST("the front of a pool on a disk that is overwritten while it is open is an error") {
  setenv("PMEM_IS_PMEM_FORCE", "0", 1);
  for (char byte : {'\0', 'x'}) {
    Folder folder;
    const std::string path = folder / "pool";
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(path, {0, 256 * kMiB}, &pool));
    EXPECT_OK(Work(pool.get()));
    const int opened = open((path + "/000000.pmem").c_str(), O_RDWR | O_CLOEXEC);
    const std::string bytes(kFrontSize, byte);
    EXPECT(pwrite(opened, bytes.data(), bytes.size(), 0) == kFrontSize);
    close(opened);
    EXPECT_CODE(kIo, Work(pool.get()));
    pool.reset();
    EXPECT_CODE(kNotAPool, Pool::Open(path, {}, &pool));
  }
  setenv("PMEM_IS_PMEM_FORCE", "1", 1);
}

}  // namespace
