#include "superblock.h"

#include <cstddef>
#include <cstring>
#include <random>

#include "checksum.h"

namespace potoroo::engine {
namespace {

constexpr char kMagic[8] = "Potoroo";

uint32_t SlotChecksum(const RootSlot& slot) {
  return Checksum(&slot, offsetof(RootSlot, checksum));
}

}  // namespace

Superblock* Root::superblock() const { return reinterpret_cast<Superblock*>(medium_->At(offset_)); }

Status Root::Create(Medium* medium, Root* root) {
  Status status = medium->Root(sizeof(Superblock), &root->offset_);
  if (!status.ok()) return status;
  root->medium_ = medium;
  root->epoch_ = 0;
  root->Switch(0);
  Superblock block{};
  memcpy(block.magic, kMagic, sizeof kMagic);
  block.layout_version = kLayoutVersion;
  block.page_size = kPageSize;
  std::random_device random;
  for (uint8_t& byte : block.id) byte = static_cast<uint8_t>(random());
  block.checksum = Checksum(&block, offsetof(Superblock, checksum));
  medium->CopyDurably(root->superblock(), &block, offsetof(Superblock, roots));
  return status;
}

Status Root::Open(Medium* medium, Root* root) {
  if (medium->RootSize() < sizeof(Superblock)) {
    return Status(Code::kCorrupt, "the pool has no superblock");
  }
  Status status = medium->Root(sizeof(Superblock), &root->offset_);
  if (!status.ok()) return status;
  root->medium_ = medium;
  Superblock block;
  memcpy(&block, root->superblock(), sizeof block);
  if (memcmp(block.magic, kMagic, sizeof kMagic) != 0 ||
      block.checksum != Checksum(&block, offsetof(Superblock, checksum))) {
    return Status(Code::kCorrupt, "the superblock is damaged");
  }
  if (block.layout_version != kLayoutVersion || block.page_size != kPageSize) {
    return Status(Code::kLayoutVersion, "the pool has layout version " +
                                            std::to_string(block.layout_version) + ", not " +
                                            std::to_string(kLayoutVersion));
  }
  root->epoch_ = 0;
  for (uint64_t i = 0; i < 2; i++) {
    const RootSlot& slot = block.roots[i];
    if (slot.epoch % 2 != i || slot.checksum != SlotChecksum(slot)) continue;
    if (slot.epoch <= root->epoch_) continue;
    root->epoch_ = slot.epoch;
    root->directory_ = slot.directory;
  }
  if (root->epoch_ == 0) return Status(Code::kCorrupt, "both root slots are damaged");
  return Status::Ok();
}

void Root::Switch(uint32_t directory) {
  RootSlot slot{};
  slot.epoch = epoch_ + 1;
  slot.directory = directory;
  slot.checksum = SlotChecksum(slot);
  medium_->CopyDurably(&superblock()->roots[slot.epoch % 2], &slot, sizeof slot);
  epoch_ = slot.epoch;
  directory_ = directory;
}

}  // namespace potoroo::engine
