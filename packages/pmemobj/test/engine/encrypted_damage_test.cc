// Damage to pools that are encrypted: never a crash, never wrong data without an error. Bytes put
// back from an earlier state of the same pool are detected if something else names their version.
#include "encrypted_trial.h"
#include "engine/space/key_slots.h"
#include "engine/tree/store.h"
#include "lazily.h"
#include "model.h"
#include "sample.h"

using namespace potoroo;
using namespace potoroo::engine;
using Patch = EncryptedSubject::Patch;

namespace {

const EncryptedSubject& Subject(bool in_folder) {
  static const EncryptedSubject file(false), folder(true);
  return in_folder ? folder : file;
}

void Print(const Outcomes& outcomes) {
  printf(" (%d whole, %d told, %d old)", outcomes.count[kWhole], outcomes.count[kTold],
         outcomes.count[kOld]);
}

Patch Flip(const EncryptedSubject& subject, uint64_t offset, uint64_t bit) {
  return {offset, std::string(1, static_cast<char>(subject.bytes[offset] ^ (1 << bit % 8)))};
}

Patch CopyOf(const std::string& bytes, uint64_t from, uint64_t size, uint64_t to) {
  return {to, bytes.substr(from, size)};
}

uint64_t UsedPlace(const EncryptedSubject& subject, Chance* chance) {
  for (;;) {
    const uint64_t at = chance->Below(subject.size());
    if (subject.bytes[at] != 0) return at;
  }
}

// Anywhere: bits, sectors of zeros, and those that were torn.
Outcomes Anywhere(bool in_folder, int trials) {
  const EncryptedSubject& subject = Subject(in_folder);
  Outcomes outcomes;
  Chance chance(in_folder ? 3 : 4);
  Sample samples[3];
  for (int i = 0; i < trials; i++) {
    Trial trial;
    const uint64_t at = UsedPlace(subject, &chance), sector = at / 512 * 512;
    if (!samples[i % 3].Next()) continue;
    if (i % 3 == 0) trial.patches.push_back(Flip(subject, at, chance.Below(8)));
    if (i % 3 == 1) trial.patches.push_back({sector, std::string(512, '\0')});
    if (i % 3 == 2) trial.patches.push_back({at / 8 * 8, chance.Bytes(sector + 520 - at / 8 * 8)});
    Run(subject, trial, &outcomes);
  }
  return outcomes;
}

// Inner pages name the place of a page, not its version: see docs/format.md. So an older page at
// its own place may count, of whatever map; what it says was written once, under the same key.
Outcomes OlderPages() {
  const EncryptedSubject& subject = Subject(false);
  Outcomes outcomes;
  Sample samples[2];
  uint64_t differ = 0;
  for (const std::string& older : subject.older) {
    for (const bool inner : {true, false}) {
      for (uint64_t at : inner ? subject.inner : subject.leaves) {
        const Patch patch = CopyOf(older, at, kPageSize, at);
        if (subject.bytes.compare(at, kPageSize, patch.bytes) == 0) continue;
        differ++;
        if (samples[inner].Next()) Run(subject, {{patch}, true}, &outcomes);
      }
    }
  }
  EXPECT(differ > 10);
  return outcomes;
}

}  // namespace

TEST("encrypted damage: anywhere in a file") { Print(Anywhere(false, 60)); }
TEST("encrypted damage: anywhere in a folder") { Print(Anywhere(true, 60)); }

// Flips one bit of each structure in use: at its front, in it, and in its seal.
TEST("encrypted damage: a bit of each sort of structure") {
  for (bool in_folder : {false, true}) {
    const EncryptedSubject& subject = Subject(in_folder);
    const uint64_t few = EncryptedSubject::kKeys - 60;
    Outcomes outcomes;
    Chance chance(9);
    auto flip = [&](uint64_t from, uint64_t size, uint64_t least) {
      return Run(subject,
                 {{Flip(subject, from + chance.Below(size), chance.Below(8))}, false, true, least},
                 &outcomes);
    };
    Sample inner, leaves, blobs;
    for (uint64_t at : subject.inner) EXPECT(!inner.Next() || flip(at, 32, few) == kTold);
    for (size_t i = 0; i < subject.leaves.size(); i += 8) {
      if (!leaves.Next()) continue;
      const uint64_t at = subject.leaves[i];
      EXPECT(flip(at + 32, 300, few) == kTold);
      EXPECT(flip(at + kPageSize - kPageSeal, kSealSize, few) == kTold);
    }
    for (size_t i = 0; i < subject.blobs.size(); i += 6) {
      if (!blobs.Next()) continue;
      const uint64_t at = subject.blobs[i].offset(), size = subject.blobs[i].size;
      EXPECT(flip(at, size, few) == kTold);
      EXPECT(flip(at + size, kSealSize, few) == kTold);
    }
    for (uint64_t i = 0; i < 2; i++) {
      flip(RootSlotAt(subject.superblock, i), 64, few);
    }
    flip(subject.superblock + 8, 40, 0);
    for (uint64_t at : subject.extents) flip(at, 32, 0);
    Print(outcomes);
  }
}

