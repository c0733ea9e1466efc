// Makes files that the engine did not write itself.
#ifndef POTOROO_TEST_FORGE_H_
#define POTOROO_TEST_FORGE_H_
#include <sys/types.h>

#include <string>

#include "engine.h"

// Gives the superblock at offset `at` of a file another version, and a checksum that holds.
potoroo::Status OverwriteLayoutVersion(const std::string& path, off_t at, uint32_t version);

#endif  // POTOROO_TEST_FORGE_H_
