// Buffers: memory of the pool that JavaScript has as ArrayBuffers.
#include <string>

#include "binding/base/addon.h"
#include "binding/base/view.h"
#include "binding/pool/handles.h"
#include "binding/pool/submit.h"

namespace potoroo {
namespace {

// Bytes of an object's number, which is its key, big endian.
constexpr size_t kIdSize = 6;

napi_value Fail(napi_env env, Code code, const char* message) {
  Throw(env, Status(code, message));
  return nullptr;
}

// The bytes of an ArrayBuffer, or of a view of one. False with an exception pending.
bool ToBytes(napi_env env, napi_value value, Bytes* bytes) {
  void* data = nullptr;
  size_t size = 0;
  bool view = false;
  const bool good = napi_get_arraybuffer_info(env, value, &data, &size) == napi_ok ||
                    (napi_is_buffer(env, value, &view) == napi_ok && view &&
                     napi_get_buffer_info(env, value, &data, &size) == napi_ok);
  if (!good) ThrowType(env, "The source must be an ArrayBuffer, or a view of one");
  *bytes = Bytes(static_cast<const char*>(data), size);
  return good;
}

// createBuffer(pool, map, keySize, byteLength, source): an entry whose value is a buffer, durable
// when it returns. The key is at the start of the outbox; without a source the bytes are zeros.
napi_value CreateBuffer(napi_env env, napi_callback_info info) {
  Call<5> call(env, info);
  MapCall target;
  Operation operation{Operation::Kind::kPutBuffer, 0, {}, {}};
  int64_t size = 0;
  if (!target.Read(env, call[0], call[1]) ||
      !TakeOutbox(env, *call.addon, call[2], &operation.key) || !ToInt64(env, call[3], &size)) {
    return nullptr;
  }
  if (size < 0 || size > static_cast<int64_t>(kMaxValueSize)) {
    return Fail(env, Code::kInvalid, "A buffer has at most 1 GiB");
  }
  operation.map = target.map;
  operation.value = Bytes(nullptr, static_cast<size_t>(size));
  if (!IsUndefined(env, call.Optional(4))) {
    Bytes source;
    if (!ToBytes(env, call[4], &source)) return nullptr;
    if (source.size() != operation.value.size()) {
      return Fail(env, Code::kInvalid, "The source of a buffer must be as long as it");
    }
    operation.value = source;
  }
  return Submit(env, call.addon, target.pool, Way::kNow, &operation, 1);
}

// openBuffer(pool, map, keySize, snapshot) → ArrayBuffer over the memory of the pool, or undefined.
// Without a snapshot it is the caller's to keep the entry until the ArrayBuffer is collected.
napi_value OpenBuffer(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  MapCall target;
  Bytes key;
  if (!target.Read(env, call[0], call[1]) || !TakeOutbox(env, *call.addon, call[2], &key)) {
    return nullptr;
  }
  char* memory = nullptr;
  size_t size = 0;
  std::shared_ptr<Snapshot> pin;
  {
    ReadSnapshot read;
    const std::shared_ptr<Snapshot>* snapshot = read.Choose(env, target.pool, call.Optional(3));
    if (snapshot == nullptr) return nullptr;
    const Status status = (*snapshot)->GetBuffer(target.map, key, &memory, &size);
    if (status.code() == Code::kNotFound) return nullptr;
    if (!status.ok()) return Finish(env, status);
    if (!IsUndefined(env, call.Optional(3))) pin = *snapshot;
  }
  return View::Open(env, call.addon, target.pool, key, memory, size, std::move(pin));
}

// detachBuffer(arrayBuffer) → whether nobody has its memory any more. False where it was detached
// before: then another ArrayBuffer may have it.
napi_value DetachBuffer(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  void* data = nullptr;
  size_t size = 0;
  bool detached = false;
  if (napi_get_arraybuffer_info(env, call[0], &data, &size) != napi_ok) {
    ThrowType(env, "Expected an ArrayBuffer");
    return nullptr;
  }
  napi_is_detached_arraybuffer(env, call[0], &detached);
  View* view = detached ? nullptr : View::Of(*call.addon, env, call[0], data);
  bool nobody = size == 0 && !detached;
  if (view != nullptr) {
    view->Close();
    napi_is_detached_arraybuffer(env, call[0], &nobody);
  }
  napi_value result = nullptr;
  napi_get_boolean(env, nobody, &result);
  return result;
}

// (pool, arrayBuffer, offset, length)
struct Range {
  // False with an exception pending.
  bool Read(napi_env env, napi_callback_info info);
  Pool* pool = nullptr;
  char* from = nullptr;
  size_t size = 0;
};

bool Range::Read(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  PoolHandle* handle = PoolHandle::Unwrap(env, call[0]);
  void* data = nullptr;
  size_t length = 0;
  int64_t offset = 0;
  int64_t count = 0;
  if (handle == nullptr) return false;
  if (napi_get_arraybuffer_info(env, call[1], &data, &length) != napi_ok) {
    ThrowType(env, "Expected an ArrayBuffer");
    return false;
  }
  if (!ToInt64(env, call[2], &offset) || !ToInt64(env, call[3], &count)) return false;
  const int64_t most = static_cast<int64_t>(length);
  if (offset < 0 || offset > most || count < 0 || count > most - offset) {
    Throw(env, Status(Code::kInvalid, "The range is not within the buffer"));
    return false;
  }
  if (length > 0) {
    const View* view = View::Find(*call.addon, data, length);
    if (view == nullptr || view->pool() != handle) {
      Throw(env, Status(Code::kInvalid, "The ArrayBuffer is none of this pool"));
      return false;
    }
  }
  pool = (*handle)->get();
  from = static_cast<char*>(data) + offset;
  size = static_cast<size_t>(count);
  return true;
}

// flushBuffer(pool, arrayBuffer, offset, length): what was written there is durable on return.
napi_value FlushBuffer(napi_env env, napi_callback_info info) {
  Range range;
  if (!range.Read(env, info) || range.size == 0) return nullptr;
  return Finish(env, range.pool->FlushBuffer(range.from, range.size));
}

// saveBuffer(pool, arrayBuffer, offset, length): keeps what is there, durably, until commit(),
// to bring it back by restoreBuffers() or after a crash.
napi_value SaveBuffer(napi_env env, napi_callback_info info) {
  Range range;
  if (!range.Read(env, info) || range.size == 0) return nullptr;
  return Finish(env, range.pool->SaveBuffer(range.from, range.size));
}

// draftBuffer(pool, arrayBuffer, offset, length): what is written there from now on is part of what
// keepDrafts() saves, or dropDrafts() takes back.
napi_value DraftBuffer(napi_env env, napi_callback_info info) {
  Range range;
  if (!range.Read(env, info) || range.size == 0) return nullptr;
  return Finish(env, range.pool->DraftBuffer(range.from, range.size));
}

// keepDrafts(pool)
napi_value KeepDrafts(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  return pool == nullptr ? nullptr : Finish(env, (*pool)->get()->KeepDrafts());
}

// dropDrafts(pool)
napi_value DropDrafts(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  return pool == nullptr ? nullptr : Finish(env, (*pool)->get()->DropDrafts());
}

// savedBuffers(pool) → how many saves there are
napi_value SavedBuffers(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  napi_value result = nullptr;
  napi_create_double(env, static_cast<double>((*pool)->get()->SavedBuffers()), &result);
  return result;
}

// restoreBuffers(pool, count): brings back what all saves but the first `count` kept.
napi_value RestoreBuffers(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  uint32_t count = 0;
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr || !ToUint32(env, call[1], &count)) return nullptr;
  return Finish(env, (*pool)->get()->RestoreBuffers(count));
}

// heldBuffers(pool) → the ids (keys of 6 bytes) of all buffers whose memory JavaScript may reach,
// whatever has become of their ArrayBuffers. One may come twice.
napi_value HeldBuffers(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  napi_value result = nullptr;
  if (pool == nullptr || napi_create_array(env, &result) != napi_ok) return nullptr;
  uint32_t count = 0;
  for (const auto& [memory, view] : call.addon->views) {
    if (view->pool() != pool || view->key().size() != kIdSize) continue;
    double id = 0;
    for (const char byte : view->key()) id = id * 256 + static_cast<uint8_t>(byte);
    napi_value element = nullptr;
    if (napi_create_double(env, id, &element) != napi_ok ||
        napi_set_element(env, result, count++, element) != napi_ok) {
      return nullptr;
    }
  }
  return result;
}

}  // namespace

void InitBuffer(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<CreateBuffer>(env, exports, "createBuffer", addon);
  Export<OpenBuffer>(env, exports, "openBuffer", addon);
  Export<DetachBuffer>(env, exports, "detachBuffer", addon);
  Export<FlushBuffer>(env, exports, "flushBuffer", addon);
  Export<SaveBuffer>(env, exports, "saveBuffer", addon);
  Export<DraftBuffer>(env, exports, "draftBuffer", addon);
  Export<KeepDrafts>(env, exports, "keepDrafts", addon);
  Export<DropDrafts>(env, exports, "dropDrafts", addon);
  Export<SavedBuffers>(env, exports, "savedBuffers", addon);
  Export<RestoreBuffers>(env, exports, "restoreBuffers", addon);
  Export<HeldBuffers>(env, exports, "heldBuffers", addon);
}

}  // namespace potoroo
