// Writes: operations of one map, or of several. Each function comes in two ways, see submit.h.
#include <algorithm>
#include <vector>

#include "binding/base/addon.h"
#include "binding/pool/handles.h"
#include "binding/pool/submit.h"

namespace potoroo {
namespace {

// put(pool, map, key, value)
template <Way way>
napi_value Put(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  Arena* arena = &call.addon->arena;
  ArenaScope scope(arena);
  MapCall target;
  Operation operation{Operation::Kind::kPut, 0, {}, {}};
  if (!target.Read(env, call[0], call[1]) || !arena->Read(env, call[2], "key", &operation.key) ||
      !arena->Read(env, call[3], "value", &operation.value)) {
    return nullptr;
  }
  operation.map = target.map;
  return Submit(env, call.addon, target.pool, way, &operation, 1);
}

// del(pool, map, key)
template <Way way>
napi_value Delete(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  ArenaScope scope(&call.addon->arena);
  MapCall target;
  Operation operation{Operation::Kind::kDelete, 0, {}, {}};
  if (!target.Read(env, call[0], call[1]) ||
      !call.addon->arena.Read(env, call[2], "key", &operation.key)) {
    return nullptr;
  }
  operation.map = target.map;
  return Submit(env, call.addon, target.pool, way, &operation, 1);
}

// Reads a key, and a value or undefined to delete. False with an exception pending.
bool ReadOperation(napi_env env, Arena* arena, napi_value key, napi_value value,
                   Operation* operation) {
  bool missing = false;
  if (!arena->Read(env, key, "key", &operation->key) ||
      !arena->ReadOptional(env, value, "value", &operation->value, &missing)) {
    return false;
  }
  operation->kind = missing ? Operation::Kind::kDelete : Operation::Kind::kPut;
  return true;
}

constexpr uint32_t kReserved = 4096;

// Which of what is kept for deleting puts may take: 0 nothing, 1 half, 2 all. False with an
// exception pending.
bool ReadRoom(napi_env env, napi_value value, Operation::Room* room) {
  uint32_t number = 0;
  if (!ToUint32(env, value, &number)) return false;
  if (number > static_cast<uint32_t>(Operation::Room::kKept)) {
    ThrowType(env, "No such room");
    return false;
  }
  *room = static_cast<Operation::Room>(number);
  return true;
}

// write(pool, operations, room), and writeBuffers(): flat, three elements each: map, key, and value
// or undefined. An array of lib/'s own, which has no getters. `room`: see ReadRoom.
template <Way way, Operation::Kind put = Operation::Kind::kPut>
napi_value Write(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  Operation::Room room = Operation::Room::kOrdinary;
  if (pool == nullptr || !ReadRoom(env, call[2], &room)) return nullptr;
  uint32_t length = 0;
  if (napi_get_array_length(env, call[1], &length) != napi_ok || length % 3 != 0) {
    ThrowType(env, "Expected an array of operations");
    return nullptr;
  }
  // An array may say that it is much longer than it is.
  std::vector<Operation> operations;
  operations.reserve(std::min(length / 3, kReserved));
  for (uint32_t i = 0; i < length / 3; i++) {
    operations.emplace_back();
    napi_handle_scope handles;
    napi_open_handle_scope(env, &handles);
    napi_value map, key, value;
    const bool good = napi_get_element(env, call[1], i * 3, &map) == napi_ok &&
                      napi_get_element(env, call[1], i * 3 + 1, &key) == napi_ok &&
                      napi_get_element(env, call[1], i * 3 + 2, &value) == napi_ok &&
                      ToUint32(env, map, &operations[i].map) &&
                      ReadOperation(env, &call.addon->arena, key, value, &operations[i]);
    napi_close_handle_scope(env, handles);
    if (!good) return nullptr;
    if (operations[i].kind == Operation::Kind::kPut) operations[i].kind = put;
    operations[i].room = room;
  }
  // A getter may have closed it.
  if (PoolHandle::Unwrap(env, call[0]) == nullptr) return nullptr;
  return Submit(env, call.addon, pool, way, operations.data(), operations.size());
}

// writeFew(pool, map, ...operations): two arguments each, key, and value or undefined. At most
// kFew arguments. To take the elements of an array costs as much as to copy them.
template <Way way>
napi_value WriteFew(napi_env env, napi_callback_info info) {
  constexpr size_t kFew = 8000;
  napi_value arguments[2 + kFew];
  size_t count = 0;
  void* data = nullptr;
  napi_get_cb_info(env, info, &count, nullptr, nullptr, &data);
  if (count < 2 || count > 2 + kFew || count % 2 != 0) {
    ThrowType(env, "Expected up to 4000 operations");
    return nullptr;
  }
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  Addon* addon = static_cast<Addon*>(data);
  ArenaScope scope(&addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, arguments[0]);
  uint32_t map = 0;
  if (pool == nullptr || !ToUint32(env, arguments[1], &map)) return nullptr;
  std::vector<Operation> operations(count / 2 - 1);
  for (size_t i = 0; i < operations.size(); i++) {
    operations[i].map = map;
    if (!ReadOperation(env, &addon->arena, arguments[2 + i * 2], arguments[3 + i * 2],
                       &operations[i])) {
      return nullptr;
    }
  }
  return Submit(env, addon, pool, way, operations.data(), operations.size());
}

// The number of four bytes, little endian.
uint32_t LengthAt(const char* data) {
  uint32_t length = 0;
  for (int i = 0; i < 4; i++) {
    length |= static_cast<uint32_t>(static_cast<unsigned char>(data[i])) << (8 * i);
  }
  return length;
}

// Takes `length` bytes from the front of `*rest`; false where there are fewer.
bool TakeBytes(Bytes* rest, size_t length, Bytes* bytes) {
  if (rest->size() < length) return false;
  *bytes = Bytes(rest->data(), length);
  *rest = Bytes(rest->data() + length, rest->size() - length);
  return true;
}

// Takes the first of gathered operations, see WriteGathered; false where it is cut off.
bool TakeOperation(Bytes* rest, Operation* operation) {
  constexpr uint32_t kDeleted = UINT32_MAX;
  Bytes head;
  if (!TakeBytes(rest, 8, &head)) return false;
  const uint32_t length = LengthAt(head.data() + 4);
  operation->kind = length == kDeleted ? Operation::Kind::kDelete : Operation::Kind::kPut;
  return TakeBytes(rest, LengthAt(head.data()), &operation->key) &&
         TakeBytes(rest, length == kDeleted ? 0 : length, &operation->value);
}

// writeGathered(pool, map, operations, room): very many operations, as lib/map/gathered-batch.js
// puts them one after the other. `room`: see ReadRoom.
//
//   offset  size  field
//        0     4  key     its length, little endian
//        4     4  value   the same; 0xffffffff deletes
//        8     n  bytes of the key, and of the value
template <Way way>
napi_value WriteGathered(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  Arena* arena = &call.addon->arena;
  ArenaScope scope(arena);
  MapCall target;
  Bytes rest;
  Operation::Room room = Operation::Room::kOrdinary;
  if (!target.Read(env, call[0], call[1]) || !arena->Read(env, call[2], "operations", &rest) ||
      !ReadRoom(env, call[3], &room)) {
    return nullptr;
  }
  if (!arena->Keep(&rest)) {
    Throw(env, NoMemory());
    return nullptr;
  }
  std::vector<Operation> operations;
  while (!rest.empty()) {
    operations.push_back({Operation::Kind::kPut, target.map, {}, {}, room});
    if (!TakeOperation(&rest, &operations.back())) {
      ThrowType(env, "Expected whole operations");
      return nullptr;
    }
  }
  return Submit(env, call.addon, target.pool, way, operations.data(), operations.size());
}

// flush(pool)
template <Way way>
napi_value FlushPool(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  return pool == nullptr ? nullptr : Flush(env, call.addon, pool, way);
}

}  // namespace

void InitWrite(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<Put<Way::kNow>>(env, exports, "put", addon);
  Export<Put<Way::kNoDelay>>(env, exports, "putAsync", addon);
  Export<Delete<Way::kNow>>(env, exports, "del", addon);
  Export<Delete<Way::kNoDelay>>(env, exports, "delAsync", addon);
  Export<Write<Way::kNow>>(env, exports, "write", addon);
  Export<Write<Way::kNow, Operation::Kind::kPutBuffer>>(env, exports, "writeBuffers", addon);
  Export<Write<Way::kNoDelay>>(env, exports, "writeAsync", addon);
  Export<WriteFew<Way::kNow>>(env, exports, "writeFew", addon);
  Export<WriteFew<Way::kNoDelay>>(env, exports, "writeFewAsync", addon);
  Export<WriteGathered<Way::kNoDelay>>(env, exports, "writeGatheredAsync", addon);
  Export<FlushPool<Way::kNow>>(env, exports, "flush", addon);
  Export<FlushPool<Way::kNoDelay>>(env, exports, "flushAsync", addon);
}

}  // namespace potoroo
