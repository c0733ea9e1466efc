// Pools of layout version 2, which an earlier engine wrote (see test/fixtures): read as they are,
// and brought up to this version by the first write.
#include <sys/stat.h>

#include <cstdlib>

#include "engine/check/checker.h"
#include "media.h"
#include "model.h"

using namespace potoroo;

namespace {

const Bytes kBuffers("\0buffers", 8);
constexpr const char* kFixtures[] = {"closed", "log-persistent", "log-disk", "undo"};

void Unpack(const std::string& fixture, const std::string& path) {
  std::string command = "gzip -dc " FIXTURES "/version-2-" + fixture + ".pool.gz > '" + path + "'";
  EXPECT(system(command.c_str()) == 0);
}

CheckReport Report(const std::string& path) {
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  for (const CheckProblem& problem : report.problems) {
    fprintf(stderr, "%s: %s\n", problem.kind.c_str(), problem.message.c_str());
  }
  EXPECT(report.sound());
  return report;
}

std::string Number(int number, int width) {
  std::string digits = std::to_string(number);
  return std::string(static_cast<size_t>(width) - digits.size(), '0') + digits;
}

// Expects the contents that the program that made the fixtures had acknowledged.
void ExpectContents(Pool* pool) {
  uint32_t animals, numbers, buffers;
  EXPECT_OK(pool->OpenMap("animals", &animals));
  EXPECT_OK(pool->OpenMap("numbers", &numbers));
  EXPECT_OK(pool->OpenMap(kBuffers, &buffers));
  Model model;
  for (int i = 0; i < 2000; i++) {
    if (i >= 100 && i < 200) continue;
    model["key" + Number(i, 5)] =
        "value " + std::to_string(i) + " " + std::string(static_cast<size_t>(i % 300), 'x');
  }
  std::string longer;
  for (int i = 0; i < 100; i++) longer += "long";
  model[longer] = std::string(100000, 7);
  model["big"] = std::string(100 << 10, 8);
  ExpectSame(*Take(pool), animals, model);
  model.clear();
  for (int i = 0; i < 500; i++) {
    if (i != 7) model["n" + std::to_string(i)] = std::to_string(i * i);
  }
  ExpectSame(*Take(pool), numbers, model);
  // The changes of a transaction that was cut off are taken back.
  auto cursor = Take(pool)->NewCursor(buffers);
  cursor->SeekFirst();
  EXPECT(cursor->Valid() && cursor->value() == Bytes(std::string(4096, 1)));
}

void WriteOne(Pool* pool, Bytes value) {
  uint32_t map;
  EXPECT_OK(pool->OpenMap("new", &map));
  Batch batch;
  batch.Put(map, "key", std::string(value));
  EXPECT_OK(batch.WriteTo(pool));
}

TEST("a pool of the layout version before is read as it is, and brought up by the first write") {
  for (const char* fixture : kFixtures) {
    Folder folder;
    std::string path = folder / "pool";
    Unpack(fixture, path);
    EXPECT(Report(path).layout_version == 2);
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Open(path, {}, &pool));
    ExpectContents(pool.get());
    pool.reset();
    EXPECT(Report(path).layout_version == 2);
    for (Bytes value : {"first", "second"}) {
      EXPECT_OK(Pool::Open(path, {}, &pool));
      WriteOne(pool.get(), value);
      pool.reset();
      EXPECT(Report(path).layout_version == 3);
    }
    EXPECT_OK(Pool::Open(path, {}, &pool));
    ExpectContents(pool.get());
  }
}

// First writes, each of which goes another way to the media. None makes a map: that is a write.
struct FirstWrite {
  const char* name;
  Status (*write)(Pool* pool, uint32_t map);
  bool keeps_animals;  // what they were before is there, and then some
};

Status WriteOperation(Pool* pool, const Operation& operation) { return pool->Write(&operation, 1); }

Status CompactAll(Pool* pool, uint32_t) {
  bool done = false;
  Status status;
  while (status.ok() && !done) status = pool->Compact(&done);
  return status;
}

