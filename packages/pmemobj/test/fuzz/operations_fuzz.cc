// Any operations on a pool, held against std::map: the input is the list of operations.
#include <unistd.h>

#include <cstring>

#include "engine/check/checker.h"
#include "engine/medium/pool_files.h"
#include "engine/medium/pool_set.h"
#include "hostile.h"
#include "image.h"
#include "input.h"
#include "secret.h"

using namespace potoroo;

namespace {

constexpr uint32_t kMaps = 3;
constexpr size_t kMostOperations = 400;

uint64_t latest = 1;  // commit

// Makes values of what the engine itself has on media: see hostile.h.
std::string HostileFrom(Input* input, size_t size) {
  Chance chance(input->Number(2));
  return Hostile([] { return latest; }).Make(&chance, size);
}

std::string KeyFrom(Input* input) {
  uint8_t form = input->Byte();
  if (form >= 248) return HostileFrom(input, 1 + input->Below(form == 255 ? 30000 : 300));
  std::string key = std::to_string(form < 128 ? form % 16 : input->Number(2) % 4096);
  switch (form % 8) {
    case 0:
      return std::string(form / 8, static_cast<char>(input->Byte()));
    case 1:
      return std::string(60 + form / 8, 'p') + key;
    case 2:
      return std::string(190 + form / 8, 'q') + key;
    case 3:
      return key + std::string(form > 240 ? 30000 : 250, 'r');
    case 4:
      return std::string("\xff\xff\0", 3) + key;
    default:
      return "!documents!" + key;
  }
}

std::string ValueFrom(Input* input) {
  static const size_t kSizes[] = {0, 8, 60, 65, 120, 300, 900, 3000, 10000, 20000, 70000, 300000};
  uint8_t form = input->Byte();
  size_t size = kSizes[form < 230 ? form % 8 : form % 12];
  if (form == 255) size = (3 << 20) + 1000;
  if (form % 4 == 3 && size > 0) return HostileFrom(input, size);
  return std::string(size, static_cast<char>(input->Byte()));
}

// A pool beside its model.
class World {
 public:
  explicit World(bool folder);
  void Step(Input* input);
  void Finish();

 private:
  struct Kept {
    std::shared_ptr<Snapshot> snapshot;
    std::vector<uint32_t> maps;
    std::vector<Model> models;
  };
  void OpenMaps();
  void Open();
  void WriteBatch(Input* input);
  void Transact(Input* input);
  void Change(Input* input, char* at, size_t size);
  void Drop(uint32_t map);
  void ExpectAll(const Snapshot& snapshot, const std::vector<uint32_t>& maps,
                 const std::vector<Model>& models);
  void ExpectSeek(Input* input);
  void ExpectCount(const Snapshot& snapshot, uint32_t map, const std::string& key);
  void ExpectKept(Input* input);
  void ExpectReport();

