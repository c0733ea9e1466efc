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

Status Root::Create(Medium* medium, const RootSlot& first, Root* root) {
  Status status = medium->Root(sizeof(Superblock), &root->offset_);
  if (!status.ok()) return status;
  root->medium_ = medium;
  status = root->Switch(first);
  if (!status.ok()) return status;
  Superblock block{};
  memcpy(block.magic, kMagic, sizeof kMagic);
  block.layout_version = kLayoutVersion;
  block.page_size = kPageSize;
  std::random_device random;
  for (uint8_t& byte : block.id) byte = static_cast<uint8_t>(random());
  block.checksum = Checksum(&block, offsetof(Superblock, checksum));
  return medium->CopyDurably(root->superblock(), &block, offsetof(Superblock, roots));
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
  root->slot_ = RootSlot{};
  for (uint64_t i = 0; i < 2; i++) {
    const RootSlot& slot = block.roots[i];
    if (slot.number % 2 != i || slot.checksum != SlotChecksum(slot)) {
      // A new pool has written one only.
      RootSlot empty{};
      root->doubtful_ = root->doubtful_ || memcmp(&slot, &empty, sizeof slot) != 0;
    } else if (slot.number > root->slot_.number) {
      root->slot_ = slot;
    }
  }
  if (root->slot_.number == 0 || root->slot_.segment > 1) {
    return Status(Code::kCorrupt, "both root slots are damaged");
  }
  return Status::Ok();
}

Status Root::Switch(RootSlot next) {
  next.number = slot_.number + 1;
  next.checksum = SlotChecksum(next);
  Status status = medium_->WriteDurably(&superblock()->roots[next.number % 2], &next, sizeof next);
  if (status.ok()) slot_ = next;
  return status;
}

}  // namespace potoroo::engine
