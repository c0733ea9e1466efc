// The undo area, damaged: what the checker says of it, and that opening never writes elsewhere.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "engine/base/checksum.h"
#include "engine/check/checker.h"
#include "engine/log/undo.h"
#include "model.h"
#include "subject.h"

using namespace potoroo;
using engine::UndoEntry;

namespace {

constexpr size_t kSize = 8 << 20;
const std::string kBefore(200, 'b');

std::string ReadFile(const std::string& path) {
  std::string bytes(kSize, 0);
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT(read(fd, &bytes[0], bytes.size()) == static_cast<ssize_t>(kSize));
  close(fd);
  return bytes;
}

std::string Changed(std::initializer_list<size_t> ranges) {
  std::string bytes = std::string(999, 'b') + 'c';
  for (size_t i : ranges) bytes.replace(i * 300, kBefore.size(), kBefore.size(), 'a');
  return bytes;
}

// A pool in which a transaction has saved and changed three ranges, as a crash leaves it.
struct Crashed {
  explicit Crashed(bool committed) {
    std::unique_ptr<Pool> pool;
    uint32_t map;
    EXPECT_OK(Pool::Create(folder / "pool", {kSize, 0}, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    const std::string before = Changed({});
    Operation put{Operation::Kind::kPutBuffer, map, "buffer", before};
    EXPECT_OK(pool->Write(&put, 1));
    char* at;
    size_t size;
    EXPECT_OK(Take(pool.get())->GetBuffer(map, "buffer", &at, &size));
    for (size_t i = 0; i < 3; i++) {
      EXPECT_OK(pool->SaveBuffer(at + i * 300, kBefore.size()));
      memset(at + i * 300, 'a', kBefore.size());
    }
    if (committed) EXPECT_OK(pool->WriteSaved(nullptr, 0));
    bytes = ReadFile(folder / "pool");
    // With no other byte behind them.
    for (size_t from = 0; entries.size() < 3; from = entries.back() + sizeof(UndoEntry) + 1) {
      entries.push_back(bytes.find(kBefore + '\0', from) - sizeof(UndoEntry));
    }
  }
  UndoEntry* Entry(size_t index) { return reinterpret_cast<UndoEntry*>(&bytes[entries[index]]); }
  void Seal(size_t index) {
    UndoEntry* entry = Entry(index);
    entry->checksum = engine::Checksum(&bytes[entries[index] + 4], sizeof *entry + entry->size - 4);
  }
  CheckReport Report() {
    WriteFile(folder / "copy", bytes);
    CheckReport report;
    EXPECT_OK(Check(folder / "copy", &report));
    return report;
  }
  // Returns the contents of the buffer after opening the pool.
  std::string Buffer() {
    WriteFile(folder / "copy", bytes);
    std::unique_ptr<Pool> pool;
    uint32_t map;
    EXPECT_OK(Pool::Open(folder / "copy", {}, &pool));
    EXPECT_OK(pool->OpenMap("map", &map));
    Bytes value;
    EXPECT_OK(Take(pool.get())->Get(map, "buffer", &value));
    return std::string(value);
  }

  Folder folder;
  std::string bytes;
  std::vector<uint64_t> entries;  // where they lie
};

TEST("check: buffers, and what a transaction that was cut off has saved") {
  Crashed crashed(false);
  CheckReport report = crashed.Report();
  EXPECT(report.sound() && report.undo_ranges == 3 && report.undo_bytes == 600);
  EXPECT(report.maps[1].name == "map" && report.maps[1].buffers == 1);
  EXPECT(report.maps[1].value_bytes == 1000);
  EXPECT(crashed.Buffer() == Changed({}));
  crashed.bytes = ReadFile(crashed.folder / "copy");
  EXPECT(crashed.Report().sound() && crashed.Report().undo_ranges == 0);
  // Its marker is in the log.
  Crashed committed(true);
  report = committed.Report();
  EXPECT(report.sound() && report.undo_ranges == 0 && report.log_records > 0);
  EXPECT(committed.Buffer() == Changed({0, 1, 2}));
}

TEST("damage: the last entry of the undo area does not count if it is torn") {
  for (size_t at : {0, 4, 16, 24, 32, 39, 40, 100, 239}) {
    Crashed crashed(false);
    crashed.bytes[crashed.entries[2] + at] ^= 1;
    CheckReport report = crashed.Report();
    EXPECT(report.sound() && report.undo_ranges == 2);
    EXPECT(crashed.Buffer() == Changed({2}));
  }
}

TEST("damage: an entry of the undo area that others follow cannot have been torn") {
  for (size_t at : {0, 4, 16, 24, 32, 39, 40, 100, 239}) {
    Crashed crashed(false);
    crashed.bytes[crashed.entries[1] + at] ^= 1;
    CheckReport report = crashed.Report();
    EXPECT(report.problem_count == 1 && report.problems[0].kind == "undo");
    std::unique_ptr<Pool> pool;
    EXPECT_CODE(kCorrupt, Pool::Open(crashed.folder / "copy", {}, &pool));
  }
}

// Their checksums hold.
TEST("damage: entries of other transactions do not count") {
  auto count = [](void (*change)(UndoEntry*)) {
    Crashed crashed(false);
    change(crashed.Entry(2));
    crashed.Seal(2);
    EXPECT(crashed.Report().sound());
    EXPECT(crashed.Buffer() == Changed({2}));
    return crashed.Report().undo_ranges;
  };
  EXPECT(count([](UndoEntry* entry) { entry->salt--; }) == 2);
  EXPECT(count([](UndoEntry* entry) { entry->salt++; }) == 2);
  EXPECT(count([](UndoEntry* entry) { entry->transaction--; }) == 2);
  EXPECT(count([](UndoEntry* entry) { entry->transaction++; }) == 2);
  EXPECT(count([](UndoEntry* entry) { entry->number = 0; }) == 2);
}

TEST("damage: a range to bring back that lies in no buffer is told, and nothing is written") {
  constexpr uint64_t kMost = ~uint64_t{0};
  for (uint64_t place : {uint64_t{0}, kSize - uint64_t{10}, kMost / 1024, kMost, kMost - 50}) {
    Crashed crashed(false);
    crashed.Entry(1)->place = place;
    crashed.Seal(1);
    CheckReport report = crashed.Report();
    EXPECT(report.problem_count == 1 && report.problems[0].kind == "undo");
    std::unique_ptr<Pool> pool;
    EXPECT_CODE(kCorrupt, Pool::Open(crashed.folder / "copy", {}, &pool));
  }
  for (int64_t off : {-1, 801, 999, 1000, 5000}) {
    Crashed crashed(false);
    crashed.Entry(1)->place = crashed.Entry(0)->place + static_cast<uint64_t>(off);
    crashed.Seal(1);
    EXPECT(crashed.Report().problem_count == 1);
    std::unique_ptr<Pool> pool;
    EXPECT_CODE(kCorrupt, Pool::Open(crashed.folder / "copy", {}, &pool));
    // Nor was what the other entries hold.
    EXPECT(ReadFile(crashed.folder / "copy").find(std::string(200, 'a')) != std::string::npos);
  }
}

}  // namespace
