// A long life of a pool, in which anything happens.
#ifndef POTOROO_TEST_POWER_LIFE_H_
#define POTOROO_TEST_POWER_LIFE_H_

#include "power_run.h"

constexpr uint64_t kMiB = uint64_t{1} << 20;

struct MediaAndWay {
  Media::Kind kind;
  Acknowledged acknowledged;
};
constexpr MediaAndWay kKinds[] = {
    {Media::Kind::kPersistentMemory, Acknowledged::kAtOnce},
    {Media::Kind::kDisk, Acknowledged::kAtOnce},
    {Media::Kind::kDisk, Acknowledged::kSynced},
    {Media::Kind::kDisk, Acknowledged::kFlushed},
};

std::string RandomBytes(Chance* chance, size_t size);

// Returns what a cut left that is not allowed, or nothing. `eager`: every other fence is cut, and
// there are no snapshots, which a planted fault may hurt before a cut is. `hostile`: see hostile.h.
// `key`: the pool is encrypted with it, and has no buffers.
std::string PowerLife(const MediaAndWay& kind, uint64_t seed, bool eager, bool hostile = false,
                      const std::string& key = {});
// Makes the values that are written from now on hostile.
void MakeHostile(PowerRun* power);

#endif  // POTOROO_TEST_POWER_LIFE_H_
