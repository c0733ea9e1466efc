// A page of a tree: sorted entries, packed in order, that share a prefix.
//
//   offset  size       field
//        0     4       checksum  of the bytes 4 to size (see checksum.h)
//        4     2       size      bytes in use
//        6     2       count     entries, at least 1
//        8     1       level     0 for a leaf; an inner page's children are one level below
//        9     1       flags     kPageHasBlobs
//       10     2       prefix    length of the prefix
//       12     4       number    the page's own: its offset in the pool divided by kPageSize
//       16     8       epoch     of the last commit that changed it
//       24     8       below     of an inner page: entries in the leaves below it in the lower 40
//       bits,
//                               and above them the lower 24 bits of `epoch`; they are not known
//                               where those differ, as in pages of earlier engines, which have 0
//                               and leave it as it is when they change a page; 0 in a leaf
//       32     4*n     heads     first 4 bytes of each suffix as a big endian number, 0 padded
//   32+4*n     2*(n+1) offsets   of each entry in the page; the last one equals size
//                      prefix
//                      entries
//
// An entry is:
//        0     2       meta      bits 0 to 11 length of the suffix, then the kEntry... flags
//        2     s       suffix    the key without the prefix; of a long key only its head
//              20      BlobRef of the whole key (kEntryKeyBlob)
//              rest    payload   leaf: the value, or its BlobRef (kEntryValueBlob); of a buffer
//                                (kEntryBuffer) always its BlobRef, or nothing where it is empty
//                                inner: 4 bytes, the number of the child
//
// The key of an inner entry is at most the least key below its child and above all keys below the
// child before. The first entry's key is empty and stands for less than everything.
#ifndef POTOROO_ENGINE_BASE_PAGE_H_
#define POTOROO_ENGINE_BASE_PAGE_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engine/base/blob.h"
#include "engine/engine.h"

namespace potoroo::engine {

inline constexpr size_t kPageSize = 1024;
inline constexpr uint32_t kMaxLevel = 24;
inline constexpr size_t kMaxPrefix = 60;
// Keys above this keep their first kLongKeyHead bytes in the page and all of them in a blob.
inline constexpr size_t kMaxInlineKey = 200;
inline constexpr size_t kLongKeyHead = 64;
inline constexpr size_t kMaxInlineValue = 64;

inline constexpr uint8_t kPageHasBlobs = 1;

inline constexpr uint16_t kEntryValueBlob = 0x8000;
inline constexpr uint16_t kEntryKeyBlob = 0x4000;
inline constexpr uint16_t kEntryChildHasBlobs = 0x2000;  // the child is a leaf with kPageHasBlobs
inline constexpr uint16_t kEntryBuffer = 0x1000;         // see Operation
inline constexpr uint16_t kEntryFlags = 0xf000;
inline constexpr uint16_t kEntryLength = 0x0fff;

struct PageHeader {
  uint32_t checksum;
  uint16_t size;
  uint16_t count;
  uint8_t level;
  uint8_t flags;
  uint16_t prefix;
  uint32_t number;
  uint64_t epoch;
  uint64_t below;
};
static_assert(sizeof(PageHeader) == 32 && std::is_trivially_copyable_v<PageHeader>,
              "PageHeader is on media: changing it needs a new pool layout version");
static_assert(kLongKeyHead >= kMaxPrefix + 4, "the suffix of a long key must fill its head");
static_assert(sizeof(PageHeader) + 2 + kMaxPrefix + 3 * (6 + 2 + kMaxInlineKey + kMaxInlineValue) <=
                  kPageSize - 32,
              "a page must hold at least three entries, and the seal of one that is encrypted");

inline constexpr uint64_t kNotKnown = 0;  // there is no page without an entry below it
inline constexpr int kBelowBits = 40;

// How many entries of leaves a page holds or has below it, or kNotKnown.
inline uint64_t EntriesOf(const PageHeader& header) {
  if (header.level == 0) return header.count;
  const bool known = header.below >> kBelowBits == (header.epoch & 0xffffff);
  return known ? header.below & ((uint64_t{1} << kBelowBits) - 1) : kNotKnown;
}

// To be called when all else in the header is set.
inline void SetEntries(PageHeader* header, uint64_t count) {
  const bool fits = header->level > 0 && count != kNotKnown && count >> kBelowBits == 0;
  header->below = fits ? (header->epoch & 0xffffff) << kBelowBits | count : 0;
}

// The first four bytes as a number that sorts as they do.
inline uint32_t KeyHead(const char* key, size_t size) {
  uint32_t word = 0;
  // An empty key may have no address.
  if (size > 0) memcpy(&word, key, size < 4 ? size : 4);
  return __builtin_bswap32(word);
}

// An entry as it lies in a page.
struct PageEntry {
  Bytes suffix;
  uint16_t flags;
  const char* key_blob;  // BlobRef of the whole key, or nullptr
  Bytes payload;

  uint32_t child() const {
    uint32_t number;
    memcpy(&number, payload.data(), 4);
    return number;
  }
};

// A view of a page that has been verified: accessors check nothing.
class Page {
 public:
  explicit Page(const char* data) : data_(data) {}

  const char* data() const { return data_; }
  const PageHeader& header() const { return *reinterpret_cast<const PageHeader*>(data_); }
  uint32_t count() const { return header().count; }
  uint32_t level() const { return header().level; }
  const uint32_t* heads() const {
    return reinterpret_cast<const uint32_t*>(data_ + sizeof(PageHeader));
  }
  const uint16_t* offsets() const { return reinterpret_cast<const uint16_t*>(heads() + count()); }
  Bytes prefix() const {
    return {reinterpret_cast<const char*>(offsets() + count() + 1), header().prefix};
  }
  PageEntry entry(uint32_t index) const {
    const uint16_t* at = offsets() + index;
    const char* start = data_ + at[0];
    const char* end = data_ + at[1];
    uint16_t meta;
    memcpy(&meta, start, 2);
    size_t length = meta & kEntryLength;
    const char* rest = start + 2 + length;
    PageEntry entry;
    entry.flags = meta & kEntryFlags;
    entry.suffix = {start + 2, length};
    entry.key_blob = nullptr;
    if (entry.flags & kEntryKeyBlob) {
      entry.key_blob = rest;
      rest += sizeof(BlobRef);
    }
    entry.payload = {rest, static_cast<size_t>(end - rest)};
    return entry;
  }
  uint32_t child(uint32_t index) const {
    // The payload of an inner entry is its last four bytes.
    uint32_t number;
    memcpy(&number, data_ + offsets()[index + 1] - 4, 4);
    return number;
  }

 private:
  const char* data_;
};

// Whether the bytes are a page that is safe to read as `number`: checksum, level and every bound.
bool VerifyPage(const char* data, uint32_t number);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_BASE_PAGE_H_
