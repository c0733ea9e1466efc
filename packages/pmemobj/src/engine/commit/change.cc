#include "engine/commit/change.h"

#include <algorithm>

#include "engine/commit/core.h"

namespace potoroo::engine {
namespace {

Space::Room RoomOf(const Operation& operation) {
  if (operation.kind == Operation::Kind::kPutBuffer) return Space::Room::kOrdinary;
  if (operation.kind != Operation::Kind::kPut) return Space::Room::kKept;
  switch (operation.room) {
    case Operation::Room::kOrdinary:
      return Space::Room::kOrdinary;
    case Operation::Room::kHalfOfKept:
      return Space::Room::kHalfOfKept;
    case Operation::Room::kKept:
      return Space::Room::kKept;
  }
  return Space::Room::kOrdinary;
}

}  // namespace

Status PlanCommit(const Core& core, const Operation* operations, size_t count, CommitMode* mode) {
  mode->in_place = true;
  mode->room = Space::Room::kKept;
  uint64_t bytes = 0;
  for (size_t i = 0; i < count; i++) {
    const Operation& op = operations[i];
    bool range = op.kind == Operation::Kind::kDeleteRange;
    bool buffer = op.kind == Operation::Kind::kPutBuffer;
    if (op.key.size() > kMaxKeySize || (range && op.value.size() > kMaxKeySize)) {
      return Status(Code::kInvalid, "a key has more than 32 KiB");
    }
    if (op.map == core.undo_map.load(std::memory_order_relaxed)) {
      return Status(Code::kInvalid, "the map is the engine's own");
    }
    if (op.value.size() > kMaxValueSize) {
      return Status(Code::kInvalid, "a value has more than 1 GiB");
    }
    if (buffer && core.store->cipher() != nullptr) {
      return Status(Code::kEncrypted,
                    "a pool that is encrypted has no buffers: they would lie there as they are");
    }
    mode->room = std::min(mode->room, RoomOf(op));
    // A range may hold any number of pages.
    mode->in_place = mode->in_place && !range;
    // A replay of the log would put it elsewhere.
    mode->logged = mode->logged && !buffer;
    bytes += op.key.size() + op.value.size() + sizeof(LogOperation);
  }
  mode->logged = mode->logged && bytes <= kMaxLogged;
  return Status::Ok();
}

}  // namespace potoroo::engine
