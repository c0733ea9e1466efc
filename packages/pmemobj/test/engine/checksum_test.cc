#include "engine/base/checksum.h"

#include <cstring>
#include <set>

#include "model.h"

using namespace potoroo::engine;

namespace {

TEST("the checksum is the same with and without special instructions") {
  Chance chance(1);
  std::string bytes(3000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(chance.Below(256));
  for (size_t size = 0; size < 300; size++) {
    const char* start = bytes.data() + chance.Below(1000);
    EXPECT(Checksum(start, size) == PortableChecksum(start, size));
  }
}

TEST("the checksum sees runs overwritten with zeros") {
  std::string bytes(4096, 'b');
  std::set<uint32_t> seen{Checksum(bytes.data(), bytes.size())};
  size_t count = 1;
  for (size_t length = 1; length <= 512; length *= 2) {
    for (size_t at = 0; at + length <= bytes.size(); at += length < 8 ? 8 : length) {
      std::string damaged = bytes;
      memset(&damaged[at], 0, length);
      seen.insert(Checksum(damaged.data(), damaged.size()));
      count++;
    }
  }
  EXPECT(seen.size() == count);
}

}  // namespace
