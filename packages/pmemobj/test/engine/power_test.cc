// Power cuts, simulated (see media.h), at every point of short workloads and at random points of
// long ones. POWER_SECONDS says how long the random ones go on, POWER_SEED with which seed they
// begin. With CUT_ONE_IN=n one point in n of the short workloads is cut, at random.
#include <algorithm>
#include <chrono>

#include "lazily.h"
#include "power_life.h"

using namespace potoroo;

namespace {

uint64_t Setting(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr || *text == 0 ? otherwise : strtoull(text, nullptr, 10);
}

uint64_t OneIn() { return std::max<uint64_t>(1, Setting("CUT_ONE_IN", 1)); }

void Report(uint64_t cuts, uint64_t again) {
  printf(" %llu cuts, %llu while opening after one,", static_cast<unsigned long long>(cuts),
         static_cast<unsigned long long>(again));
}

// All that is written to a pool on both kinds of media; every point is a cut.
void EveryPoint(const std::string& name, const PoolOptions& options,
                const std::function<void(PowerRun*)>& prepare,
                const std::function<void(PowerRun*)>& run) {
  uint64_t cuts = PowerRun::all_cuts, again = PowerRun::all_cuts_while_opening;
  for (Media::Kind kind : {Media::Kind::kPersistentMemory, Media::Kind::kDisk}) {
    PowerRun power(name, kind, Acknowledged::kAtOnce, 1, {OneIn(), 2 * OneIn(), true});
    if (prepare == nullptr) {
      power.Begin();
      EXPECT_OK(power.Create(options));
    } else {
      EXPECT_OK(power.Create(options));
      prepare(&power);
      power.Begin();
    }
    run(&power);
    power.Finish();
    if (!power.violation().empty()) fprintf(stderr, "%s\n", power.violation().c_str());
    EXPECT(power.violation().empty());
    EXPECT(power.cuts() > 10 || OneIn() > 1);
  }
  Report(PowerRun::all_cuts - cuts, PowerRun::all_cuts_while_opening - again);
}

void Prepare(PowerRun* power) {
  power->OpenMap("map");
  power->Write("map", [&](Change* change) {
    for (int i = 0; i < 60; i++) {
      change->Put("key " + std::to_string(i), RandomBytes(power->chance(), i % 2 == 0 ? 40 : 300));
    }
  });
}

void PrepareHostile(PowerRun* power) {
  MakeHostile(power);
  Prepare(power);
}

void PutsAndDeletes(PowerRun* power) {
  for (size_t size : {10, 500, 5000, 100000}) {
    power->Write("map", [&](Change* c) { c->Put("one", RandomBytes(power->chance(), size)); });
  }
  power->Write("map", [&](Change* c) { c->Put("key 7", "another"); });
  power->Write("map", [&](Change* c) { c->Delete("key 8"); });
  power->Write("map", [&](Change* c) { c->DeleteRange("key 2", "key 4"); });
  power->Checkpoint();
  power->Write("map", [&](Change* c) { c->Put("one", "again"); });
  power->CloseAndOpen();
  power->Write("map", [&](Change* c) { c->Put("two", RandomBytes(power->chance(), 100)); });
}

void Buffers(PowerRun* power) {
  for (size_t size : {64, 303, 20000}) {
    power->Write("map", [&](Change* c) {
      c->PutBuffer("buffer " + std::to_string(size % 6), RandomBytes(power->chance(), size));
      c->Put("with it", RandomBytes(power->chance(), size));
    });
  }
  for (int i = 0; i < 5; i++) {
    power->Poke("map");
    power->Transact("map");
  }
  power->Write("map", [&](Change* c) { c->Put("buffer 4", "a value"); });
  power->Write("map", [&](Change* c) { c->Delete("buffer 2"); });
  power->Transact("map");
  power->Checkpoint();
  power->Transact("map");
  power->DropMap("map");
}

TEST("a power cut while a pool is made") {
  auto nothing = [](PowerRun*) {};
  EveryPoint("create a file", {0, 0}, nullptr, nothing);
  EveryPoint("create a folder", {0, 64 * kMiB}, nullptr, nothing);
}

TEST("a power cut at every point: puts and deletes") {
  EveryPoint("puts and deletes", {0, 0}, Prepare, PutsAndDeletes);
}

TEST("a power cut at every point: puts and deletes of hostile values") {
  EveryPoint("hostile puts and deletes", {0, 0}, PrepareHostile, PutsAndDeletes);
}

TEST("a power cut at every point: buffers") { EveryPoint("buffers", {0, 0}, Prepare, Buffers); }

TEST("a power cut at every point: buffers of hostile bytes") {
  EveryPoint("hostile buffers", {0, 0}, PrepareHostile, Buffers);
}

TEST("a power cut at every point: maps come and go") {
  EveryPoint("maps", {0, 0}, Prepare, [](PowerRun* power) {
    power->OpenMap("another");
    power->Write("another", [&](Change* c) { c->Put("k", std::string(200, 'v')); });
    power->Checkpoint();
    power->DropMap("map");
    power->Checkpoint();
    power->OpenMap("map");
    power->DropMap("another");
  });
}

TEST("a power cut at every point: pages split and join") {
  EveryPoint("pages", {0, 0}, Prepare, [](PowerRun* power) {
    for (int round = 0; round < 3; round++) {
      power->Write("map", [&](Change* c) {
        for (int i = 0; i < 100; i++) {
          std::string key = "key " + std::to_string(round * 100 + i);
          round == 1 ? c->Delete("key " + std::to_string(i)) : c->Put(key, std::string(50, 'p'));
        }
      });
      power->Checkpoint();
    }
  });
}

TEST("a power cut at every point: a value that is an object of its own") {
  EveryPoint("objects", {24 * kMiB, 0}, Prepare, [](PowerRun* power) {
    power->Write("map",
                 [&](Change* c) { c->Put("big", RandomBytes(power->chance(), 7 * kMiB / 2)); });
    power->Write("map", [&](Change* c) { c->Put("big", RandomBytes(power->chance(), 4 * kMiB)); });
    power->Write("map", [&](Change* c) { c->Delete("big"); });
    power->Checkpoint();
    power->Write("map", [&](Change* c) { c->Put("key 1", "another"); });
  });
}

TEST("a power cut at every point: a folder grows") {
  EveryPoint("growth", {0, 64 * kMiB}, Prepare, [](PowerRun* power) {
    for (int i = 0; i < 3; i++) {
      power->Write("map", [&](Change* c) {
        c->Put("large " + std::to_string(i), RandomBytes(power->chance(), 5 * kMiB / 2));
      });
    }
  });
}

const std::string kKey(kKeySize, 'k');

PoolOptions Encrypted(uint64_t size, uint64_t max_size) {
  return {size, max_size, Durability::kStrict, kKey};
}

TEST("a power cut while an encrypted pool is made") {
  auto nothing = [](PowerRun*) {};
  EveryPoint("create an encrypted file", Encrypted(0, 0), nullptr, nothing);
  EveryPoint("create an encrypted folder", Encrypted(0, 64 * kMiB), nullptr, nothing);
}

TEST("a power cut at every point: encrypted puts and deletes") {
  EveryPoint("encrypted puts and deletes", Encrypted(0, 0), Prepare, PutsAndDeletes);
}

TEST("a power cut at every point: an encrypted value that is an object of its own") {
  EveryPoint("encrypted objects", Encrypted(24 * kMiB, 0), Prepare, [](PowerRun* power) {
    for (uint64_t size : {3 * kMiB - 10, 4 * kMiB}) {
      power->Write("map", [&](Change* c) { c->Put("big", RandomBytes(power->chance(), size)); });
    }
    power->Write("map", [&](Change* c) { c->Delete("big"); });
    power->Checkpoint();
  });
}

TEST("a power cut at every point: the key is changed") {
  EveryPoint("rotation", Encrypted(0, 0), Prepare, [](PowerRun* power) {
    for (int i = 0; i < 4; i++) {
      power->RotateKey();
      power->Write("map", [&](Change* c) { c->Put("one", RandomBytes(power->chance(), 300)); });
    }
    power->CloseAndOpen();
    power->RotateKey();
  });
}

void LongLives(uint64_t seconds, bool hostile, const std::string& key = {}) {
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  uint64_t cuts = PowerRun::all_cuts, again = PowerRun::all_cuts_while_opening, runs = 0;
  uint64_t seed = Setting("POWER_SEED", 1);
  // One of each kind at least, however long they take.
  for (; runs < 4 || std::chrono::steady_clock::now() < until; seed++) {
    std::string wrong = PowerLife(kKinds[seed % 4], seed, false, hostile, key);
    if (!wrong.empty()) fprintf(stderr, "%s\n", wrong.c_str());
    EXPECT(wrong.empty());
    runs++;
  }
  Report(PowerRun::all_cuts - cuts, PowerRun::all_cuts_while_opening - again);
}

TEST("power cuts at random points of long lives") {
  LongLives(Setting("POWER_SECONDS", 25), false);
}

TEST("power cuts at random points of long lives with hostile values") {
  LongLives(Setting("POWER_SECONDS", 15), true);
}

TEST("power cuts at random points of long lives of encrypted pools") {
  LongLives(Setting("POWER_SECONDS", 15), false, kKey);
}

TEST("power cuts: random lives of pools that open before they are walked") {
  Lazily lazily;
  for (const MediaAndWay& kind : kKinds) {
    for (uint64_t seed = 1; seed <= 3; seed++) {
      std::string violation = PowerLife(kind, seed, seed == 1);
      if (!violation.empty()) fprintf(stderr, "%s\n", violation.c_str());
      EXPECT(violation.empty());
    }
  }
}

}  // namespace
