// Pools that a later version of the engine might have made.
#ifndef POTOROO_TEST_FORGE_H_
#define POTOROO_TEST_FORGE_H_

#include <sys/types.h>

#include <functional>
#include <string>

#include "engine/space/superblock.h"

// Returns the place of the superblock in a pool of one file.
off_t FindSuperblock(const std::string& path);
// Changes the superblock, with a checksum that holds.
potoroo::Status OverwriteSuperblock(
    const std::string& path, off_t at,
    const std::function<void(potoroo::engine::Superblock*)>& change);

#endif  // POTOROO_TEST_FORGE_H_
