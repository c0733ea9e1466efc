#include "power_life.h"

#include <thread>

#include "hostile.h"

using namespace potoroo;

std::string RandomBytes(Chance* chance, size_t size) { return chance->Bytes(size); }

namespace {

// Keeps another thread in Sync while this one writes.
void Burst(PowerRun* power, const std::string& map, uint64_t spread) {
  std::atomic<bool> done{false};
  std::thread syncer([&] {
    for (; !done; std::this_thread::yield()) power->Sync();
  });
  Chance* chance = power->chance();
  for (int i = 0; i < 15; i++) {
    power->Write(map, [&](Change* c) { c->Put(chance->Key(spread), chance->Value()); });
  }
  done = true;
  syncer.join();
  power->Sync();
}

// Makes, changes and replaces the buffers of a map.
void BufferStep(PowerRun* power, const std::string& map) {
  static const size_t kSizes[] = {8, 64, 200, 5000, 20000, 100000};
  Chance* chance = power->chance();
  std::string key = "buffer " + std::to_string(chance->Below(6));
  uint64_t die = chance->Below(20);
  size_t size = kSizes[chance->Below(6)];
  if (die < 5) {
    if (chance->Below(40) == 0) size = 7 * kMiB / 2;
    power->Write(map, [&](Change* c) {
      c->PutBuffer(key, RandomBytes(chance, size));
      if (die == 0) c->Put(chance->Key(30), chance->Value());
    });
  } else if (die == 5) {
    power->Write(map, [&](Change* c) { c->Delete(key); });
  } else if (die == 6) {
    power->Write(map, [&](Change* c) { c->Put(key, RandomBytes(chance, size)); });
  } else if (die < 10) {
    power->Poke(map);
  } else {
    power->Transact(map);
  }
}

void RandomStep(PowerRun* power, uint64_t spread, bool encrypted) {
  Chance* chance = power->chance();
  std::string map = "map " + std::to_string(chance->Below(3));
  uint64_t die = chance->Below(100);
  if (!power->maps().Has(map)) return power->OpenMap(map);
  if (!encrypted && chance->Below(4) == 0) return BufferStep(power, map);
  if (encrypted && chance->Below(60) == 0) return power->RotateKey();
  if (die < 40) {
    power->Write(map, [&](Change* c) { c->Put(chance->Key(spread), chance->Value()); });
  } else if (die < 55) {
    power->Write(map, [&](Change* c) { c->Delete(chance->Key(spread)); });
  } else if (die < 80) {
    power->Write(map, [&](Change* c) {
      for (uint64_t i = chance->Below(60); i > 0; i--) {
        if (chance->Below(3) > 0) {
          c->Put(chance->Key(spread), chance->Value());
        } else {
          c->Delete(chance->Key(spread));
        }
      }
    });
  } else if (die < 85) {
    power->Write(map, [&](Change* c) {
      std::string from = chance->Key(spread);
      c->DeleteRange(from, chance->Below(4) == 0 ? "" : from + "5");
    });
  } else if (die < 88) {
    // Above what goes through a log.
    power->Write(map, [&](Change* c) {
      for (int i = 0; i < 40; i++) c->Put(chance->Key(spread), RandomBytes(chance, 9000));
    });
  } else if (die < 89) {
    power->Write(
        map, [&](Change* c) { c->Put(chance->Key(spread), RandomBytes(chance, 7 * kMiB / 2)); });
  } else if (die < 91) {
    power->DropMap(map);
  } else if (die < 93) {
    power->CloseAndOpen();
  } else if (die < 94) {
    power->Checkpoint();
  } else if (die < 95) {
    power->Compact();
  } else if (die < 97) {
    power->Flush();
  } else if (die < 99) {
    Burst(power, map, spread);
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

}  // namespace

void MakeHostile(PowerRun* power) {
  // Made now: not while power may fail.
  OtherPool(false);
  OtherPool(true);
  Hostile hostile([power] { return power->pool() == nullptr ? 1 : power->pool()->epoch(); });
  power->chance()->SetBytes(hostile.Maker());
}

std::string PowerLife(const MediaAndWay& kind, uint64_t seed, bool eager, bool hostile,
                      const std::string& key) {
  Chance shape(seed);
  Cuts cuts{5 + shape.Below(30), shape.Below(2) * 50, false};
  if (eager) cuts = {2, 0, false};
  PowerRun power("a life", kind.kind, kind.acknowledged, seed, cuts);
  if (hostile) MakeHostile(&power);
  bool folder = shape.Below(2) == 0;
  uint64_t steps = 40 + shape.Below(eager ? 20 : 200), spread = 30 + shape.Below(500);
  if (shape.Below(8) == 0) power.Begin();
  EXPECT_OK(
      power.Create({folder ? 0 : 12 * kMiB, folder ? 32 * kMiB : 0, Durability::kStrict, key}));
  power.Begin();
  Holder holder;
  for (uint64_t i = 0; i < steps && !power.failed(); i++) {
    RandomStep(&power, spread, !key.empty());
    if (!eager) holder.Step(power.pool(), power.chance());
  }
  holder.kept.clear();
  power.Finish();
  return power.violation();
}
