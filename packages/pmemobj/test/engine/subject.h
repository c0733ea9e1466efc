// A pool to be damaged: its bytes in memory, and where what is in it lies.
#ifndef POTOROO_TEST_SUBJECT_H_
#define POTOROO_TEST_SUBJECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/page.h"
#include "engine/space/superblock.h"

struct Subject {
  std::string bytes;
  uint64_t root_object = 0;
  uint64_t superblock = 0;
  std::vector<uint64_t> objects;  // headers of libpmemobj's
  std::vector<uint64_t> extents;
  std::vector<uint64_t> leaves;  // of the map, in order
  uint64_t root = 0;             // the map's root page
  uint64_t directory = 0;

  char* At(uint64_t offset) { return &bytes[offset]; }
  potoroo::engine::Page PageAt(uint64_t offset) { return potoroo::engine::Page(At(offset)); }
  // Makes the checksum of a page right again.
  void Seal(uint64_t offset);
  // The reference of the first value of a leaf that has one.
  char* FirstReference();
};

// One map with a tree of three levels, and values of 30 bytes, of 300 and of 4 MiB. Leaves it in a
// file at `path`.
Subject MakeSubject(const std::string& path);

// Returns the view of the root object at `root` of a pool's bytes.
potoroo::engine::RootView ViewOf(const char* bytes, uint64_t root);

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& bytes);

#endif  // POTOROO_TEST_SUBJECT_H_