TEST("encrypted damage: key slots, one and both") {
  const EncryptedSubject& subject = Subject(false);
  Outcomes outcomes;
  const uint64_t first = KeySlotAt(subject.superblock, 0),
                 second = KeySlotAt(subject.superblock, 1);
  for (uint64_t byte : {0, 9, 15, 30, 50, 253}) {
    const Patch one = Flip(subject, first + byte, 3), other = Flip(subject, second + byte, 5);
    EXPECT(Run(subject, {{one}}, &outcomes) == kWhole);
    EXPECT(Run(subject, {{other}}, &outcomes) == kWhole);
    EXPECT(Run(subject, {{one, other}, false, true}, &outcomes) == kTold);
  }
}

// A record that others follow is missed; the last one may have been torn by a crash.
TEST("encrypted damage: records of the log") {
  const EncryptedSubject& subject = Subject(false);
  Outcomes outcomes;
  for (uint64_t segment = 0; segment < 2; segment++) {
    const uint64_t at = subject.root.log + segment * subject.root.segment_size;
    for (uint64_t byte : {0, 5, 8, 17, 33, 45, 64, 3000}) {
      Run(subject, {{Flip(subject, at + byte, 2)}}, &outcomes);
      Run(subject, {{Flip(subject, at + 3 * 5120 + byte, 2)}}, &outcomes);
    }
    Run(subject, {{{at, std::string(4096, '\0')}}}, &outcomes);
  }
  EXPECT(outcomes.count[kTold] > 10);
  Print(outcomes);
}

// Sealed for another place, or with the data key of another pool that has the same key.
TEST("encrypted damage: pages and values at each other's places, and from another pool") {
  const EncryptedSubject& subject = Subject(false);
  const EncryptedSubject other(false);
  Outcomes outcomes;
  const uint64_t few = EncryptedSubject::kKeys - 60;
  Sample leaves, blobs;
  for (size_t i = 0; i + 1 < subject.leaves.size(); i += 8) {
    if (!leaves.Next()) continue;
    const uint64_t a = subject.leaves[i], b = subject.leaves[i + 1];
    const Patch there = CopyOf(subject.bytes, a, kPageSize, b);
    const Patch back = CopyOf(subject.bytes, b, kPageSize, a);
    EXPECT(Run(subject, {{there, back}, false, true, few}, &outcomes) == kTold);
    const Patch foreign = CopyOf(other.bytes, other.leaves[i], kPageSize, a);
    EXPECT(Run(subject, {{foreign}, false, true, few}, &outcomes) == kTold);
    // The same place there.
    const Patch same = CopyOf(other.bytes, a, kPageSize, a);
    EXPECT(Run(subject, {{same}, false, true, few}, &outcomes) == kTold);
  }
  const BlobRef* before = nullptr;
  for (const BlobRef& blob : subject.blobs) {
    if (before != nullptr && before->size == blob.size && blobs.Next()) {
      const uint64_t size = blob.size + kSealSize, a = before->offset(), b = blob.offset();
      const Trial trial{
          {CopyOf(subject.bytes, a, size, b), CopyOf(subject.bytes, b, size, a)}, false, true, few};
      EXPECT(Run(subject, trial, &outcomes) == kTold);
    }
    before = &blob;
  }
  Print(outcomes);
}

// A reference names the commit that wrote its value, and so does the seal.
TEST("encrypted damage: an older value put back is told") {
  const EncryptedSubject& subject = Subject(false);
  Outcomes outcomes;
  Sample sample;
  uint64_t differ = 0;
  for (const std::string& older : subject.older) {
    for (const BlobRef& blob : subject.blobs) {
      const uint64_t size = blob.size + kSealSize;
      const Patch patch = CopyOf(older, blob.offset(), size, blob.offset());
      if (subject.bytes.compare(blob.offset(), size, patch.bytes) == 0) continue;
      differ++;
      if (!sample.Next()) continue;
      EXPECT(Run(subject, {{patch}, false, true, EncryptedSubject::kKeys - 60}, &outcomes) ==
             kTold);
    }
  }
  EXPECT(differ > 10);
  Print(outcomes);
}

TEST("encrypted damage: an older page put back says nothing that was never written") {
  Print(OlderPages());
}

// While nothing is known of which of the places that it refers to are others' now.
TEST("encrypted damage: an older page put back, in a pool that is walked once it is open") {
  Lazily lazily;
  Print(OlderPages());
}

// Nothing outside of the files says which checkpoint is the last.
TEST("encrypted damage: older root slots and logs put back say nothing that was never written") {
  const EncryptedSubject& subject = Subject(false);
  Outcomes outcomes;
  const uint64_t log = subject.root.log, segment = subject.root.segment_size;
  for (const std::string& older : subject.older) {
    const uint64_t slots[] = {RootSlotAt(subject.superblock, 0), RootSlotAt(subject.superblock, 1)};
    const Patch first = CopyOf(older, slots[0], sizeof(RootSlot), slots[0]);
    const Patch second = CopyOf(older, slots[1], sizeof(RootSlot), slots[1]);
    const Patch logs = CopyOf(older, log, 2 * segment, log);
    for (const std::vector<Patch>& patches :
         {std::vector<Patch>{first},
          {second},
          {first, second},
          {first, second, logs},
          {logs},
          {CopyOf(older, log, segment, log)},
          {CopyOf(older, log + segment, segment, log + segment)}}) {
      Run(subject, {patches, true}, &outcomes);
    }
  }
  Print(outcomes);
}
