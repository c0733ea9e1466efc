// Salvage from damage of each kind, planted in the file of a pool.
#include "engine/salvage/salvage.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "check.h"
#include "engine/base/checksum.h"
#include "engine/space/superblock.h"
#include "salvage_subject.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

// The contents that MakeSubject has put into its map.
const Model& Original() {
  static const Model original = [] {
    Model model;
    for (int i = 100000; i < 103000; i++) {
      model["key " + std::to_string(i)] = std::string(i % 10 == 0 ? 300 : 30, 'v');
    }
    model["object"] = std::string(4 << 20, 'o');
    return model;
  }();
  return original;
}

const Subject& Whole() {
  static Folder folder;
  static const Subject subject = MakeSubject(folder / "pool");
  return subject;
}

// How many entries are not there any more; those that are must be right.
size_t Missing(const Model& model) {
  for (const auto& [key, value] : model) {
    EXPECT(Original().count(key) > 0 && Original().at(key) == value);
  }
  return Original().size() - model.size();
}

const Model& Biggest(const Salvaged& saved) {
  return std::max_element(
             saved.maps.begin(), saved.maps.end(),
             [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); })
      ->second;
}

// The key in a leaf of the subject.
std::string KeyAt(Subject* subject, uint64_t leaf, uint32_t index) {
  Page page = subject->PageAt(leaf);
  return std::string(page.prefix()).append(page.entry(index).suffix);
}

TEST("salvage: a sound pool comes out whole") {
  Salvaged whole = SalvageBytes(Whole().bytes);
  EXPECT(!whole.report.lost && whole.report.notes.empty() && whole.maps.size() == 1);
  EXPECT(Missing(whole.maps["map"]) == 0);
  EXPECT(whole.Of("map").entries == 3001 && whole.Of("map").doubtful == 0);
}

TEST("salvage: beside a leaf that is lost all is brought, and its keys are named") {
  Subject subject = Whole();
  uint64_t leaf = subject.leaves[subject.leaves.size() / 2];
  std::string first = KeyAt(&subject, leaf, 0);
  std::string last = KeyAt(&subject, leaf, subject.PageAt(leaf).count() - 1);
  size_t count = subject.PageAt(leaf).count();
  *subject.At(leaf + 100) ^= 1;
  Salvaged saved = SalvageBytes(subject.bytes);
  EXPECT(saved.report.lost && saved.Losses("map", "page") == 1);
  EXPECT(Missing(saved.maps["map"]) + saved.Of("map").doubtful == count);
  const SalvageLoss& loss = saved.Of("map").losses[0];
  EXPECT(loss.offset == leaf && loss.from <= first && !loss.open && loss.to > last);
  for (const auto& [key, value] : Original()) {
    if (key < loss.from || key >= loss.to) EXPECT(saved.maps["map"].count(key) == 1);
  }
}

TEST("salvage: a value that is damaged is left out, and its key is named") {
  Subject subject = Whole();
  *subject.At(BlobRef::Load(subject.FirstReference()).offset() + 200) ^= 2;
  *subject.At(subject.bytes.find(std::string(1 << 20, 'o')) + 123456) ^= 2;
  Salvaged saved = SalvageBytes(subject.bytes);
  EXPECT(saved.report.lost && Missing(saved.maps["map"]) == 2);
  EXPECT(saved.Losses("map", "value") == 2 && saved.Of("map").losses[0].from == "key 100000");
  EXPECT(saved.Of("map").losses[1].from == "object");
}

TEST("salvage: leaves below a lost inner page, or root, or directory, are found") {
  struct Plant {
    const char* what;
    std::function<uint64_t(Subject*)> page;
  };
  const Plant plants[] = {
      {"inner", [](Subject* s) { return uint64_t{s->PageAt(s->root).child(0)} * kPageSize; }},
      {"root", [](Subject* s) { return s->root; }},
      {"directory", [](Subject* s) { return s->directory; }},
  };
  for (const Plant& plant : plants) {
    Subject subject = Whole();
    memset(subject.At(plant.page(&subject) + 40), 0x55, 300);
    Salvaged saved = SalvageBytes(subject.bytes);
    EXPECT(saved.report.lost);
    EXPECT(Missing(Biggest(saved)) == 0);
  }
}

