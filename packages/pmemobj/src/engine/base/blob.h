// A blob: the bytes of a value, or of a long key, kept outside of the page that refers to it.
//
// Up to kMaxRunSize it lies in a slot or a run of blocks of an extent (see space.h); above, it is
// an object of libpmemobj of its own. It has no header: the reference holds all there is to know.
//
//   offset  size  field
//        0     4  size      bytes
//        4     4  checksum  of the bytes (see checksum.h); 0 of a buffer, whose bytes may change
//        8     4  place     offset in the pool divided by 16, low 32 bits
//       12     2            and bits 32 to 47
//       14     2  birth     epoch of the commit that wrote it, bits 32 to 47
//       16     4            and low 32 bits
#ifndef POTOROO_ENGINE_BASE_BLOB_H_
#define POTOROO_ENGINE_BASE_BLOB_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace potoroo::engine {

struct BlobRef {
  uint32_t size;
  uint32_t checksum;
  uint32_t place_low;
  uint16_t place_high;
  uint16_t birth_high;
  uint32_t birth_low;

  static BlobRef Load(const char* bytes) {
    BlobRef ref;
    memcpy(&ref, bytes, sizeof ref);
    return ref;
  }
  uint64_t offset() const { return ((uint64_t{place_high} << 32) | place_low) * 16; }
  uint64_t birth() const { return (uint64_t{birth_high} << 32) | birth_low; }
  void set_offset(uint64_t offset) {
    place_low = static_cast<uint32_t>(offset / 16);
    place_high = static_cast<uint16_t>((offset / 16) >> 32);
  }
  void set_birth(uint64_t epoch) {
    birth_low = static_cast<uint32_t>(epoch);
    birth_high = static_cast<uint16_t>(epoch >> 32);
  }
};
static_assert(sizeof(BlobRef) == 20 && std::is_trivially_copyable_v<BlobRef>,
              "BlobRef is on media: changing it needs a new pool layout version");

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_BASE_BLOB_H_
