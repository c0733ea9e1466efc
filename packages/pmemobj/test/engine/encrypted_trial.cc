#include "encrypted_trial.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "engine/check/checker.h"
#include "engine/salvage/salvage.h"
#include "model.h"

using namespace potoroo;
using Patch = EncryptedSubject::Patch;

namespace {

PoolOptions WithKey(uint64_t size = 0) {
  PoolOptions options;
  options.key = EncryptedSubject::kKey;
  options.size = size;
  return options;
}

// Judges a value that is there, which is never that of another key.
Outcome Judge(const std::string& key, Bytes value) {
  if (key.compare(0, 6, "later ") == 0) {
    const int later = atoi(key.c_str() + 6);
    return value == EncryptedSubject::LaterOf(later) ? kWhole : kWrong;
  }
  // The directory of maps has it: its pages are pages like others.
  if (key == "map") return kOld;
  const int number = key.size() < 5 ? -1 : atoi(key.c_str() + 4) - 100000;
  if (number < 0 || number >= EncryptedSubject::kKeys) return kWrong;
  for (int round = EncryptedSubject::kRounds - 1; round >= 0; round--) {
    if (value != EncryptedSubject::ValueOf(number, round)) continue;
    return round == EncryptedSubject::kRounds - 1 ? kWhole : kOld;
  }
  return kWrong;
}

Outcome JudgeGet(const Snapshot& snapshot, uint32_t map, const std::string& key) {
  Bytes value;
  const Status status = snapshot.Get(map, key, &value);
  if (status.code() == Code::kNotFound) return kOld;
  return status.ok() ? Judge(key, value) : kTold;
}

// Judges the keys, one by one. The end of the log may be missing: a torn write leaves that.
Outcome ReadKeys(const Snapshot& snapshot, uint32_t map) {
  Outcome worst = kWhole;
  auto add = [&](Outcome one) { worst = std::max(worst, one); };
  for (int i = 0; i < EncryptedSubject::kKeys; i++) {
    add(JudgeGet(snapshot, map, EncryptedSubject::NameOf(i)));
  }
  bool ended = false;
  for (int i = 0; i < EncryptedSubject::kLater; i++) {
    const Outcome one = JudgeGet(snapshot, map, "later " + std::to_string(i));
    if (one == kWhole && ended) add(kOld);
    if (one == kOld) ended = true;
    if (one != kOld || i < EncryptedSubject::kLater - 2) add(one);
  }
  return worst;
}

Outcome ReadAll(const Snapshot& snapshot, uint32_t map) {
  Outcome worst = kWhole;
  for (bool forward : {true, false}) {
    auto cursor = snapshot.NewCursor(map);
    std::set<std::string> seen;
    forward ? cursor->SeekFirst() : cursor->SeekLast();
    for (; cursor->Valid(); forward ? cursor->Next() : cursor->Prev()) {
      const std::string key(cursor->key());
      if (!seen.insert(key).second) worst = std::max(worst, kOld);
      // More than there ever were: it goes round in circles.
      if (seen.size() > 1000) return kWrong;
      worst = std::max(worst, Judge(key, cursor->value()));
    }
    if (!cursor->status().ok()) worst = std::max(worst, kTold);
    if (cursor->status().ok() && seen.size() < EncryptedSubject::kKeys) {
      worst = std::max(worst, kOld);
    }
  }
  return worst;
}

Outcome Use(const std::string& path) {
  std::unique_ptr<Pool> pool;
  if (!Pool::Open(path, WithKey(), &pool).ok()) return kTold;
  uint32_t map;
  if (!pool->OpenMap("map", &map).ok()) return kTold;
  Outcome outcome = kWhole;
  {
    auto snapshot = Take(pool.get());
    outcome = std::max(ReadKeys(*snapshot, map), ReadAll(*snapshot, map));
  }
  for (int i = 0; i < 30; i++) {
    Batch batch;
    batch.Put(map, "new " + std::to_string(i), std::string(static_cast<size_t>(i) * 20, 'n'));
    batch.Delete(map, EncryptedSubject::NameOf(i * 7));
    if (!batch.WriteTo(pool.get()).ok()) break;
  }
  Batch batch;
  batch.DeleteRange(map, "", "");
  // Damage may refuse it; to crash is what it must not.
  if (!batch.WriteTo(pool.get()).ok()) return outcome;
  return outcome;
}

bool NamesDamage(const std::string& path) {
  CheckReport report;
  const Status status = Check(path, &report, EncryptedSubject::kKey);
  return !status.ok() || !report.sound() || !report.notes.empty();
}

// Salvages the pool. Each value must be one that was written, and the latest unless salvage says
// that it may be old.
Outcome Rescue(const std::string& path, const Trial& trial) {
  const std::string to = path + "-salvaged";
  SalvageReport report;
  if (!Salvage(path, to, WithKey(32 << 20), &report).ok()) {
    return trial.least > 0 ? kNotSalvaged : kTold;
  }
  std::unique_ptr<Pool> pool;
  if (!Pool::Open(to, WithKey(), &pool).ok()) return kNotSalvaged;
  auto snapshot = Take(pool.get());
  std::vector<NamedMap> maps;
  EXPECT_OK(snapshot->ListMaps(&maps));
  uint64_t found = 0;
  for (const NamedMap& map : maps) {
    auto cursor = snapshot->NewCursor(map.map);
    for (cursor->SeekFirst(); cursor->Valid(); cursor->Next(), found++) {
      const Outcome one = Judge(std::string(cursor->key()), cursor->value());
      if (one == kWrong || (one == kOld && !trial.replay && !report.lost)) return kWrong;
    }
    if (!cursor->status().ok()) return kNotSalvaged;
  }
  return found < trial.least ? kNotSalvaged : kWhole;
}

int Exercise(const std::string& path, const Trial& trial) {
  const bool named = NamesDamage(path);
  const Outcome rescued = Rescue(path, trial);
  const Outcome outcome = Use(path);
  if (rescued >= kWrong) return rescued;
  if (outcome == kOld && !trial.replay) return kWrong;
  return !named && (trial.harms || outcome == kTold) ? kNotNamed : outcome;
}

}  // namespace

Outcome Run(const EncryptedSubject& subject, const Trial& trial, Outcomes* outcomes) {
  Folder folder;
  subject.CopyTo(folder / "copy", trial.patches);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(120);
    _exit(Exercise(folder / "copy", trial));
  }
  int result;
  EXPECT(waitpid(child, &result, 0) == child);
  if (!WIFEXITED(result) || WEXITSTATUS(result) >= kWrong) {
    for (const Patch& patch : trial.patches) {
      fprintf(stderr, "at %#lx, %zu bytes: ", patch.offset, patch.bytes.size());
    }
    fprintf(stderr, "%s %d\n", WIFEXITED(result) ? "outcome" : "status",
            WIFEXITED(result) ? WEXITSTATUS(result) : result);
    abort();
  }
  outcomes->count[WEXITSTATUS(result)]++;
  return static_cast<Outcome>(WEXITSTATUS(result));
}
