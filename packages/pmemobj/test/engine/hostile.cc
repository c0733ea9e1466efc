#include "hostile.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "engine/base/checksum.h"
#include "engine/base/page.h"
#include "engine/log/log.h"
#include "engine/log/undo.h"
#include "engine/space/superblock_v2.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

template <typename T>
Bytes BytesOf(const T& item) {
  return {reinterpret_cast<const char*>(&item), sizeof item};
}

// Puts the bytes at the next multiple of `step`.
void Align(std::string* bytes, size_t step) {
  bytes->resize((bytes->size() + step - 1) / step * step);
}

// A leaf with one entry.
std::string LeafPage(Chance* chance, uint64_t epoch) {
  const std::string entry = std::string("\x01\x00k", 3) + "hostile";
  std::string page(sizeof(PageHeader) + 4 + 4, '\0');
  PageHeader header{};
  header.count = 1;
  header.number = static_cast<uint32_t>(chance->Below(8192));
  header.epoch = epoch;
  const uint16_t from = static_cast<uint16_t>(page.size());
  const uint16_t to = static_cast<uint16_t>(from + entry.size());
  header.size = to;
  page[sizeof header + 3] = 'k';
  memcpy(&page[sizeof header + 4], &from, 2);
  memcpy(&page[sizeof header + 6], &to, 2);
  page += entry;
  memcpy(&page[0], &header, sizeof header);
  header.checksum = Checksum(page.data() + 4, page.size() - 4);
  memcpy(&page[0], &header.checksum, 4);
  return page;
}

std::string Pages(Chance* chance, uint64_t epoch, size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    bytes += LeafPage(chance, epoch + chance->Below(3));
    Align(&bytes, kPageSize);
  }
  return bytes;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string MakeOther() {
  Folder folder;
  const std::string path = folder / "pool";
  for (int opening = 0; opening < 5; opening++) {
    std::unique_ptr<Pool> pool;
    EXPECT_OK(opening == 0 ? Pool::Create(path, {}, &pool) : Pool::Open(path, {}, &pool));
    uint32_t map;
    EXPECT_OK(pool->OpenMap("map", &map));
    for (int i = 0; i < 40; i++) {
      Batch batch;
      batch.Put(map, "key " + std::to_string(i), "another pool's" + std::string(i * 30, 'x'));
      EXPECT_OK(batch.WriteTo(pool.get()));
    }
    // As a crash would leave it: with a log.
    if (opening == 4) return ReadAll(path);
  }
  return {};
}

std::string UnpackEarlier() {
  Folder folder;
  const std::string path = folder / "pool";
  const std::string command = "gzip -dc " FIXTURES "/version-2-undo.pool.gz > '" + path + "'";
  EXPECT(system(command.c_str()) == 0);
  return ReadAll(path);
}

// Returns a piece of the file, from one of its lines on.
std::string Piece(Chance* chance, const std::string& pool, size_t size) {
  if (size >= pool.size()) return pool;
  std::string piece;
  // There is something other than zeros in most of the pieces that are looked at.
  for (int tries = 0; tries < 20; tries++) {
    piece = pool.substr(chance->Below((pool.size() - size) / kLine + 1) * kLine, size);
    if (piece.find_first_not_of('\0') != std::string::npos) break;
  }
  return piece;
}

}  // namespace

const std::string& OtherPool(bool earlier_version) {
  static const std::string other = MakeOther(), earlier = UnpackEarlier();
  return earlier_version ? earlier : other;
}

// Returns a salt that an attacker might try, or a generation of the layout version before, which
// were small.
uint64_t Hostile::Salt(Chance* chance) const {
  switch (chance->Below(4)) {
    case 0:
      return 0;
    case 1:
      return chance->Below(20);
    case 2:
      return latest_();
    default:
      return chance->Below(UINT64_MAX);
  }
}

std::string Hostile::Record(Chance* chance, uint64_t epoch, size_t value) const {
  const Bytes map = "map", key = "key 1";
  std::string record(sizeof(LogRecord), '\0');
  const LogOperation on{LogKind::kMap, 0, static_cast<uint16_t>(map.size()), 0};
  const LogOperation put{LogKind::kPut, 0, static_cast<uint16_t>(key.size()),
                         static_cast<uint32_t>(value)};
  record.append(BytesOf(on)).append(map);
  record.append(BytesOf(put)).append(key).append(value, 'h');
  LogRecord header{};
  header.size = static_cast<uint32_t>(record.size());
  header.epoch = epoch;
  header.salt = Salt(chance);
  header.count = 2;
  header.behind = static_cast<uint32_t>(chance->Below(3));
  memcpy(&record[0], &header, sizeof header);
  header.checksum = RecordChecksum(record.data(), record.size());
  memcpy(&record[0], &header.checksum, 4);
  return record;
}

