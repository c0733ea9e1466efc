#include "engine/salvage/salvage_roots.h"

#include <cstring>

#include "engine/heap/heap_layout.h"
#include "engine/medium/pool_files.h"
#include "engine/space/superblock_v2.h"

namespace potoroo::engine {
namespace {

constexpr uint64_t kObjectAlign = 16;
// libpmemobj makes the root object first, so it lies in the first part.
constexpr uint64_t kSearched = kPartSize;
// A root object that is nowhere.
constexpr uint64_t kMadeUp = uint64_t{1} << 60;

// Both slots of a view, the latest first: the other one is what is seen without it.
FoundRoots SlotsOf(uint64_t root, const ReadBytes& read) {
  FoundRoots roots{root, {}};
  RootView view = ViewRoot(root, kRootSize, read);
  if (view.latest.number == 0) return roots;
  roots.offset = view.place == 0 ? root : view.place;
  roots.slots.push_back(view.latest);
  const uint64_t latest = view.places[view.latest.number % 2];
  view = ViewRoot(root, kRootSize, [&](uint64_t offset, void* to, uint64_t size) {
    return offset != latest && read(offset, to, size);
  });
  if (view.latest.number != 0) roots.slots.push_back(view.latest);
  return roots;
}

// The slots of a superblock's block, whose superblock itself need not be sound.
FoundRoots SlotsAt(const PoolReader& reader, uint64_t place) {
  return SlotsOf(kMadeUp, [&](uint64_t offset, void* to, uint64_t size) {
    if (offset == place) {
      Superblock block{};
      memcpy(block.magic, kSuperblockMagic, sizeof block.magic);
      block.layout_version = kLayoutVersion;
      block.page_size = kPageSize;
      block.checksum = ChecksumOf(block);
      memcpy(to, &block, size);
      return true;
    }
    for (uint64_t at : kPointersAt) {
      if (offset != kMadeUp + at) continue;
      RootPointer pointer{place, 0, 0};
      pointer.checksum = ChecksumOf(pointer);
      memcpy(to, &pointer, size);
      return true;
    }
    return reader.Read(offset, to, size);
  });
}

// 0: there is none.
uint64_t FindRootObject(const PoolReader& reader) {
  uint64_t root = 0;
  if (!reader.Read(kVariableAt, &root, sizeof root) || root % kObjectAlign != 0) return 0;
  return root < kFrontSize || root > reader.size() ? 0 : root;
}

}  // namespace

bool FindSuperblock(const PoolReader& reader, RootView* view) {
  const uint64_t root = FindRootObject(reader);
  if (root == 0) return false;
  *view = ViewRoot(root, kRootSize, [&](uint64_t offset, void* to, uint64_t size) {
    return reader.Read(offset, to, size);
  });
  return view->found;
}

FoundRoots FindRoots(const PoolReader& reader) {
  const uint64_t root = FindRootObject(reader);
  if (root == 0) return {0, {}};
  FoundRoots roots = SlotsOf(root, [&](uint64_t offset, void* to, uint64_t size) {
    return reader.Read(offset, to, size);
  });
  for (uint64_t at : kPointersAt) {
    RootPointer pointer;
    if (!roots.slots.empty() || !reader.Read(root + at, &pointer, sizeof pointer)) continue;
    bool sound = pointer.checksum == ChecksumOf(pointer) && pointer.place % kBlockSize == 0;
    if (sound && pointer.place != 0) roots = SlotsAt(reader, pointer.place);
  }
  return roots;
}

std::vector<FoundRoots> SearchRoots(const PoolReader& reader) {
  std::vector<FoundRoots> all;
  for (uint64_t at = kBlockSize; at < reader.size(); at += kBlockSize) {
    FoundRoots roots = SlotsAt(reader, at);
    if (!roots.slots.empty()) all.push_back(roots);
  }
  std::vector<char> bytes(kSearched);
  if (!reader.Read(0, bytes.data(), bytes.size())) return all;
  for (uint64_t at = kFrontSize; at + kRootSize <= kSearched; at += kObjectAlign) {
    Signpost post;
    memcpy(&post, &bytes[at], sizeof post);
    if (memcmp(post.magic, kSuperblockMagic, sizeof post.magic) != 0) continue;
    if (post.layout_version != kLayoutVersion2 || post.checksum != ChecksumOf(post)) continue;
    FoundRoots roots = SlotsOf(at, [&](uint64_t offset, void* to, uint64_t size) {
      return reader.Read(offset, to, size);
    });
    if (!roots.slots.empty()) all.push_back(roots);
  }
  return all;
}

}  // namespace potoroo::engine
