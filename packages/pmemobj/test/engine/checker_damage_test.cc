// The checker on damage of each kind: planted one by one, where it matters, and told by its name.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "check.h"
#include "engine/base/checksum.h"
#include "engine/check/checker.h"
#include "engine/space/space.h"
#include "engine/space/superblock.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

CheckReport CheckBytes(const std::string& path, const std::string& bytes) {
  WriteFile(path, bytes);
  CheckReport report;
  EXPECT_OK(Check(path, &report));
  return report;
}

bool Tells(const CheckReport& report, const std::string& kind, const std::string& words) {
  return std::any_of(report.problems.begin(), report.problems.end(), [&](const CheckProblem& p) {
    return p.kind == kind && p.message.find(words) != std::string::npos;
  });
}

struct Plant {
  const char* kind;
  const char* words;
  std::function<void(Subject*)> damage;
};

void ExpectTold(const std::vector<Plant>& plants) {
  Folder folder;
  Subject original = MakeSubject(folder / "pool");
  EXPECT(CheckBytes(folder / "copy", original.bytes).sound());
  for (const Plant& plant : plants) {
    Subject copy = original;
    plant.damage(&copy);
    CheckReport report = CheckBytes(folder / "copy", copy.bytes);
    bool told = Tells(report, plant.kind, plant.words);
    if (!told) {
      fprintf(stderr, "not told: %s, %s\n", plant.kind, plant.words);
      for (const auto& p : report.problems)
        fprintf(stderr, "  %s: %s\n", p.kind.c_str(), p.message.c_str());
    }
    EXPECT(told);
    EXPECT(report.problem_count == report.problems.size());
  }
}

// Makes a leaf say what `edit` writes, with a checksum that holds.
template <typename Edit>
std::function<void(Subject*)> InLeaf(Edit edit) {
  return [edit](Subject* s) {
    uint64_t leaf = s->leaves[s->leaves.size() / 2];
    edit(reinterpret_cast<PageHeader*>(s->At(leaf)), s->At(leaf));
    s->Seal(leaf);
  };
}

TEST("check tells: pages and values that are damaged") {
  ExpectTold({
      {"page", "checksum", [](Subject* s) { *s->At(s->leaves[3] + 100) ^= 1; }},
      {"page", "checksum", [](Subject* s) { *s->At(s->root + 33) ^= 16; }},
      {"page", "checksum", [](Subject* s) { *s->At(s->directory + 8) ^= 1; }},
      {"page", "checksum",
       [](Subject* s) {
         std::swap_ranges(s->At(s->leaves[5]), s->At(s->leaves[5]) + kPageSize,
                          s->At(s->leaves[9]));
       }},
      {"value", "300 bytes",
       [](Subject* s) { *s->At(BlobRef::Load(s->FirstReference()).offset() + 200) ^= 2; }},
      {"value", "4194304 bytes",
       [](Subject* s) { *s->At(s->bytes.find(std::string(1 << 20, 'o')) + 123456) ^= 2; }},
  });
}

TEST("check tells: pages that contradict each other, with checksums that hold") {
  ExpectTold({
      {"page", "younger", InLeaf([](PageHeader* h, char*) { h->epoch += 1000; })},
      {"page", "reserved", InLeaf([](PageHeader* h, char*) { h->below = 1; })},
      {"page", "reserved", InLeaf([](PageHeader* h, char*) { h->flags |= 128; })},
      {"page", "does not say", InLeaf([](PageHeader* h, char*) { h->flags = 0; })},
      {"page", "another level",
       [](Subject* s) {
         uint32_t leaf = static_cast<uint32_t>(s->leaves[0] / kPageSize);
         memcpy(s->At(s->root + s->PageAt(s->root).offsets()[1]) - 4, &leaf, 4);
         s->Seal(s->root);
       }},
      {"order", "head", InLeaf([](PageHeader*, char* page) { page[32] ^= 1; })},
      {"order", "out of order",
       [](Subject* s) {
         Page page = s->PageAt(s->leaves[4]);
         char* first = const_cast<char*>(page.entry(0).suffix.data());
         char* second = const_cast<char*>(page.entry(1).suffix.data());
         EXPECT(page.entry(0).suffix.size() == page.entry(1).suffix.size());
         std::swap_ranges(first, first + page.entry(0).suffix.size(), second);
         s->Seal(s->leaves[4]);
       }},
      {"order", "neighbour",
       [](Subject* s) {
         Page page = s->PageAt(s->leaves[4]);
         PageEntry last = page.entry(page.count() - 1);
         const_cast<char*>(last.suffix.data())[last.suffix.size() - 1] = '~';
         s->Seal(s->leaves[4]);
       }},
      {"page", "does not say so",
       [](Subject* s) {
         Page page = s->PageAt(s->root);
         uint64_t below = uint64_t{page.child(0)} * kPageSize;
         Page inner = s->PageAt(below);
         uint16_t meta;
         memcpy(&meta, s->At(below + inner.offsets()[0]), 2);
         meta &= static_cast<uint16_t>(~kEntryChildHasBlobs);
         memcpy(s->At(below + inner.offsets()[0]), &meta, 2);
         s->Seal(below);
       }},
  });
}