// Records that follow each other; or all of them as the next one, so that one is where it is
// wanted.
std::string Hostile::Segment(Chance* chance, size_t size, bool follow) const {
  std::string bytes;
  uint64_t epoch = latest_() + 1 + chance->Below(3);
  while (bytes.size() < size) {
    bytes += Record(chance, epoch, chance->Below(4) == 0 ? chance->Below(300) : 0);
    if (follow) epoch++;
    Align(&bytes, kLine);
  }
  return bytes;
}

std::string Hostile::Undo(Chance* chance, size_t size) const {
  std::string bytes;
  UndoEntry entry{};
  entry.salt = Salt(chance);
  entry.transaction = 1 + chance->Below(20);
  while (bytes.size() < size) {
    entry.size = static_cast<uint32_t>(8 * (1 + chance->Below(20)));
    entry.place = 8 * chance->Below(1 << 20);
    entry.number++;
    std::string one(BytesOf(entry));
    one.append(entry.size, 'h');
    entry.checksum = Checksum(one.data() + 4, one.size() - 4);
    memcpy(&one[0], &entry.checksum, 4);
    bytes += one;
    Align(&bytes, kLine);
  }
  return bytes;
}

// Superblocks, pointers to them, root slots and headers of extents, of both layout versions.
std::string Hostile::Roots(Chance* chance, size_t size) const {
  std::string bytes;
  while (bytes.size() < size) {
    Superblock block{};
    memcpy(block.magic, kSuperblockMagic, sizeof block.magic);
    block.layout_version = kLayoutVersion;
    block.page_size = kPageSize;
    block.checksum = ChecksumOf(block);
    bytes.append(BytesOf(block));
    for (int i = 0; i < 2; i++) {
      RootSlot slot{};
      slot.number = UINT64_MAX - chance->Below(2);
      slot.epoch = latest_() + chance->Below(3);
      slot.log = kBlockSize * chance->Below(512);
      slot.segment_size = kLeastSegment;
      slot.checksum = ChecksumOf(slot);
      bytes.append(BytesOf(slot));
      RootSlotV2 earlier{};
      earlier.number = slot.number;
      earlier.epoch = slot.epoch;
      earlier.generation = chance->Below(9);
      earlier.log = slot.log;
      earlier.segment_size = kLeastSegment;
      earlier.checksum = ChecksumOf(earlier);
      bytes.append(BytesOf(earlier));
      RootPointer pointer{kBlockSize * chance->Below(512), 0, 0};
      pointer.checksum = ChecksumOf(pointer);
      bytes.append(BytesOf(pointer));
      Align(&bytes, chance->Below(2) == 0 ? kSuperblockPage : kLine);
    }
    ExtentHeader extent{{}, kBlockSize * chance->Below(512), kRegionSize, 0, 0};
    memcpy(extent.magic, "PotExtnt", sizeof extent.magic);
    extent.checksum = Checksum(&extent, offsetof(ExtentHeader, checksum));
    bytes.append(BytesOf(extent));
    Align(&bytes, kLine);
  }
  return bytes;
}

std::string Hostile::Make(Chance* chance, size_t size) const {
  // Values begin anywhere in a line, for their keys come before them.
  std::string bytes(chance->Below(chance->Below(4) == 0 ? kPageSize : kLine), 'h');
  if (bytes.size() > size) bytes.resize(size);
  const size_t rest = size - bytes.size();
  switch (chance->Below(8)) {
    case 0:
      bytes += Segment(chance, rest, true);
      break;
    case 1:
    case 2:
      bytes += Segment(chance, rest, false);
      break;
    case 3:
      bytes += Undo(chance, rest);
      break;
    case 4:
      bytes += Roots(chance, rest);
      break;
    case 5:
      bytes += Pages(chance, latest_(), rest);
      break;
    default:
      bytes += Piece(chance, OtherPool(chance->Below(2) == 0), rest);
  }
  bytes.resize(size, 'h');
  return bytes;
}

std::function<std::string(Chance*, size_t)> Hostile::Maker() const {
  return [hostile = *this](Chance* chance, size_t size) { return hostile.Make(chance, size); };
}
