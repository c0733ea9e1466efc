#include "engine/base/checksum.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#define POTOROO_CRC_TARGET __attribute__((target("sse4.2")))
#endif

namespace potoroo::engine {
namespace {

std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
    table[i] = crc;
  }
  return table;
}

uint32_t Join(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  uint64_t x = (a | b << 32) * 0x9e3779b97f4a7c15;
  x ^= x >> 32;
  x = (x + (c | d << 32)) * 0xd6e8feb86659fd93;
  x ^= x >> 32;
  return static_cast<uint32_t>((x * 0x9e3779b97f4a7c15) >> 32);
}

struct PortableCrc {
  static uint32_t Byte(uint32_t crc, uint8_t byte) {
    static const std::array<uint32_t, 256> table = MakeTable();
    return (crc >> 8) ^ table[(crc ^ byte) & 0xff];
  }
  static uint32_t Word(uint32_t crc, uint64_t word) {
    for (int i = 0; i < 8; i++) crc = Byte(crc, static_cast<uint8_t>(word >> (8 * i)));
    return crc;
  }
};

struct Lanes {
  uint64_t a = ~0u, b = ~1u, c = ~2u, d = ~3u;
  uint32_t Result() const { return Join(a, b, c, d); }
};

void AbsorbPortably(Lanes* lanes, const uint8_t* data, size_t size) {
  uint64_t* of[4] = {&lanes->a, &lanes->b, &lanes->c, &lanes->d};
  uint64_t word;
  for (; size >= 32; size -= 32, data += 32) {
    for (size_t i = 0; i < 4; i++) {
      memcpy(&word, data + 8 * i, 8);
      *of[i] = PortableCrc::Word(static_cast<uint32_t>(*of[i]), word);
    }
  }
  uint32_t last = static_cast<uint32_t>(lanes->a);
  for (; size >= 8; size -= 8, data += 8) {
    memcpy(&word, data, 8);
    last = PortableCrc::Word(last, word);
  }
  for (; size > 0; size--, data++) last = PortableCrc::Byte(last, *data);
  lanes->a = last;
}

#if defined(__x86_64__)
POTOROO_CRC_TARGET void AbsorbAccelerated(Lanes* lanes, const uint8_t* data, size_t size) {
  uint64_t a = lanes->a, b = lanes->b, c = lanes->c, d = lanes->d;
  uint64_t word[4];
  for (; size >= 32; size -= 32, data += 32) {
    memcpy(word, data, 32);
    a = _mm_crc32_u64(a, word[0]);
    b = _mm_crc32_u64(b, word[1]);
    c = _mm_crc32_u64(c, word[2]);
    d = _mm_crc32_u64(d, word[3]);
  }
  for (; size >= 8; size -= 8, data += 8) {
    memcpy(word, data, 8);
    a = _mm_crc32_u64(a, word[0]);
  }
  for (; size > 0; size--, data++) a = _mm_crc32_u8(static_cast<uint32_t>(a), *data);
  *lanes = {a, b, c, d};
}
#endif

#if defined(__x86_64__)
// Asks the processor itself: not every compiler's runtime library has what
// __builtin_cpu_supports reads.
bool HasCrcInstructions() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0;
}
#endif

void Absorb(Lanes* lanes, const void* data, size_t size) {
  const uint8_t* bytes = static_cast<const uint8_t*>(data);
#if defined(__x86_64__)
  static const bool accelerated = HasCrcInstructions();
  if (accelerated) return AbsorbAccelerated(lanes, bytes, size);
#endif
  AbsorbPortably(lanes, bytes, size);
}

}  // namespace

uint32_t PortableChecksum(const void* data, size_t size) {
  Lanes lanes;
  AbsorbPortably(&lanes, static_cast<const uint8_t*>(data), size);
  return lanes.Result();
}

uint32_t Checksum(const void* data, size_t size) {
  Lanes lanes;
  Absorb(&lanes, data, size);
  return lanes.Result();
}

bool ChecksumOfPieces(uint64_t size, char* buffer, size_t buffer_size, const ReadPiece& read,
                      uint32_t* checksum) {
  Lanes lanes;
  for (uint64_t from = 0; from < size; from += buffer_size) {
    size_t now = static_cast<size_t>(size - from < buffer_size ? size - from : buffer_size);
    if (!read(from, buffer, now)) return false;
    Absorb(&lanes, buffer, now);
  }
  *checksum = lanes.Result();
  return true;
}

}  // namespace potoroo::engine