const FirstWrite kFirstWrites[] = {
    {"a put",
     [](Pool* pool, uint32_t map) {
       return WriteOperation(pool, {Operation::Kind::kPut, map, "first", "value"});
     },
     true},
    {"a put too big for the log",
     [](Pool* pool, uint32_t map) {
       const std::string value(300 << 10, 'v');
       return WriteOperation(pool, {Operation::Kind::kPut, map, "first", value});
     },
     true},
    {"a put of an object",
     [](Pool* pool, uint32_t map) {
       const std::string value(4 << 20, 'v');
       return WriteOperation(pool, {Operation::Kind::kPut, map, "first", value});
     },
     true},
    {"a buffer",
     [](Pool* pool, uint32_t map) {
       return WriteOperation(pool, {Operation::Kind::kPutBuffer, map, "first", {nullptr, 1000}});
     },
     true},
    {"a range of a buffer that is saved",
     [](Pool* pool, uint32_t) {
       uint32_t buffers;
       EXPECT_OK(pool->OpenMap(kBuffers, &buffers));
       auto cursor = Take(pool)->NewCursor(buffers);
       cursor->SeekFirst();
       EXPECT(cursor->Valid());
       Status status = pool->SaveBuffer(cursor->value().data(), 100);
       return status.ok() ? pool->WriteSaved(nullptr, 0) : status;
     },
     true},
    {"a clear",
     [](Pool* pool, uint32_t map) {
       return WriteOperation(pool, {Operation::Kind::kDeleteRange, map, {}, {}});
     },
     false},
    {"a drop", [](Pool* pool, uint32_t) { return pool->DropMap("animals"); }, false},
    {"a checkpoint", [](Pool* pool, uint32_t) { return pool->Checkpoint(); }, true},
    {"a compaction", CompactAll, true},
};

TEST("a pool of the layout version before is brought up, whatever its first write is") {
  for (const char* fixture : {"closed", "log-disk"}) {
    for (const FirstWrite& first : kFirstWrites) {
      Folder folder;
      std::string path = folder / "pool";
      Unpack(fixture, path);
      std::unique_ptr<Pool> pool;
      uint32_t map, other;
      EXPECT_OK(Pool::Open(path, {}, &pool));
      EXPECT_OK(pool->OpenMap("animals", &map));
      EXPECT_OK(first.write(pool.get(), map));
      EXPECT_OK(pool->Close());
      Report(path);
      EXPECT_OK(Pool::Open(path, {}, &pool));
      EXPECT_OK(pool->OpenMap("numbers", &other));
      EXPECT_OK(pool->OpenMap("animals", &map));
      Bytes value;
      EXPECT_OK(Take(pool.get())->Get(other, "n12", &value));
      EXPECT(value == "144");
      const Code found = Take(pool.get())->Get(map, "key00001", &value).code();
      EXPECT(found == (first.keeps_animals ? Code::kOk : Code::kNotFound));
      WriteOne(pool.get(), "again");
      EXPECT_OK(pool->Close());
      EXPECT(Report(path).layout_version == 3);
    }
  }
}

using WriteFirst = std::function<void(Pool* pool)>;

// Cuts at each fence of a first write; what each leaves is looked at once the media are gone.
void ExpectUpgradeSurvives(const char* fixture, Media::Kind kind, const WriteFirst& write) {
  Folder folder, images;
  std::string live = folder / "live";
  EXPECT(mkdir(live.c_str(), 0700) == 0);
  Unpack(fixture, live + "/pool");
  std::vector<std::string> cuts;
  Chance chance(1);
  {
    Media media(live, kind);
    std::unique_ptr<Pool> pool;
    media.at_point = [&](bool fence) {
      if (!fence || cuts.size() == 80) return;
      cuts.push_back(images / std::to_string(cuts.size()));
      const Mood moods[] = {{0, 0, false}, {1, 0, false}, {0.5, 0.5, true}};
      media.Cut(moods[chance.Below(3)], &chance, cuts.back());
    };
    EXPECT_OK(Pool::Open(live + "/pool", {}, &pool));
    write(pool.get());
    media.at_point = nullptr;
  }
  EXPECT(cuts.size() > 3);
  for (const std::string& cut : cuts) {
    Report(cut + "/pool");
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Open(cut + "/pool", {}, &pool));
    ExpectContents(pool.get());
    WriteOne(pool.get(), "again");
    pool.reset();
    EXPECT(Report(cut + "/pool").layout_version == 3);
  }
}

TEST("power-point: a pool is brought up to this layout version, or stays as it was") {
  const WriteFirst by_log = [](Pool* pool) { WriteOne(pool, "value"); };
  ExpectUpgradeSurvives("log-persistent", Media::Kind::kPersistentMemory, by_log);
  ExpectUpgradeSurvives("log-disk", Media::Kind::kDisk, by_log);
  ExpectUpgradeSurvives("undo", Media::Kind::kDisk, by_log);
}

TEST("power-point: ... where the first write is too big for the log") {
  // Behind what is compared.
  const WriteFirst past_log = [](Pool* pool) {
    uint32_t buffers;
    EXPECT_OK(pool->OpenMap(kBuffers, &buffers));
    const std::string value(300 << 10, 'v');
    EXPECT_OK(WriteOperation(pool, {Operation::Kind::kPut, buffers, "\xff", value}));
  };
  ExpectUpgradeSurvives("closed", Media::Kind::kPersistentMemory, past_log);
  ExpectUpgradeSurvives("closed", Media::Kind::kDisk, past_log);
  ExpectUpgradeSurvives("log-disk", Media::Kind::kDisk, past_log);
}

}  // namespace