  static const Folder& Place();
  std::string path_;
  std::unique_ptr<Pool> pool_;
  std::vector<Model> models_{kMaps};
  std::vector<uint32_t> maps_ = std::vector<uint32_t>(kMaps);  // their numbers
  std::vector<Kept> kept_;
};

const Folder& World::Place() {
  static Folder folder;
  return folder;
}

// A pool with nothing in it, of 12 MiB as a file and growing from 8 to 40 as a folder.
const Image& Empty(const Folder& place, bool folder) {
  static Image images[2];
  Image& image = images[folder ? 1 : 0];
  if (image.size() > 0) return image;
  std::string path = place / (folder ? "template-folder" : "template-file");
  std::unique_ptr<Pool> pool;
  const PoolOptions options =
      folder ? WithSecret(0, uint64_t{40} << 20) : WithSecret(uint64_t{12} << 20);
  EXPECT_OK(Pool::Create(path, options, &pool));
  pool.reset();
  image.Load(folder ? engine::PartPath(path, 0) : path);
  return image;
}

World::World(bool folder) : path_(Place() / (folder ? "folder" : "file")) {
  const Image& image = Empty(Place(), folder);
  if (folder) {
    EXPECT(system(("rm -rf " + path_ + " && mkdir " + path_).c_str()) == 0);
    EXPECT_OK(engine::WriteSet(engine::SetPath(path_), path_, 40 << 20));
  }
  image.Write(folder ? engine::PartPath(path_, 0) : path_);
  Open();
}

void World::Open() {
  EXPECT_OK(Pool::Open(path_, WithSecret(), &pool_));
  OpenMaps();
}

void World::OpenMaps() {
  for (uint32_t i = 0; i < kMaps; i++) {
    EXPECT_OK(pool_->OpenMap(std::to_string(i), &maps_[i]));
  }
}

void World::ExpectAll(const Snapshot& snapshot, const std::vector<uint32_t>& maps,
                      const std::vector<Model>& models) {
  for (uint32_t i = 0; i < kMaps; i++) ExpectSame(snapshot, maps[i], models[i]);
}

void World::WriteBatch(Input* input) {
  // The second is for the models, which are numbered from 0.
  Batch batch, counted;
  size_t count = input->Chance(4) ? input->Below(64) : 1;
  for (size_t i = 0; i < count; i++) {
    uint8_t what = input->Byte();
    uint32_t map = what % kMaps;
    if (what < 160) {
      std::string key = KeyFrom(input), value = ValueFrom(input);
      // Some of them are buffers, which pools that are encrypted do not have.
      what < 140 || !kSecret.empty() ? batch.Put(maps_[map], key, value)
                                     : batch.PutBuffer(maps_[map], key, value);
      counted.Put(map, key, value);
    } else if (what < 240) {
      std::string key = KeyFrom(input);
      batch.Delete(maps_[map], key);
      counted.Delete(map, key);
    } else {
      std::string from = KeyFrom(input);
      std::string to = what < 245 ? "" : what < 250 ? KeyFrom(input) : from + "5";
      batch.DeleteRange(maps_[map], from, to);
      counted.DeleteRange(map, from, to);
    }
  }
  Status status = batch.WriteTo(pool_.get());
  latest = pool_->epoch();
  // All of it or nothing.
  if (status.ok()) {
    counted.ApplyTo(&models_);
  } else {
    EXPECT(status.code() == Code::kNoSpace);
    ExpectAll(*Take(pool_.get()), maps_, models_);
  }
}

// One range, with or without saving it. Snapshots see it too.
void World::Change(Input* input, char* at, size_t size) {
  size_t from = input->Below(size), length = 1 + input->Below(size - from);
  uint8_t how = input->Byte();
  if (how < 100 && pool_->SavedBuffers() == 0) {
    memset(at + from, how, length);
    EXPECT_OK(pool_->FlushBuffer(at + from, length));
    return;
  }
  Status status = pool_->SaveBuffer(at + from, length);
  EXPECT(status.ok() || status.code() == Code::kNoSpace);
  if (status.ok()) memset(at + from, how, length);
}

// Changes a buffer, if the key has one, and commits that with another entry, or takes it back.
void World::Transact(Input* input) {
  uint32_t map = static_cast<uint32_t>(input->Below(kMaps));
  std::string key = KeyFrom(input);
  char* at;
  size_t size;
  Status status = Take(pool_.get())->GetBuffer(maps_[map], key, &at, &size);
  bool there = models_[map].count(key) > 0;
  EXPECT(status.ok() || status.code() == (there ? Code::kInvalid : Code::kNotFound));
  if (!status.ok() || size == 0) return;
  // Kept values share its memory.
  kept_.clear();
  std::string before(at, size);
  EXPECT(before == models_[map][key]);
  for (size_t i = 1 + input->Below(4); i > 0; i--) {
    Change(input, at, size);
    if (pool_->SavedBuffers() == 0) before.assign(at, size);
  }
  uint8_t end = input->Byte();
  std::string after(at, size), value = ValueFrom(input);
  Operation put{Operation::Kind::kPut, maps_[map], "with it", value};
  status = end < 170 ? pool_->WriteSaved(&put, 1) : Status(Code::kNoSpace, "");
  EXPECT(status.ok() || status.code() == Code::kNoSpace);
  if (status.ok()) {
    models_[map][key] = after;
    models_[map]["with it"] = value;
  } else if (end % 2 == 0) {
    EXPECT_OK(pool_->RestoreBuffers(0));
    EXPECT(Bytes(at, size) == before);
    models_[map][key] = before;
  } else {
    pool_.reset();
    Open();
    models_[map][key] = before;
  }
}

void World::Drop(uint32_t map) {
  Status status = pool_->DropMap(std::to_string(map));
  if (status.ok()) models_[map].clear();
  EXPECT(status.ok() || status.code() == Code::kNoSpace);
  OpenMaps();
}

void World::ExpectSeek(Input* input) {
  uint32_t map = static_cast<uint32_t>(input->Below(kMaps));
  const Model& model = models_[map];
  std::string key = KeyFrom(input);
  auto snapshot = Take(pool_.get());
  auto cursor = snapshot->NewCursor(maps_[map]);
  cursor->SeekAtLeast(key);
  auto at = model.lower_bound(key);
  EXPECT(cursor->Valid() == (at != model.end()));
  for (int i = 0; i < 5 && at != model.end(); i++, ++at, cursor->Next()) {
    EXPECT(cursor->Valid() && cursor->key() == at->first && cursor->value() == at->second);
  }
  cursor->SeekAtMost(key);
  at = model.upper_bound(key);
  EXPECT(cursor->Valid() == (at != model.begin()));
  for (int i = 0; i < 5 && at != model.begin(); i++, cursor->Prev()) {
    --at;
    EXPECT(cursor->Valid() && cursor->key() == at->first && cursor->value() == at->second);
  }
  EXPECT_OK(cursor->status());
  ExpectCount(*snapshot, map, key);
}

void World::ExpectCount(const Snapshot& snapshot, uint32_t map, const std::string& key) {
  const Model& model = models_[map];
  Bytes from = key;
  uint64_t count = 0;
  bool known = false;
  EXPECT_OK(snapshot.Count(maps_[map], &from, nullptr, &count, &known));
  auto at = model.lower_bound(key);
  EXPECT(known && count == static_cast<uint64_t>(std::distance(at, model.end())));
  auto cursor = snapshot.NewCursor(maps_[map]);
  cursor->SeekFirst();
  EXPECT(cursor->Skip(model.size() - count, true));
  EXPECT(cursor->Valid() == (at != model.end()));
  if (cursor->Valid()) EXPECT(cursor->key() == at->first);
}

void World::ExpectKept(Input* input) {
  if (kept_.empty()) return;
  auto which = kept_.begin() + static_cast<ptrdiff_t>(input->Below(kept_.size()));
  ExpectAll(*which->snapshot, which->maps, which->models);
  kept_.erase(which);
}

// The checker counts what the model holds.
void World::ExpectReport() {
  CheckReport report;
  EXPECT_OK(Check(path_, &report, kSecret));
  for (const CheckProblem& problem : report.problems)
    fprintf(stderr, "%s\n", problem.message.c_str());
  EXPECT(report.sound() && report.undo_ranges == 0);
  // The first one may be that of the undo area.
  size_t first = report.maps.size() - kMaps;
  EXPECT(first <= 1);
  for (uint32_t i = 0; i < kMaps; i++) {
    EXPECT(report.maps[first + i].entries == models_[i].size());
  }
}

void World::Step(Input* input) {
  uint8_t what = input->Byte();
  if (what < 160) return WriteBatch(input);
  if (what < 180) return Transact(input);
  if (what < 220) return ExpectSeek(input);
  if (what < 230) {
    if (kept_.size() < 5) kept_.push_back({Take(pool_.get()), maps_, models_});
  } else if (what < 240) {
    ExpectKept(input);
  } else if (what < 244) {
    Drop(what % kMaps);
  } else if (what < 248) {
    kept_.clear();
    if (!kSecret.empty()) EXPECT_OK(pool_->RotateKey(kSecret));
    pool_.reset();
    if (what == 247) ExpectReport();
    Open();
  } else {
    ExpectAll(*Take(pool_.get()), maps_, models_);
  }
}

void World::Finish() {
  ExpectAll(*Take(pool_.get()), maps_, models_);
  for (const Kept& kept : kept_) ExpectAll(*kept.snapshot, kept.maps, kept.models);
  kept_.clear();
  pool_.reset();
  ExpectReport();
  Open();
  ExpectAll(*Take(pool_.get()), maps_, models_);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  World world(input.Chance(4));
  for (size_t i = 0; i < kMostOperations && !input.empty(); i++) world.Step(&input);
  world.Finish();
  return 0;
}
