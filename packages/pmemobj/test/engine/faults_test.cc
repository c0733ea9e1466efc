// The test of the power cuts: each fault that is planted in the engine (see fault.h) is found.
#include <map>
#include <tuple>

#include "engine/base/fault.h"
#include "power_life.h"

using namespace potoroo;
using engine::Fault;
using engine::planted_fault;

namespace {

constexpr MediaAndWay kPersistent = kKinds[0], kDisk = kKinds[1];

// Returns what is wrong without a fault: the same for all faults that are found in one life.
const std::string& WithoutFault(const MediaAndWay& kind, uint64_t seed) {
  static std::map<std::tuple<Media::Kind, Acknowledged, uint64_t>, std::string> lives;
  const auto life = std::make_tuple(kind.kind, kind.acknowledged, seed);
  if (lives.count(life) == 0) lives[life] = PowerLife(kind, seed, true);
  return lives[life];
}

// Within some lives; a fault that takes more than that to be found may as well not be. `seed` is
// that of the first: one that has found the fault before, so that one is enough as long as it does.
void ExpectFound(Fault fault, const MediaAndWay& kind, uint64_t seed = 1) {
  const uint64_t last = seed + 39;
  planted_fault = fault;
  std::string found = PowerLife(kind, 1000 + seed, true);
  while (found.empty() && seed < last) {
    found = PowerLife(kind, 1000 + ++seed, true);
  }
  planted_fault = Fault::kNone;
  EXPECT(!found.empty());
  // And it was the fault that was found.
  const std::string& without = WithoutFault(kind, 1000 + seed);
  if (!without.empty()) fprintf(stderr, "without the fault: %s\n", without.c_str());
  EXPECT(without.empty());
  printf(" in life %llu", static_cast<unsigned long long>(seed));
}

TEST("planted: a log record without its fence") { ExpectFound(Fault::kLogFence, kPersistent); }
TEST("planted: a log record without its sync") { ExpectFound(Fault::kLogSync, kDisk); }
TEST("planted: a root before what it leads to") {
  ExpectFound(Fault::kCheckpointFence, kPersistent, 3);
  ExpectFound(Fault::kCheckpointFence, kDisk);
}
TEST("planted: a page that is never flushed") {
  ExpectFound(Fault::kCheckpointFlush, kPersistent);
  ExpectFound(Fault::kCheckpointFlush, kDisk, 3);
}
TEST("planted: space that is used again too early") {
  ExpectFound(Fault::kReuse, kPersistent);
  ExpectFound(Fault::kReuse, kDisk);
}
TEST("planted: a log that is out of date") {
  ExpectFound(Fault::kStaleLog, kPersistent);
  ExpectFound(Fault::kStaleLog, kDisk);
}
TEST("planted: a checksum without the values") {
  ExpectFound(Fault::kValueChecksum, kPersistent);
  ExpectFound(Fault::kValueChecksum, kDisk);
}

TEST("planted: a range that is changed before it is saved") {
  ExpectFound(Fault::kUndoFence, kPersistent, 3);
  ExpectFound(Fault::kUndoFence, kDisk, 3);
}
TEST("planted: a commit before what it has changed in buffers") {
  ExpectFound(Fault::kUndoFlush, kPersistent, 2);
  ExpectFound(Fault::kUndoFlush, kDisk, 2);
}
TEST("planted: a commit that does not end its transaction") {
  ExpectFound(Fault::kUndoMarker, kPersistent);
  ExpectFound(Fault::kUndoMarker, kDisk);
}
TEST("planted: what a transaction of the past has saved") {
  ExpectFound(Fault::kUndoStale, kPersistent);
  ExpectFound(Fault::kUndoStale, kDisk);
}

// Cut at every point of some rotations of the key.
std::string RotateWithCuts(Media::Kind kind) {
  PowerRun power("rotation", kind, Acknowledged::kAtOnce, 1, {1, 2, true});
  EXPECT_OK(power.Create({0, 0, Durability::kStrict, std::string(kKeySize, 'k')}));
  power.OpenMap("map");
  power.Write("map", [](Change* c) { c->Put("key", "value"); });
  power.Begin();
  for (int i = 0; i < 3 && !power.failed(); i++) power.RotateKey();
  power.Finish();
  return power.violation();
}

TEST("planted: a rotation of the key that leaves none, or two") {
  for (Media::Kind kind : {Media::Kind::kPersistentMemory, Media::Kind::kDisk}) {
    for (Fault fault : {Fault::kKeySlots, Fault::kKeysUnsettled}) {
      planted_fault = fault;
      const std::string found = RotateWithCuts(kind);
      planted_fault = Fault::kNone;
      EXPECT(!found.empty());
    }
    EXPECT(RotateWithCuts(kind).empty());
  }
}

}  // namespace
