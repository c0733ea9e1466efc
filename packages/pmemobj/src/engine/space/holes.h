// Parts of the pool's files that have no space on their disk.
#ifndef POTOROO_ENGINE_MEDIUM_HOLES_H_
#define POTOROO_ENGINE_MEDIUM_HOLES_H_

#include <cstdint>
#include <functional>

#include "engine/medium/medium.h"

namespace potoroo::engine {

// Bytes that the files take on their disk.
uint64_t BytesOnDisk(const Medium& medium);
// Gives the file system the space of a range within one part, whose bytes are then 0. False where
// it does not take it.
bool Punch(const Medium& medium, uint64_t offset, uint64_t size);
// Gives a range its space again. False where the disk is full.
bool Back(const Medium& medium, uint64_t offset, uint64_t size);
// Calls with each range that may have no space: what was never written counts, too.
void EachHole(const Medium& medium, const std::function<void(uint64_t from, uint64_t to)>& visit);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_HOLES_H_
