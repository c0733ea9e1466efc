// Damaged pools: the input is a list of edits of a template. Whatever they are, nothing crashes or
// hangs, and salvage makes a sound pool. A pool that the checker finds sound opens, and holds what
// it held before the edits. Only the last records of the log may be missing, because nothing tells
// them from torn ones.
#include <unistd.h>

#include <algorithm>

#include "damage.h"
#include "engine/check/checker.h"
#include "engine/salvage/salvage.h"

using namespace potoroo;

namespace {

// Nothing can tell whether the bytes of a buffer are damaged.
std::vector<Model> WithoutBuffer(std::vector<Model> models) {
  auto buffer = models[0].find("buffer");
  if (buffer != models[0].end()) buffer->second.assign(buffer->second.size(), 0);
  return models;
}

// Everything that there is, both ways. False where some of it is damaged.
bool ReadMap(Pool* pool, uint32_t map, Model* model, bool* consistent) {
  auto snapshot = Take(pool);
  auto cursor = snapshot->NewCursor(map);
  std::string last;
  size_t count = 0;
  for (cursor->SeekFirst(); cursor->Valid(); cursor->Next(), count++) {
    std::string key(cursor->key());
    if (count > 0 && key <= last) *consistent = false;
    (*model)[key] = std::string(cursor->value());
    last = key;
    Bytes value;
    Status status = snapshot->Get(map, key, &value);
    if (!status.ok() || value != cursor->value()) *consistent = false;
  }
  bool whole = cursor->status().ok();
  for (cursor->SeekLast(); cursor->Valid(); cursor->Prev()) {
    auto found = model->find(std::string(cursor->key()));
    if (count-- == 0 || found == model->end() || found->second != cursor->value()) break;
  }
  whole = whole && cursor->status().ok();
  if (cursor->Valid() || count != 0) *consistent = false;
  return whole;
}

// Counts and skips: a checker sees where pages do not say of others what is there.
void CountMap(Pool* pool, uint32_t map, size_t entries, bool* consistent) {
  auto snapshot = Take(pool);
  uint64_t count = 0;
  bool known = false;
  Status status = snapshot->Count(map, nullptr, nullptr, &count, &known);
  if (status.ok() && known && count != entries) *consistent = false;
  for (Bytes from : {Bytes(), Bytes("key 5"), Bytes("\xff")}) {
    Bytes to("key 7");
    (void)snapshot->Count(map, &from, &to, &count, &known).ok();
    auto cursor = snapshot->NewCursor(map);
    for (uint64_t step : {0, 1, 30, 1000}) {
      cursor->SeekAtLeast(from);
      cursor->Skip(step, true);
      cursor->Skip(step / 2, false);
      if (cursor->Valid()) EXPECT(cursor->key().size() <= kMaxKeySize);
    }
  }
}

// False where the pool refuses some of it.
bool WriteTo(Pool* pool) {
  bool done = true;
  for (uint32_t i = 0; i < 12; i++) {
    Batch batch;
    batch.Put(i % 2, "new " + std::to_string(i), std::string(i * i * 40, 'n'));
    batch.Delete(0, std::string(230, 'l') + std::to_string(i));
    batch.DeleteRange(i % 2, std::to_string(i), std::to_string(i) + "5");
    done = batch.WriteTo(pool).ok() && done;
  }
  Batch all;
  all.DeleteRange(0, "", "");
  return all.WriteTo(pool).ok() && pool->DropMap("1").ok() && done;
}

// Reads the contents of the pool at `path`; false if it does not open, or not all of it can be
// read.
bool ReadAll(const std::string& path, std::vector<Model>* models, bool* consistent, bool* written) {
  std::unique_ptr<Pool> pool;
  if (!Pool::Open(path, WithSecret(), &pool).ok()) return false;
  bool whole = true;
  for (uint32_t i = 0; i < models->size(); i++) {
    uint32_t map;
    if (!pool->OpenMap(std::to_string(i), &map).ok()) return false;
    whole = ReadMap(pool.get(), map, &(*models)[i], consistent) && whole;
    CountMap(pool.get(), map, (*models)[i].size(), consistent);
  }
  *written = WriteTo(pool.get());
  return whole;
}

// Salvages the pool: brings out all that there was, if nothing was changed.
void SalvageAll(const Folder& folder, const std::string& path, bool unchanged) {
  std::string saved = folder / "saved";
  unlink(saved.c_str());
  SalvageReport report;
  if (!Salvage(path, saved, WithSecret(uint64_t{16} << 20), &report).ok()) return;
  CheckReport check;
  EXPECT_OK(Check(saved, &check, kSecret));
  EXPECT(check.sound());
  if (!unchanged) return;
  std::vector<Model> models(2);
  bool consistent = true, written = false;
  EXPECT(!report.lost && ReadAll(saved, &models, &consistent, &written));
  EXPECT(models == Template::Get().states().back());
}

void Explain(const CheckReport& report) {
  for (const CheckProblem& problem : report.problems) {
    fprintf(stderr, "%s at %llu: %s\n", problem.kind.c_str(),
            static_cast<unsigned long long>(problem.offset), problem.message.c_str());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Folder folder;
  std::string path = folder / "pool";
  const Template& original = Template::Get();
  original.image().Write(path);
  Input input(data, size);
  bool forged = false, consistent = true, written = false;
  Damage(&input, path, &forged);
  CheckReport report;
  Status checked = Check(path, &report, kSecret);
  SalvageAll(folder, path, size == 0);
  std::vector<Model> models(2);
  bool whole = ReadAll(path, &models, &consistent, &written);
  bool sound = checked.ok() && report.sound();
  if (size == 0) {
    Explain(report);
    EXPECT(sound && models == original.states().back());
  }
  if (!sound) return 0;
  EXPECT(whole && consistent && written);
  auto is_left = [&](const std::vector<Model>& state) {
    return WithoutBuffer(state) == WithoutBuffer(models);
  };
  const auto& states = original.states();
  EXPECT(forged || std::any_of(states.begin(), states.end(), is_left));
  Status again = Check(path, &report, kSecret);
  Explain(report);
  EXPECT(again.ok() && report.sound());
  return 0;
}
