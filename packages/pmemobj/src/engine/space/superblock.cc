#include "engine/space/superblock.h"

#include <sys/random.h>

#include <cstddef>
#include <cstring>
#include <random>

#include "engine/base/checksum.h"
#include "engine/base/fault.h"
#include "engine/space/key_slots.h"
#include "engine/space/superblock_v2.h"

namespace potoroo::engine {

uint32_t ChecksumOf(const RootPointer& pointer) {
  return Checksum(&pointer, offsetof(RootPointer, checksum));
}

uint32_t ChecksumOf(const Superblock& block) {
  return Checksum(&block, offsetof(Superblock, checksum));
}

uint32_t ChecksumOf(const RootSlot& slot) { return Checksum(&slot, offsetof(RootSlot, checksum)); }

uint64_t NewSalt() {
  uint64_t salt;
  if (getrandom(&salt, sizeof salt, 0) == sizeof salt) return salt;
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

Status CheckVersion(const Superblock& block) {
  if (block.layout_version != kLayoutVersion && block.layout_version != kLayoutVersion2) {
    return Status(Code::kLayoutVersion, "the pool has layout version " +
                                            std::to_string(block.layout_version) + ", not " +
                                            std::to_string(kLayoutVersion));
  }
  if (block.page_size != kPageSize) {
    return Status(Code::kLayoutVersion, "the pool has pages of another size");
  }
  if ((block.required & ~kKnownFeatures) != 0) {
    return Status(Code::kLayoutVersion, "the pool has features that this version does not know");
  }
  return Status::Ok();
}

namespace {

void ViewSlots(const ReadBytes& read, RootView* view) {
  for (uint64_t i = 0; i < 2; i++) {
    RootSlot slot{};
    const RootSlot empty{};
    view->places[i] = RootSlotAt(view->place, i);
    if (read(view->places[i], &slot, sizeof slot) && memcmp(&slot, &empty, sizeof slot) == 0) {
      continue;
    }
    bool sound = slot.number % 2 == i && slot.checksum == ChecksumOf(slot) && slot.segment <= 1;
    view->states[i] = sound ? RootView::Slot::kSound : RootView::Slot::kDamaged;
    if (sound && slot.number > view->latest.number) view->latest = slot;
  }
}

bool IsSound(const Superblock& block) {
  return memcmp(block.magic, kSuperblockMagic, sizeof block.magic) == 0 &&
         block.checksum == ChecksumOf(block);
}

// The superblock that a pointer leads to.
bool Follow(uint64_t at, const ReadBytes& read, RootView* view) {
  RootPointer pointer{};
  if (!read(at, &pointer, sizeof pointer) || pointer.checksum != ChecksumOf(pointer)) return false;
  if (pointer.place == 0 || pointer.place % kBlockSize != 0) return false;
  Superblock block{};
  if (!read(pointer.place, &block, sizeof block) || !IsSound(block)) return false;
  view->found = true;
  view->place = pointer.place;
  view->block = block;
  return true;
}

}  // namespace

RootView ViewRoot(uint64_t offset, uint64_t size, const ReadBytes& read) {
  RootView view;
  if (size < kRootSize) return view;
  Signpost post{};
  bool signpost = read(offset, &post, sizeof post) &&
                  memcmp(post.magic, kSuperblockMagic, sizeof post.magic) == 0 &&
                  post.checksum == ChecksumOf(post);
  bool both = Follow(offset + kPointersAt[1], read, &view);
  both = Follow(offset + kPointersAt[0], read, &view) && both;
  if (view.found) {
    view.whole = both && signpost && post.layout_version == view.block.layout_version;
    // Another version may have its slots elsewhere.
    if (view.block.layout_version == kLayoutVersion) ViewSlots(read, &view);
  } else if (signpost && post.layout_version != kLayoutVersion) {
    ViewRootV2(offset, post, read, &view);
  }
  return view;
}

Status Root::Write(uint64_t at, const void* bytes, uint64_t size) {
  return medium_->WriteDurably(medium_->At(at), bytes, size);
}

Status Root::WriteSlot(const RootSlot& slot) {
  return Write(RootSlotAt(place_, slot.number % 2), &slot, sizeof slot);
}

Status Root::WriteSuperblock() {
  memcpy(block_.magic, kSuperblockMagic, sizeof block_.magic);
  block_.layout_version = kLayoutVersion;
  block_.page_size = kPageSize;
  block_.checksum = ChecksumOf(block_);
  return Write(place_, &block_, sizeof block_);
}

// Leads to the superblock, which is durable: first the pointers, as the signpost voids what layout
// version 2 has.
Status Root::WriteRootObject() {
  RootPointer pointer{place_, 0, 0};
  pointer.checksum = ChecksumOf(pointer);
  for (uint64_t at : kPointersAt) {
    Status status = Write(offset_ + at, &pointer, sizeof pointer);
    if (!status.ok()) return status;
  }
  Signpost post{};
  memcpy(post.magic, kSuperblockMagic, sizeof post.magic);
  post.layout_version = kLayoutVersion;
  post.page_size = kPageSize;
  memcpy(post.id, block_.id, sizeof post.id);
  post.checksum = ChecksumOf(post);
  Status status = Write(offset_, &post, sizeof post);
  whole_ = status.ok();
  return status;
}

ReadBytes Root::Reader() const {
  return [medium = medium_](uint64_t offset, void* to, uint64_t size) {
    if (offset > medium->size() || size > medium->size() - offset) return false;
    memcpy(to, medium->At(offset), size);
    return true;
  };
}

Status Root::FindCipher(Bytes key, std::unique_ptr<Cipher>* cipher) const {
  return engine::FindCipher(block_, place_, key, Reader(), cipher);
}

Status Root::Rotate(const Cipher& cipher, Bytes key) {
  KeySlot slots[kKeySlots];
  Status status;
  // All that can fail without the disk comes first.
  for (KeySlot& slot : slots) {
    if (status.ok()) status = WrapKey(cipher.key(), key, &slot);
  }
  if (Planted(Fault::kKeySlots)) {
    const KeySlot nothing{};
    for (uint64_t i = 0; i < kKeySlots && status.ok(); i++) {
      status = Write(KeySlotAt(place_, i), &nothing, sizeof nothing);
    }
  }
  for (uint64_t i = kKeySlots; i-- > 0 && status.ok();) {
    status = Write(KeySlotAt(place_, i), &slots[i], sizeof slots[i]);
  }
  return status;
}

Status Root::SettleKeys(const Cipher& cipher, Bytes key) {
  Status status;
  for (uint64_t i = 0; i < kKeySlots && status.ok(); i++) {
    const uint64_t at = KeySlotAt(place_, i);
    if (SlotOpens(at, cipher.key(), key, Reader()) || Planted(Fault::kKeysUnsettled)) continue;
    KeySlot slot;
    status = WrapKey(cipher.key(), key, &slot);
    if (status.ok()) status = Write(at, &slot, sizeof slot);
  }
  return status;
}

Status Root::Create(Medium* medium, Space* space, const RootSlot& first, const Cipher* cipher,
                    Bytes key, Root* root) {
  root->medium_ = medium;
  Status status = medium->Root(kRootSize, &root->offset_);
  if (status.ok()) status = root->Prepare(space);
  if (!status.ok()) return status;
  std::random_device random;
  for (uint8_t& byte : root->block_.id) byte = static_cast<uint8_t>(random());
  root->block_.layout_version = kLayoutVersion;
  if (cipher != nullptr) {
    root->block_.required |= kEncryptedFeature;
    status = root->Rotate(*cipher, key);
  }
  if (status.ok()) status = root->WriteSuperblock();
  return status.ok() ? root->Switch(first) : status;
}

Status Root::Open(Medium* medium, Root* root) {
  root->medium_ = medium;
  const uint64_t size = medium->RootSize();
  if (size < kRootSize) return Status(Code::kCorrupt, "the pool has no superblock");
  Status status = medium->Root(size, &root->offset_);
  if (!status.ok()) return status;
  RootView view = ViewRoot(root->offset_, size, root->Reader());
  if (!view.found) return Status(Code::kCorrupt, "the superblock is damaged");
  status = CheckVersion(view.block);
  if (!status.ok()) return status;
  if (view.latest.number == 0) return Status(Code::kCorrupt, "both root slots are damaged");
  root->block_ = view.block;
  root->slot_ = view.latest;
  root->whole_ = view.whole;
  root->place_ = view.place;
  root->doubtful_ = view.Has(RootView::Slot::kDamaged);
  return status;
}

Status Root::Switch(RootSlot next) {
  if (place_ == 0) return Status(Code::kIo, "the superblock has no place yet");
  next.number = slot_.number + 1;
  next.checksum = ChecksumOf(next);
  Status status = block_.layout_version == kLayoutVersion ? WriteSlot(next) : Upgrade(next);
  if (status.ok() && !whole_) status = WriteRootObject();
  if (status.ok()) slot_ = next;
  return status;
}

Status Root::Prepare(Space* space) {
  if (place_ == 0) place_ = space->AllocateRun(kBlockSize);
  return place_ != 0 ? Status::Ok() : Status(Code::kNoSpace, "the pool is full");
}

// The root of layout version 2 stays as it is until a pointer leads to the superblock.
Status Root::Upgrade(const RootSlot& next) {
  const RootSlot nothing{};
  Status status = Write(RootSlotAt(place_, (next.number + 1) % 2), &nothing, sizeof nothing);
  if (status.ok()) status = WriteSlot(next);
  if (!status.ok()) return status;
  block_.upgraded = slot_.epoch;
  status = WriteSuperblock();
  if (!status.ok()) block_.layout_version = kLayoutVersion2;
  return status;
}

}  // namespace potoroo::engine
