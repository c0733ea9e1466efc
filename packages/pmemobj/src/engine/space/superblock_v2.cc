#include "engine/space/superblock_v2.h"

#include <cstddef>
#include <cstring>

#include "engine/base/checksum.h"

namespace potoroo::engine {
namespace {

RootSlot Now(const RootSlotV2& before) {
  RootSlot slot{};
  slot.number = before.number;
  slot.epoch = before.epoch;
  slot.salts[0] = slot.salts[1] = slot.undo_salt = before.generation;
  slot.log = before.log;
  slot.segment_size = before.segment_size;
  slot.segment = before.segment;
  slot.directory = before.directory;
  return slot;
}

}  // namespace

uint32_t ChecksumOf(const Signpost& post) { return Checksum(&post, offsetof(Signpost, checksum)); }

uint32_t ChecksumOf(const RootSlotV2& slot) {
  return Checksum(&slot, offsetof(RootSlotV2, checksum));
}

void ViewRootV2(uint64_t offset, const Signpost& post, const ReadBytes& read, RootView* view) {
  view->found = true;
  view->block.layout_version = post.layout_version;
  view->block.page_size = post.page_size;
  memcpy(view->block.id, post.id, sizeof post.id);
  for (uint64_t i = 0; i < 2; i++) {
    RootSlotV2 slot{};
    const RootSlotV2 empty{};
    view->places[i] = offset + sizeof post + i * sizeof slot;
    if (read(view->places[i], &slot, sizeof slot) && memcmp(&slot, &empty, sizeof slot) == 0) {
      continue;
    }
    bool sound = slot.number % 2 == i && slot.checksum == ChecksumOf(slot) && slot.segment <= 1;
    view->states[i] = sound ? RootView::Slot::kSound : RootView::Slot::kDamaged;
    if (sound && slot.number > view->latest.number) view->latest = Now(slot);
  }
}

}  // namespace potoroo::engine
