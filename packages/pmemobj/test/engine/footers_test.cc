// Footers after a power cut: libpmemobj never flushes them.
#include <fcntl.h>
#include <unistd.h>

#include "engine/check/checker.h"
#include "engine/heap/heap_layout.h"
#include "model.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Gives all free chunks of the first zone footers that say `count`.
int SpoilFooters(const std::string& part, uint32_t count) {
  int fd = open(part.c_str(), O_RDWR), spoilt = 0;
  uint64_t heap;
  uint32_t header[2];
  EXPECT(pread(fd, &heap, sizeof heap, kOffsetsAt + 16) == sizeof heap);
  off_t zone = static_cast<off_t>(heap + kHeapHeader);
  EXPECT(pread(fd, header, sizeof header, zone) == sizeof header);
  EXPECT(header[0] == kZoneMagic);
  for (uint32_t i = 0; i < header[1];) {
    Chunk chunk;
    auto at = [&](uint32_t index) {
      return zone + static_cast<off_t>(kZoneHeader + index * sizeof chunk);
    };
    EXPECT(pread(fd, &chunk, sizeof chunk, at(i)) == sizeof chunk);
    if (chunk.type == kFree && chunk.count > 1) {
      Chunk footer{kFooter, chunk.flags, count};
      EXPECT(pwrite(fd, &footer, sizeof footer, at(i + chunk.count - 1)) == sizeof footer);
      spoilt++;
    }
    i += chunk.count;
  }
  close(fd);
  return spoilt;
}

TEST("footers of free space that were never flushed are not followed") {
  for (uint32_t count : {0u, 1u, 7u, 5000u, ~0u}) {
    Folder folder;
    std::unique_ptr<Pool> pool;
    uint32_t map;
    EXPECT_OK(Pool::Create(folder / "pool", {0, 256 * kMiB}, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    pool.reset();
    EXPECT(SpoilFooters(folder / "pool/000000.pmem", count) > 0);
    EXPECT_OK(Pool::Open(folder / "pool", {}, &pool));
    Model model;
    for (char key = 'a'; key < 'f'; key++) {
      Batch batch;
      model[std::string(1, key)] = std::string(7 * kMiB, key);
      batch.Put(map, std::string(1, key), model[std::string(1, key)]);
      EXPECT_OK(batch.WriteTo(pool.get()));
    }
    ExpectSame(*Take(pool.get()), map, model);
    pool.reset();
    CheckReport report;
    EXPECT_OK(Check(folder / "pool", &report));
    EXPECT(report.sound());
  }
}

}  // namespace
