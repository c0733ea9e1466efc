// Power cuts, simulated (see media.h), at every point of short workloads and at random points of
// long ones. POWER_SECONDS says how long the random ones go on, POWER_SEED with which seed they
// begin.
#include <chrono>

#include "power_run.h"

using namespace potoroo;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr Cuts kEvery{1, 2, true};

uint64_t Setting(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr || *text == 0 ? otherwise : strtoull(text, nullptr, 10);
}

std::string Value(Chance* chance, size_t size) {
  std::string value(size, static_cast<char>(chance->Below(256)));
  for (size_t i = 0; i < size; i += 61) value[i] = static_cast<char>(chance->Below(256));
  return value;
}

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
    PowerRun power(name, kind, 1, kEvery);
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
    EXPECT(power.cuts() > 10);
  }
  Report(PowerRun::all_cuts - cuts, PowerRun::all_cuts_while_opening - again);
}

void Prepare(PowerRun* power) {
  power->OpenMap("map");
  power->Write("map", [&](Change* change) {
    for (int i = 0; i < 60; i++) {
      change->Put("key " + std::to_string(i), Value(power->chance(), i % 2 == 0 ? 40 : 300));
    }
  });
}

TEST("a power cut while a pool is made") {
  auto nothing = [](PowerRun*) {};
  EveryPoint("create a file", {0, 0}, nullptr, nothing);
  EveryPoint("create a folder", {0, 64 * kMiB}, nullptr, nothing);
}

TEST("a power cut at every point: puts and deletes") {
  EveryPoint("puts and deletes", {0, 0}, Prepare, [](PowerRun* power) {
    for (size_t size : {10, 500, 5000, 100000}) {
      power->Write("map", [&](Change* c) { c->Put("one", Value(power->chance(), size)); });
    }
    power->Write("map", [&](Change* c) { c->Put("key 7", "another"); });
    power->Write("map", [&](Change* c) { c->Delete("key 8"); });
    power->Write("map", [&](Change* c) { c->DeleteRange("key 2", "key 4"); });
    power->CloseAndOpen();
    power->Write("map", [&](Change* c) { c->Put("two", Value(power->chance(), 100)); });
  });
}

TEST("a power cut at every point: maps come and go") {
  EveryPoint("maps", {0, 0}, Prepare, [](PowerRun* power) {
    power->OpenMap("another");
    power->Write("another", [&](Change* c) { c->Put("k", std::string(200, 'v')); });
    power->DropMap("map");
    power->OpenMap("map");
    power->DropMap("another");
  });
}

TEST("a power cut at every point: a value that is an object of its own") {
  EveryPoint("objects", {24 * kMiB, 0}, Prepare, [](PowerRun* power) {
    power->Write("map", [&](Change* c) { c->Put("big", Value(power->chance(), 7 * kMiB / 2)); });
    power->Write("map", [&](Change* c) { c->Put("big", Value(power->chance(), 4 * kMiB)); });
    power->Write("map", [&](Change* c) { c->Delete("big"); });
  });
}

TEST("a power cut at every point: a folder grows") {
  EveryPoint("growth", {0, 64 * kMiB}, Prepare, [](PowerRun* power) {
    for (int i = 0; i < 3; i++) {
      power->Write("map", [&](Change* c) {
        c->Put("large " + std::to_string(i), Value(power->chance(), 5 * kMiB / 2));
      });
    }
  });
}

// A long life of a pool, in which anything happens.
void RandomStep(PowerRun* power, uint64_t spread) {
  Chance* chance = power->chance();
  std::string map = "map " + std::to_string(chance->Below(3));
  uint64_t die = chance->Below(100);
  if (!power->maps().Has(map)) return power->OpenMap(map);
  if (die < 45) {
    power->Write(map, [&](Change* c) { c->Put(chance->Key(spread), chance->Value()); });
  } else if (die < 60) {
    power->Write(map, [&](Change* c) { c->Delete(chance->Key(spread)); });
  } else if (die < 85) {
    power->Write(map, [&](Change* c) {
      for (uint64_t i = chance->Below(60); i > 0; i--) {
        if (chance->Below(3) > 0) {
          c->Put(chance->Key(spread), chance->Value());
        } else {
          c->Delete(chance->Key(spread));
        }
      }
    });
  } else if (die < 90) {
    power->Write(map, [&](Change* c) {
      std::string from = chance->Key(spread);
      c->DeleteRange(from, chance->Below(4) == 0 ? "" : from + "5");
    });
  } else if (die < 93) {
    // Above what goes through a log.
    power->Write(map, [&](Change* c) {
      for (int i = 0; i < 40; i++) c->Put(chance->Key(spread), Value(chance, 9000));
    });
  } else if (die < 94) {
    power->Write(map, [&](Change* c) { c->Put(chance->Key(spread), Value(chance, 7 * kMiB / 2)); });
  } else if (die < 95) {
    power->DropMap(map);
  } else if (die < 97) {
    power->CloseAndOpen();
  } else {
    power->Write(map, [&](Change* c) { c->DeleteRange("", ""); });
  }
}

// Snapshots hold on to what would be reused otherwise.
struct Holder {
  std::vector<std::shared_ptr<Snapshot>> kept;
  void Step(Pool* pool, Chance* chance) {
    if (chance->Below(10) == 0) kept.push_back(Take(pool));
    if (kept.size() > 3 || chance->Below(20) == 0) kept.clear();
  }
};

std::string RandomRun(Media::Kind kind, uint64_t seed) {
  Chance shape(seed);
  PowerRun power("random", kind, seed, {5 + shape.Below(30), shape.Below(2) * 50, false});
  bool folder = shape.Below(2) == 0;
  uint64_t steps = 40 + shape.Below(200), spread = 30 + shape.Below(500);
  if (shape.Below(8) == 0) power.Begin();
  EXPECT_OK(power.Create({folder ? 0 : 12 * kMiB, folder ? 32 * kMiB : 0}));
  power.Begin();
  Holder holder;
  for (uint64_t i = 0; i < steps && power.violation().empty(); i++) {
    RandomStep(&power, spread);
    holder.Step(power.pool(), power.chance());
  }
  holder.kept.clear();
  power.Finish();
  return power.violation();
}

TEST("power cuts at random points of long lives") {
  auto until =
      std::chrono::steady_clock::now() + std::chrono::seconds(Setting("POWER_SECONDS", 25));
  uint64_t cuts = PowerRun::all_cuts, again = PowerRun::all_cuts_while_opening, runs = 0;
  for (uint64_t seed = Setting("POWER_SEED", 1); std::chrono::steady_clock::now() < until; seed++) {
    std::string wrong =
        RandomRun(seed % 2 == 0 ? Media::Kind::kDisk : Media::Kind::kPersistentMemory, seed);
    if (!wrong.empty()) fprintf(stderr, "%s\n", wrong.c_str());
    EXPECT(wrong.empty());
    runs++;
  }
  EXPECT(runs > 1);
  Report(PowerRun::all_cuts - cuts, PowerRun::all_cuts_while_opening - again);
}

}  // namespace
