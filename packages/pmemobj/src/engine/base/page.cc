#include "engine/base/page.h"

#include "engine/base/checksum.h"

namespace potoroo::engine {

namespace {

bool VerifyEntry(const PageHeader& header, const char* data, uint32_t index, size_t from,
                 size_t to) {
  if (to < from + 2 || to > header.size) return false;
  uint16_t meta;
  memcpy(&meta, data + from, 2);
  size_t key = 2 + (meta & kEntryLength);
  if (meta & kEntryKeyBlob) {
    // The head of a long key is complete: what the prefix leaves of it.
    if (key != 2 + kLongKeyHead - header.prefix) return false;
    key += sizeof(BlobRef);
  }
  if (from + key > to) return false;
  size_t payload = to - from - key;
  if (header.level > 0) {
    if (meta & (kEntryValueBlob | kEntryBuffer)) return false;
    if (index == 0 && key != 2) return false;
    return payload == 4;
  }
  if (meta & kEntryValueBlob) return payload == sizeof(BlobRef);
  return !(meta & kEntryBuffer) || payload == 0;
}

}  // namespace

bool VerifyPage(const char* data, uint32_t number) {
  PageHeader header;
  memcpy(&header, data, sizeof header);
  if (header.size > kPageSize || header.size < sizeof header) return false;
  if (header.number != number || header.level > kMaxLevel || header.count == 0) return false;
  size_t entries =
      sizeof header + 4 * size_t{header.count} + 2 * (size_t{header.count} + 1) + header.prefix;
  if (header.prefix > kMaxPrefix || entries > header.size) return false;
  if (Checksum(data + 4, header.size - 4) != header.checksum) return false;
  const uint16_t* offsets = Page(data).offsets();
  if (offsets[0] != entries || offsets[header.count] != header.size) return false;
  for (uint32_t i = 0; i < header.count; i++) {
    if (!VerifyEntry(header, data, i, offsets[i], offsets[i + 1])) return false;
  }
  return true;
}

}  // namespace potoroo::engine
