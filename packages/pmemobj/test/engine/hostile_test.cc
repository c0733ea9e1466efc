// A writer who stores what looks like the engine's own bytes, and a crash at every commit: opening
// finds what was written, and nothing of what the writer made up.
#include "hostile.h"

#include <unistd.h>

#include "engine/base/fault.h"
#include "engine/log/log_reader.h"
#include "forge.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

constexpr size_t kFilePage = 4096;
constexpr int kCommits = 90;
constexpr size_t kBuffer = 3000;

std::string ReadAll(const std::string& path) {
  FILE* file = fopen(path.c_str(), "rb");
  EXPECT(file != nullptr);
  std::string bytes;
  char piece[65536];
  for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;) bytes.append(piece, size);
  fclose(file);
  return bytes;
}

// The file that a crash after a commit would leave, and what has to be in it.
struct Crash {
  size_t size;                                          // of the file
  std::vector<std::pair<size_t, std::string>> changed;  // pages of it, since the one before
  Model model;
};

class Writer {
 public:
  explicit Writer(uint64_t seed)
      : chance_(seed), hostile_([this] { return pool_ == nullptr ? 1 : pool_->epoch(); }) {
    EXPECT_OK(Pool::Create(path_, {}, &pool_));
    EXPECT_OK(pool_->OpenMap("map", &map_));
    Batch batch;
    model_["buffer"] = hostile_.Make(&chance_, kBuffer);
    batch.PutBuffer(map_, "buffer", model_["buffer"]);
    EXPECT_OK(batch.WriteTo(pool_.get()));
    Keep();
  }

  void Run() {
    for (int commit = 0; commit < kCommits; commit++) {
      Put();
      if (commit % 4 == 0) Transact();
      if (commit % 30 == 29) Reopen();
    }
    pool_.reset();
  }
  const std::vector<Crash>& crashes() const { return crashes_; }

 private:
  void Put() {
    Batch batch;
    for (uint64_t i = chance_.Below(3) + 1; i > 0; i--) {
      std::string key = "key " + std::to_string(chance_.Below(12));
      std::string value = hostile_.Make(&chance_, 100 + chance_.Below(12000));
      model_[key] = value;
      batch.Put(map_, key, value);
    }
    EXPECT_OK(batch.WriteTo(pool_.get()));
    Keep();
  }

  // Saved bytes of a buffer go to the undo area as they are, and come back after a crash.
  void Transact() {
    char* memory;
    size_t size;
    EXPECT_OK(Take(pool_.get())->GetBuffer(map_, "buffer", &memory, &size));
    std::string changed = model_["buffer"];
    for (int i = 0; i < 3; i++) {
      const size_t from = chance_.Below(kBuffer / 2), length = 1 + chance_.Below(kBuffer / 2);
      EXPECT_OK(pool_->SaveBuffer(memory + from, length));
      const std::string bytes = hostile_.Make(&chance_, length);
      memcpy(memory + from, bytes.data(), length);
      changed.replace(from, length, bytes);
      Keep();
    }
    if (chance_.Below(3) == 0) {
      EXPECT_OK(pool_->RestoreBuffers(0));
    } else {
      EXPECT_OK(pool_->WriteSaved(nullptr, 0));
      model_["buffer"] = changed;
    }
    Keep();
  }

  void Reopen() {
    pool_.reset();
    EXPECT_OK(Pool::Open(path_, {}, &pool_));
    EXPECT_OK(pool_->OpenMap("map", &map_));
  }

  void Keep() {
    std::string now = ReadAll(path_);
    Crash crash{now.size(), {}, model_};
    before_.resize(now.size());
    for (size_t at = 0; at < now.size(); at += kFilePage) {
      if (now.compare(at, kFilePage, before_, at, kFilePage) == 0) continue;
      crash.changed.emplace_back(at, now.substr(at, kFilePage));
    }
    crashes_.push_back(std::move(crash));
    before_ = std::move(now);
  }

  Folder folder_;
  const std::string path_ = folder_ / "pool";
  Chance chance_;
  std::unique_ptr<Pool> pool_;
  Hostile hostile_;
  uint32_t map_ = 0;
  Model model_;
  std::string before_;
  std::vector<Crash> crashes_;
};

