// libpmemobj's own headers, of pools that were damaged there and nowhere else: what keeps a pool
// from being opened, the checker names.
#include <cstring>
#include <functional>

#include "check.h"
#include "engine/check/checker.h"
#include "engine/check/lane_check.h"
#include "engine/heap/heap_layout.h"
#include "engine/medium/pool_files.h"
#include "model.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

// A field of the pool header, and of the descriptor that follows it.
struct Field {
  const char* name;
  uint64_t at, size;
};
constexpr Field kFields[] = {
    {"signature", 0, 8},
    {"major", 8, 4},
    {"compatible features", 12, 4},
    {"incompatible features", 16, 4},
    {"read-only features", 20, 4},
    {"set's id", 24, 16},
    {"id", 40, 16},
    {"previous part", 56, 16},
    {"next part", 72, 16},
    {"previous replica", 88, 16},
    {"next replica", 104, 16},
    {"time", 120, 8},
    {"alignments", 128, 8},
    {"class", 136, 1},
    {"data", 137, 1},
    {"reserved", 138, 4},
    {"machine", 142, 2},
    {"unused", 144, 1904},
    {"rest", 2048, 1976},
    {"shutdown state", 4024, 64},
    {"checksum", 4088, 8},
    {"layout", 4096, 1024},
    {"lanes", 5120, 8},
    {"number of lanes", 5128, 8},
    {"heap", 5136, 8},
    {"rest of the descriptor", 5144, 992},
    {"descriptor's checksum", 6136, 8},
    {"root", 6144, 8},
    {"run", 6152, 8},
    {"root's size", 6160, 8},
    {"conversion", 6168, 8},
    {"heap's size", 6176, 8},
};

// Gives the header a checksum that holds.
void Reseal(std::string* bytes) {
  const uint64_t header = FletcherSum(bytes->data(), 4096, 4088, 2048);
  memcpy(&(*bytes)[4088], &header, sizeof header);
  const uint64_t descriptor = FletcherSum(bytes->data() + kDescriptorAt, 2048, 2040, 2048);
  memcpy(&(*bytes)[kDescriptorAt + 2040], &descriptor, sizeof descriptor);
}

bool Opens(const std::string& path) {
  std::unique_ptr<Pool> pool;
  return Pool::Open(path, {}, &pool).ok() && pool->Close().ok();
}

// Damages `file` of the pool at `path` in each field: in a bit, or all of it to zeros.
void ExpectNamed(const std::string& path, const std::string& file) {
  const std::string original = ReadFile(file);
  int silent = 0;
  for (const Field& field : kFields) {
    for (const uint64_t at : {field.at, field.at + field.size - 1}) {
      for (int how : {0, 1, 3, 5}) {
        std::string bytes = original;
        if (how / 2 == 0) bytes[at] = static_cast<char>(bytes[at] ^ 1);
        if (how / 2 == 1) bytes[at] = static_cast<char>(bytes[at] ^ 0x80);
        if (how / 2 == 2) memset(&bytes[field.at], 0, field.size);
        if (how % 2 == 1) Reseal(&bytes);
        WriteFile(file, bytes);
        CheckReport report;
        const bool sound = Check(path, &report).ok() && report.sound();
        const bool opens = Opens(path);
        if (sound && !opens) {
          fprintf(stderr, "%s, byte %d, damage %d: not named\n", field.name, static_cast<int>(at),
                  how);
          silent++;
        }
      }
    }
  }
  WriteFile(file, original);
  EXPECT(silent == 0);
}

TEST("check tells: each field of libpmemobj's headers that keeps a pool from being opened") {
  Folder folder;
  for (const uint64_t max_size : {uint64_t{0}, uint64_t{64} << 20}) {
    const std::string path = folder / (max_size == 0 ? "file" : "folder");
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(path, {max_size / 4, max_size}, &pool));
    uint32_t map;
    EXPECT_OK(pool->OpenMap("map", &map));
    EXPECT_OK(pool->Close());
    ExpectNamed(path, max_size == 0 ? path : PartPath(path, 0));
    EXPECT(Opens(path));
  }
}

}  // namespace