// Makes the first child of the root's first child another page, or moves the first value.
std::function<void(Subject*)> Child(uint32_t number) {
  return [number](Subject* s) {
    uint64_t below = uint64_t{s->PageAt(s->root).child(0)} * kPageSize;
    uint32_t child = number != 0 ? number : s->PageAt(below).child(1);
    memcpy(s->At(below + s->PageAt(below).offsets()[1]) - 4, &child, 4);
    s->Seal(below);
  };
}
std::function<void(Subject*)> Value(std::function<void(BlobRef*)> edit) {
  return [edit](Subject* s) {
    char* reference = s->FirstReference();
    BlobRef ref = BlobRef::Load(reference);
    edit(&ref);
    memcpy(reference, &ref, sizeof ref);
    for (uint64_t leaf : s->leaves) s->Seal(leaf);
  };
}

TEST("check tells: references to where nothing is, or something else") {
  ExpectTold({
      {"reference", "used twice", Child(0)},
      {"reference", "outside", Child(7)},
      {"reference", "outside", Child(0xffffff00)},
      {"reference", "outside", Value([](BlobRef* r) { r->set_offset(uint64_t{1} << 40); })},
      {"reference", "no such place", Value([](BlobRef* r) { r->set_offset(r->offset() + 16); })},
      {"reference", "size or age", Value([](BlobRef* r) { r->size = 0; })},
      {"reference", "size or age", Value([](BlobRef* r) { r->size = 0xffffffff; })},
      {"reference", "size or age", Value([](BlobRef* r) { r->birth_high = 9; })},
      {"reference", "outside", Value([](BlobRef* r) { r->size = 5 << 20; })},
      {"reference", "outside",
       [](Subject* s) {
         ExtentHeader* header = reinterpret_cast<ExtentHeader*>(s->At(s->extents[0]));
         header->size = 64 * 1024;
         header->checksum = Checksum(header, offsetof(ExtentHeader, checksum));
       }},
  });
}

TEST("check tells: the superblock, its slots and the headers of extents") {
  auto flip = [](uint64_t at) { return [at](Subject* s) { *s->At(s->superblock + at) ^= 1; }; };
  auto flip_extent = [](uint64_t at) {
    return [at](Subject* s) { *s->At(s->extents[0] + at) ^= 1; };
  };
  std::vector<Plant> plants{{"root", "no root", [](Subject* s) {
                               memset(s->At(RootSlotAt(s->superblock, 0)), 0, 2 * kSuperblockPage);
                             }}};
  for (uint64_t at : {0, 8, 12, 20, 60, 4092}) {
    plants.push_back({"superblock", "no sound superblock", flip(at)});
  }
  for (uint64_t at : {0, 9, 20, 58, 255}) {
    plants.push_back({"root", "damaged", [=](Subject* s) {
                        flip(kSuperblockPage + at)(s);
                        flip(2 * kSuperblockPage + at)(s);
                      }});
  }
  for (uint64_t at : {3, 9, 17, 25, 29}) plants.push_back({"extent", "header", flip_extent(at)});
  ExpectTold(plants);
}

// The offset of the heap, from libpmemobj's descriptor.
uint64_t HeapOf(Subject* s) {
  uint64_t at;
  memcpy(&at, s->At(5120 + 16), 8);
  return at;
}