// Whether a pool that is left like that opens, with just that in it.
bool Opens(const std::string& path, const std::string& bytes, const Model& model) {
  WriteFile(path, bytes);
  std::unique_ptr<Pool> pool;
  if (!Pool::Open(path, {}, &pool).ok()) return false;
  uint32_t map;
  if (!pool->OpenMap("map", &map).ok()) return false;
  auto cursor = Take(pool.get())->NewCursor(map);
  cursor->SeekFirst();
  for (const auto& [key, value] : model) {
    if (!cursor->Valid() || cursor->key() != key || cursor->value() != value) return false;
    cursor->Next();
  }
  return !cursor->Valid() && cursor->status().ok();
}

// Damages the last record of the log, as a crash before it had arrived would. Not where it is the
// first one: what it follows is the checkpoint then. False where there is none.
bool TearLast(const std::string& path, std::string* bytes) {
  const uint64_t place = static_cast<uint64_t>(FindSuperblock(path));
  RootSlot latest{};
  for (uint64_t i = 0; i < 2; i++) {
    RootSlot slot;
    memcpy(&slot, bytes->data() + RootSlotAt(place, i), sizeof slot);
    if (slot.checksum == ChecksumOf(slot) && slot.number > latest.number) latest = slot;
  }
  const char* first = bytes->data() + latest.log;
  LogReader reader(first, first + latest.segment_size, latest);
  uint64_t last = 0, count = 0;
  for (; reader.Next(); count++) {
    last = latest.log + reader.segment() * uint64_t{latest.segment_size} + reader.position();
  }
  if (count < 2) return false;
  (*bytes)[last + sizeof(LogRecord)] ^= 1;
  return true;
}

// How many of the crashes cannot be opened, or show something else than what was written.
int WrongAfterCrashes(uint64_t seed) {
  Folder folder;
  const std::string path = folder / "pool";
  Writer writer(seed);
  writer.Run();
  std::string bytes;
  int wrong = 0, torn = 0;
  const std::vector<Crash>& crashes = writer.crashes();
  for (size_t i = 0; i < crashes.size(); i++) {
    bytes.resize(crashes[i].size);
    for (const auto& [at, page] : crashes[i].changed) bytes.replace(at, page.size(), page);
    if (!Opens(path, bytes, crashes[i].model)) wrong++;
    // The log is torn after some of the commits that changed something.
    if (i % 3 != 0 || i == 0 || crashes[i].model == crashes[i - 1].model) continue;
    WriteFile(path, bytes);
    std::string cut = bytes;
    if (!TearLast(path, &cut)) continue;
    torn++;
    if (!Opens(path, cut, crashes[i - 1].model)) wrong++;
  }
  EXPECT(crashes.size() > kCommits && torn > 5);
  return wrong;
}

TEST("hostile values: opening finds what was written, after a crash at every commit") {
  EXPECT(WrongAfterCrashes(1) == 0);
}

TEST("hostile values do harm where a record counts whatever its salt") {
  OtherPool(false);
  planted_fault = Fault::kStaleLog;
  int wrong = 0;
  for (uint64_t seed = 1; seed <= 10 && wrong == 0; seed++) wrong += WrongAfterCrashes(seed);
  planted_fault = Fault::kNone;
  EXPECT(wrong > 0);
}

TEST("a value that is a whole pool, at any place in a line, is a value") {
  Folder folder;
  const std::string path = folder / "pool";
  for (bool earlier : {false, true}) {
    for (size_t out_of_step : {0, 24, 63}) {
      std::unique_ptr<Pool> pool;
      EXPECT_OK(Pool::Create(path, {uint64_t{32} << 20, 0}, &pool));
      uint32_t map;
      EXPECT_OK(pool->OpenMap("map", &map));
      Model model{{"pool", std::string(out_of_step, 'h') + OtherPool(earlier)}};
      // A piece of it, an extent, that goes through the log.
      model["piece"] = model["pool"].substr(model["pool"].find("PotExtnt"), 200000);
      for (const auto& [key, value] : model) {
        Batch batch;
        batch.Put(map, key, value);
        EXPECT_OK(batch.WriteTo(pool.get()));
      }
      const std::string crashed = ReadAll(path);
      pool.reset();
      EXPECT(Opens(path, crashed, model));
      EXPECT(unlink(path.c_str()) == 0);
    }
  }
}

}  // namespace