TEST("salvage: without root slots, superblock, or all that libpmemobj wrote") {
  const std::pair<uint64_t, uint64_t> damage[] = {
      {RootSlotAt(Whole().superblock, 0), 2 * kSuperblockPage},
      {Whole().superblock, sizeof(Superblock)},
      {Whole().superblock, kBlockSize},
      {Whole().root_object, kRootSize},
      {0, 3 << 20},
      {0, Whole().extents[0] - 64},
  };
  for (const auto& [from, size] : damage) {
    Subject subject = Whole();
    memset(subject.At(from), 0x77, size);
    Salvaged saved = SalvageBytes(subject.bytes);
    EXPECT(Missing(Biggest(saved)) == 0);
  }
}

// A page of one entry, as users may store it in a value.
void ForgePage(Subject* subject, uint64_t offset, uint64_t epoch, const std::string& key) {
  const std::string value = "forged";
  char* page = subject->At(offset);
  PageHeader header{};
  uint16_t start = sizeof header + 4 + 2 * 2, meta = static_cast<uint16_t>(key.size());
  header.size = static_cast<uint16_t>(start + 2 + key.size() + value.size());
  header.count = 1;
  header.number = static_cast<uint32_t>(offset / kPageSize);
  header.epoch = epoch;
  uint32_t head = KeyHead(key.data(), key.size());
  uint16_t offsets[2] = {start, header.size};
  memcpy(page, &header, sizeof header);
  memcpy(page + sizeof header, &head, 4);
  memcpy(page + sizeof header + 4, offsets, 4);
  memcpy(page + start, &meta, 2);
  memcpy(page + start + 2, key.data(), key.size());
  memcpy(page + start + 2 + key.size(), value.data(), value.size());
  subject->Seal(offset);
}

// The value of 4 MiB becomes pages that have the very places where they lie, and superblocks with
// slots that lead to them; its reference then is right again.
Subject MakeHostile() {
  Subject subject = Whole();
  uint64_t last = subject.leaves.back();
  Page page = subject.PageAt(last);
  char* reference = const_cast<char*>(page.entry(page.count() - 1).payload.data());
  BlobRef ref = BlobRef::Load(reference);
  EXPECT(ref.size == 4 << 20);
  uint64_t epoch = page.header().epoch, start = ref.offset(), end = start + ref.size;
  for (uint64_t at = (start / kPageSize + 1) * kPageSize; at + kPageSize <= end; at += kPageSize) {
    ForgePage(&subject, at, epoch, "key " + std::to_string(100000 + at / kPageSize % 3000) + "x");
  }
  uint64_t block = (start / kBlockSize + 1) * kBlockSize;
  for (uint64_t at = block; at + kBlockSize <= end; at += 9 * kBlockSize) {
    memcpy(subject.At(at), subject.At(subject.superblock), kBlockSize);
    for (uint64_t i = 0; i < 2; i++) {
      RootSlot* slot = reinterpret_cast<RootSlot*>(subject.At(RootSlotAt(at, i)));
      slot->number += 100;
      slot->directory = static_cast<uint32_t>(at / kPageSize + 16);
      slot->checksum = ChecksumOf(*slot);
    }
  }
  ref.checksum = Checksum(subject.At(start), ref.size);
  memcpy(reference, &ref, sizeof ref);
  subject.Seal(last);
  return subject;
}

void ExpectNothingForged(const Salvaged& saved) {
  for (const auto& [name, model] : saved.maps) {
    for (const auto& [key, value] : model) EXPECT(value != "forged");
  }
}

TEST("salvage: pages, slots and records that users stored as a value are none") {
  const Subject hostile = MakeHostile();
  const std::function<void(Subject*)> damages[] = {
      [](Subject*) {},
      [](Subject* s) { *s->At(s->leaves[9] + 100) ^= 1; },
      [](Subject* s) { *s->At(uint64_t{s->PageAt(s->root).child(0)} * kPageSize + 60) ^= 1; },
      [](Subject* s) { *s->At(s->root + 60) ^= 1; },
      [](Subject* s) { *s->At(s->directory + 60) ^= 1; },
      [](Subject* s) { memset(s->At(s->superblock), 0, kBlockSize); },
      [](Subject* s) { memset(s->At(s->root_object), 0, kRootSize); },
      [](Subject* s) { memset(s->At(0), 0, 3 << 20); },
  };
  for (const auto& damage : damages) {
    Subject subject = hostile;
    damage(&subject);
    Salvaged saved = SalvageBytes(subject.bytes);
    ExpectNothingForged(saved);
    EXPECT(Biggest(saved).size() > 2900);
  }
}

}  // namespace
