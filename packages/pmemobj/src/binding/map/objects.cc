// The hot path of JavaScript objects. Operations and keys come in one piece of memory, the outbox,
// and values go to another one, the inbox. So a call takes and gives only numbers.
//
// The outbox of a commit: operations without gaps, unaligned, little endian.
//
//   offset  size  field
//        0     1  kind        1 put, 2 delete, 3 delete a range, as in the log
//        1     1  0
//        2     2  key size
//        4     4  map
//        8     4  value size
//       12        key, then value; for a range the first key that goes, then the first that stays
#include <cstring>

#include "binding/base/addon.h"
#include "binding/pool/handles.h"
#include "binding/pool/submit.h"

namespace potoroo {
namespace {

constexpr size_t kHeaderSize = 12;

// Lets the addon use the memory of `value` from now on.
void SetMemory(napi_env env, napi_value value, Memory* memory) {
  void* data = nullptr;
  size_t size = 0;
  napi_ref reference = nullptr;
  if (napi_get_arraybuffer_info(env, value, &data, &size) != napi_ok ||
      napi_create_reference(env, value, 1, &reference) != napi_ok) {
    ThrowType(env, "Expected an ArrayBuffer");
    return;
  }
  if (memory->reference != nullptr) napi_delete_reference(env, memory->reference);
  *memory = {reference, static_cast<char*>(data), size};
}

// setOutbox(arrayBuffer): where commit() and read() find operations and keys from now on.
napi_value SetOutbox(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  SetMemory(env, call[0], &call.addon->outbox);
  return nullptr;
}

// setInbox(arrayBuffer): where read() leaves values from now on.
napi_value SetInbox(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  SetMemory(env, call[0], &call.addon->inbox);
  return nullptr;
}

// Reads an operation from the front of `*rest`, and takes it off. It refers to those bytes.
bool TakeOperation(Bytes* rest, Operation* operation) {
  if (rest->size() < kHeaderSize) return false;
  const uint8_t kind = static_cast<uint8_t>((*rest)[0]);
  uint16_t key_size;
  uint32_t value_size;
  std::memcpy(&key_size, rest->data() + 2, sizeof key_size);
  std::memcpy(&operation->map, rest->data() + 4, sizeof operation->map);
  std::memcpy(&value_size, rest->data() + 8, sizeof value_size);
  const size_t size = kHeaderSize + key_size + size_t{value_size};
  if (kind < 1 || kind > 3 || size > rest->size()) return false;
  operation->kind = static_cast<Operation::Kind>(kind - 1);
  operation->key = Bytes(rest->data() + kHeaderSize, key_size);
  operation->value = Bytes(rest->data() + kHeaderSize + key_size, value_size);
  rest->remove_prefix(size);
  return true;
}
static_assert(static_cast<int>(Operation::Kind::kPut) == 0 &&
                  static_cast<int>(Operation::Kind::kDelete) == 1 &&
                  static_cast<int>(Operation::Kind::kDeleteRange) == 2,
              "The kinds of the outbox are those of the engine, from 1");

// commit(pool, length, saved, must): the operations in the first `length` bytes of the outbox, as
// one batch, durable when it returns. `saved`: together with what was changed of buffers. `must`:
// they may take the room that is kept for deleting, too. → true where another thread watches
// objects, undefined otherwise.
napi_value Commit(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  Bytes rest;
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr || !TakeOutbox(env, *call.addon, call[1], &rest)) return nullptr;
  std::vector<Operation>& operations = call.addon->operations;
  operations.clear();
  while (!rest.empty()) {
    operations.emplace_back();
    if (TakeOperation(&rest, &operations.back())) continue;
    Throw(env, Status(Code::kInvalid, "The outbox holds something else than operations"));
    return nullptr;
  }
  bool saved = false;
  if (call.count > 2) napi_get_value_bool(env, call[2], &saved);
  bool must = false;
  if (call.count > 3) napi_get_value_bool(env, call[3], &must);
  if (must) {
    for (Operation& operation : operations) operation.room = Operation::Room::kKept;
  }
  napi_value result = nullptr;
  if (saved) {
    (*pool)->queue()->WaitFor(pool);
    result = Finish(env, (*pool)->WriteSaved(operations.data(), operations.size()));
  } else {
    result = Submit(env, call.addon, pool, Way::kNow, operations.data(), operations.size());
  }
  if (pool->OthersWatch()) napi_get_boolean(env, true, &result);
  return result;
}

// read(pool, map, keySize, snapshot) → the size of the value, or -1. The key is at the start of the
// outbox; the value goes to the inbox, where that is long enough.
napi_value Read(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  MapCall target;
  Bytes key;
  if (!target.Read(env, call[0], call[1]) || !TakeOutbox(env, *call.addon, call[2], &key)) {
    return nullptr;
  }
  ReadSnapshot read;
  const std::shared_ptr<Snapshot>* snapshot = read.Choose(env, target.pool, call.Optional(3));
  if (snapshot == nullptr) return nullptr;
  Bytes value;
  const Status status = (*snapshot)->Get(target.map, key, &value);
  int64_t size = -1;
  if (status.ok()) {
    size = static_cast<int64_t>(value.size());
    const Memory& inbox = call.addon->inbox;
    if (!value.empty() && value.size() <= inbox.size) {
      std::memcpy(inbox.data, value.data(), value.size());
    }
  } else if (status.code() != Code::kNotFound) {
    Throw(env, status);
    return nullptr;
  }
  napi_value result = nullptr;
  napi_create_int64(env, size, &result);
  return result;
}

// epoch(pool) → number of the latest commit
napi_value Epoch(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  napi_value result = nullptr;
  napi_create_double(env, static_cast<double>((*pool)->get()->epoch()), &result);
  return result;
}

// claimObjects(pool) → whether this thread is the one that may write objects
napi_value ClaimObjects(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  napi_value result = nullptr;
  napi_get_boolean(env, pool->ClaimObjects(), &result);
  return result;
}

// disclaimObjects(pool): another thread may be the one that writes objects.
napi_value DisclaimObjects(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool != nullptr) pool->DisclaimObjects();
  return nullptr;
}

// watchObjects(pool, watches): whether commit() is to tell other threads that this one wants to
// know.
napi_value WatchObjects(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  bool watches = false;
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  napi_get_value_bool(env, call[1], &watches);
  pool->WatchObjects(watches);
  return nullptr;
}

}  // namespace

bool TakeOutbox(napi_env env, const Addon& addon, napi_value value, Bytes* bytes) {
  int64_t size = 0;
  if (!ToInt64(env, value, &size)) return false;
  if (size >= 0 && static_cast<uint64_t>(size) <= addon.outbox.size) {
    *bytes = Bytes(addon.outbox.data, static_cast<size_t>(size));
    return true;
  }
  Throw(env, Status(Code::kInvalid, "The outbox is not that long"));
  return false;
}

void InitObjects(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<SetOutbox>(env, exports, "setOutbox", addon);
  Export<SetInbox>(env, exports, "setInbox", addon);
  Export<Commit>(env, exports, "commit", addon);
  Export<Read>(env, exports, "read", addon);
  Export<Epoch>(env, exports, "epoch", addon);
  Export<ClaimObjects>(env, exports, "claimObjects", addon);
  Export<DisclaimObjects>(env, exports, "disclaimObjects", addon);
  Export<WatchObjects>(env, exports, "watchObjects", addon);
}

}  // namespace potoroo