TEST("check tells: libpmemobj's structures, and none makes open loop or crash") {
  const std::vector<Plant> plants{
      {"heap", "header fails", [](Subject* s) { *s->At(24) ^= 1; }},
      {"heap", "descriptor fails", [](Subject* s) { *s->At(4096 + 500) ^= 1; }},
      {"heap", "places", [](Subject* s) { *s->At(6144 + 6) ^= 1; }},
      {"heap", "cut short", [](Subject* s) { *s->At(6144 + 37) ^= 1; }},
      {"heap", "heap is damaged", [](Subject* s) { *s->At(HeapOf(s) + 3) ^= 1; }},
      {"heap", "zone", [](Subject* s) { *s->At(HeapOf(s) + 1024) ^= 1; }},
      {"heap", "zone", [](Subject* s) { *s->At(HeapOf(s) + 1024 + 6) ^= 1; }},
      {"heap", "chunk", [](Subject* s) { *s->At(HeapOf(s) + 1024 + 64 + 4) ^= 0x40; }},
      {"heap", "chunk", [](Subject* s) { memset(s->At(HeapOf(s) + 1024 + 64), 0, 8); }},
      // An object without a size, in a run: libpmemobj would look at it for ever.
      {"heap", "in a run", [](Subject* s) { memset(s->At(s->root_object - 16), 0, 6); }},
      {"heap", "root object", [](Subject* s) { *s->At(s->root_object - 16 + 7) ^= -128; }},
      {"heap", "header of an object", [](Subject* s) { *s->At(s->extents[0] - 16 + 5) ^= 1; }},
      {"heap", "no type", [](Subject* s) { *s->At(s->extents[0] - 8) ^= 64; }},
      // A log's entry that says nothing known to do: libpmemobj would look for its end for ever.
      {"heap", "lanes", [](Subject* s) { memset(s->At(HeapOf(s) - 3072 + 64), 0xff, 8); }},
      {"heap", "lanes", [](Subject* s) { memset(s->At(HeapOf(s) - 3072 + 960 + 64), 0x11, 8); }},
      // An entry of 2^56 bytes.
      {"heap", "lanes",
       [](Subject* s) {
         memset(s->At(HeapOf(s) - 3072 + 960 + 64), 0xa1, 8);
         memset(s->At(HeapOf(s) - 3072 + 960 + 64 + 16 + 7), 1, 1);
       }},
  };
  ExpectTold(plants);
  Folder folder;
  Subject original = MakeSubject(folder / "pool");
  for (const Plant& plant : plants) {
    Subject copy = original;
    plant.damage(&copy);
    WriteFile(folder / "copy", copy.bytes);
    std::unique_ptr<Pool> pool;
    alarm(20);
    EXPECT_CODE(kCorrupt, Pool::Open(folder / "copy", {}, &pool));
    alarm(0);
  }
}

TEST("check tells: a file that ends early") {
  Folder folder;
  Subject subject = MakeSubject(folder / "pool");
  CheckReport report = CheckBytes(folder / "copy", subject.bytes.substr(0, 12 << 20));
  EXPECT(Tells(report, "heap", "cut short"));
  report = CheckBytes(folder / "copy", subject.bytes.substr(0, 1 << 20));
  EXPECT(Tells(report, "file", "cut short"));
  WriteFile(folder / "copy", subject.bytes.substr(0, 4));
  EXPECT_CODE(kNotAPool, Check(folder / "copy", &report));
}

TEST("check tells all problems, and lists the first thousand") {
  Folder folder;
  Subject subject = MakeSubject(folder / "pool");
  for (uint64_t leaf : subject.leaves) *subject.At(leaf + 50) ^= 1;
  CheckReport report = CheckBytes(folder / "copy", subject.bytes);
  EXPECT(subject.leaves.size() > 50 && report.problem_count == subject.leaves.size());
  // Sealed again, each head is its key's no more.
  for (uint64_t leaf : subject.leaves) {
    for (uint32_t i = 0; i < subject.PageAt(leaf).count(); i++) *subject.At(leaf + 32 + 4 * i) ^= 1;
    *subject.At(leaf + 50) ^= 1;
    subject.Seal(leaf);
  }
  report = CheckBytes(folder / "copy", subject.bytes);
  EXPECT(report.problem_count == 3001 && report.problems.size() == CheckReport::kMaxProblems);
}

}  // namespace
