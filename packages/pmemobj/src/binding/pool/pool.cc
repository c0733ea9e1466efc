// Pools: open, close, their maps.
#include <memory>
#include <string>
#include <vector>

#include "binding/base/addon.h"
#include "binding/pool/handles.h"
#include "binding/pool/submit.h"

namespace potoroo {
namespace {

// Throws and gives undefined.
napi_value Fail(napi_env env, const Status& status) {
  Throw(env, status);
  return nullptr;
}

bool ToBoolean(napi_env env, napi_value value, bool* boolean) {
  if (napi_get_value_bool(env, value, boolean) == napi_ok) return true;
  ThrowType(env, "Expected a boolean");
  return false;
}

// Users of a pool must agree on these: a durability and a key, from argument `first` on.
template <size_t count>
bool ToTerms(napi_env env, const Call<count>& call, size_t first, OpenRequest* request) {
  Bytes durability, key;
  bool missing = true, no_key = true;
  Arena& arena = call.addon->arena;
  if (!arena.ReadOptional(env, call[first], "durability", &durability, &missing) ||
      !arena.ReadOptional(env, call[first + 1], "key", &key, &no_key)) {
    return false;
  }
  if (!no_key) request->options.key = key;
  request->durability_given = !missing;
  request->options.durability =
      durability == "relaxed" ? Durability::kRelaxed : Durability::kStrict;
  return true;
}

// open(path, createIfMissing, errorIfExists, exclusive, size, maxSize, raiseMaxSize, durability,
// key, readOnly, decrypted) → handle. The durability is 'strict', 'relaxed' or undefined; the key
// 32 bytes or undefined. The last two may be undefined; with readOnly, all but the path, the key
// and `decrypted` are ignored.
napi_value Open(napi_env env, napi_callback_info info) {
  Call<11> call(env, info);
  ArenaScope scope(&call.addon->arena);
  OpenRequest request;
  if (!ToPath(env, &call.addon->arena, call[0], &request.path) ||
      !ToBoolean(env, call[1], &request.create_if_missing) ||
      !ToBoolean(env, call[2], &request.error_if_exists) ||
      !ToBoolean(env, call[3], &request.exclusive) ||
      !ToSize(env, call[4], &request.options.size) ||
      !ToSize(env, call[5], &request.options.max_size) ||
      !ToSize(env, call[6], &request.raise_max_size) || !ToTerms(env, call, 7, &request) ||
      (call.Optional(9) != nullptr && !ToBoolean(env, call[9], &request.options.read_only)) ||
      (call.Optional(10) != nullptr && !ToSize(env, call[10], &request.options.decrypted))) {
    return nullptr;
  }
  SharedPool* pool = nullptr;
  Status status = SharedPool::Join(request, call.addon, &pool);
  if (!status.ok()) return Fail(env, status);
  std::unique_ptr<PoolHandle> handle;
  try {
    handle = std::make_unique<PoolHandle>(env, pool, call.addon);
  } catch (...) {
    (void)pool->Leave(call.addon);
    throw;
  }
  return Handle::Wrap(env, std::move(handle));
}

// admit(pool, path, durability, key): throws where open would for one more user.
napi_value Admit(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  OpenRequest request;
  if (pool == nullptr || !ToPath(env, &call.addon->arena, call[1], &request.path) ||
      !ToTerms(env, call, 2, &request)) {
    return nullptr;
  }
  Status status = (*pool)->Admit(request);
  return status.ok() ? nullptr : Fail(env, status);
}

// isRelaxed(pool) → whether that is its durability
napi_value IsRelaxed(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  napi_value result = nullptr;
  napi_get_boolean(env, (*pool)->durability() == Durability::kRelaxed, &result);
  return result;
}

// close(pool): detaches the ArrayBuffers over its memory.
napi_value Close(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Handle* handle = Handle::Unwrap(env, call[0], Handle::Kind::kPool);
  if (handle == nullptr) return nullptr;
  PoolHandle* pool = static_cast<PoolHandle*>(handle);
  if (pool->open() && View::AnyIsMoved(*call.addon, pool)) {
    return Fail(env, Status(Code::kInUse,
                            "An ArrayBuffer of the pool was transferred: it cannot "
                            "be closed before that memory is collected"));
  }
  const Status status = pool->Close();
  return status.ok() ? nullptr : Fail(env, status);
}

napi_value ToNumber(napi_env env, const Status& status, uint32_t map) {
  if (!status.ok()) return Fail(env, status);
  napi_value number = nullptr;
  napi_create_uint32(env, map, &number);
  return number;
}

// openMap(pool, name) → number
napi_value OpenMap(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  Bytes name;
  if (pool == nullptr || !call.addon->arena.Read(env, call[1], "name", &name)) return nullptr;
  uint32_t map = 0;
  Status status = (*pool)->OpenMap(name, &map);
  return ToNumber(env, status, map);
}

// findMap(pool, name) → number; undefined where there is no such map
napi_value FindMap(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  Bytes name;
  if (pool == nullptr || !call.addon->arena.Read(env, call[1], "name", &name)) return nullptr;
  uint32_t map = 0;
  Status status = (*pool)->get()->FindMap(name, &map);
  return status.code() == Code::kNotFound ? nullptr : ToNumber(env, status, map);
}

// holdMap(pool, name, alone, writer) → number
napi_value HoldMap(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  Bytes name;
  bool alone = false;
  bool writer = false;
  if (pool == nullptr || !call.addon->arena.Read(env, call[1], "name", &name) ||
      !ToBoolean(env, call[2], &alone) || !ToBoolean(env, call[3], &writer)) {
    return nullptr;
  }
  const Holding holding = alone ? Holding::kAlone : writer ? Holding::kWriter : Holding::kShared;
  uint32_t map = 0;
  Status status = pool->HoldMap(name, holding, &map);
  return ToNumber(env, status, map);
}

// releaseMap(pool, name)
napi_value ReleaseMap(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  Bytes name;
  if (pool == nullptr || !call.addon->arena.Read(env, call[1], "name", &name)) return nullptr;
  pool->ReleaseMap(name);
  return nullptr;
}

// dropMap(pool, name)
napi_value DropMap(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  Bytes name;
  if (pool == nullptr || !call.addon->arena.Read(env, call[1], "name", &name)) return nullptr;
  (*pool)->queue()->WaitFor(pool);
  Status status = pool->DropMap(name);
  return status.ok() ? nullptr : Fail(env, status);
}

// listMaps(pool) → names
napi_value ListMaps(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  std::vector<std::string> names;
  Status status = (*pool)->get()->ListMaps(&names);
  if (!status.ok()) return Fail(env, status);
  Page page(env, call.addon, true, false);
  for (const std::string& name : names) {
    if (!page.AddString(name)) return nullptr;
  }
  return page.Finish();
}

// stats(pool) → { size, maxSize, used, free, largest, isPmem, snapshots, decrypted }
napi_value Stats(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  // The snapshot kept for reads does not count: it would go with the next write.
  (*pool)->latest()->Drop();
  const PoolStats stats = (*pool)->get()->Stats();
  Napi::Object result = Napi::Object::New(env);
  result.Set("size", static_cast<double>(stats.size));
  result.Set("maxSize", static_cast<double>(stats.max_size));
  result.Set("used", static_cast<double>(stats.used));
  result.Set("free", static_cast<double>(stats.free));
  result.Set("largest", static_cast<double>(stats.largest));
  result.Set("isPmem", stats.is_pmem);
  result.Set("snapshots", static_cast<double>(stats.snapshots));
  result.Set("decrypted", static_cast<double>(stats.decrypted));
  return result;
}

// rotateKey(pool, key)
napi_value RotateKey(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  Bytes key;
  if (pool == nullptr || !call.addon->arena.Read(env, call[1], "key", &key)) return nullptr;
  Status status = pool->pool()->RotateKey(key);
  return status.ok() ? nullptr : Fail(env, status);
}

// compactAsync(pool) → a promise, of one small step
napi_value Compact(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  return SubmitLong(env, call.addon, pool, Way::kNoDelay,
                    [shared = pool->pool(), compacted = pool->compacted()] {
                      bool done = false;
                      Status status = shared->Compact(&done);
                      *compacted = done;
                      return status;
                    });
}

// checkpoint(pool): gives back, before it returns, all space that no commit and no snapshot needs
napi_value Checkpoint(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  pool->pool()->queue()->WaitFor(pool);
  return Finish(env, pool->pool()->Checkpoint());
}

// giveBack(pool) → whether that has begun; otherwise it is to be called again, a little later
napi_value GiveBack(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  bool begun = false;
  Status status = pool->pool()->GiveBack(&begun);
  napi_value result = nullptr;
  if (status.ok()) napi_get_boolean(env, begun, &result);
  return status.ok() ? result : Finish(env, status);
}

// isCompacted(pool) → whether that was the last one
napi_value IsCompacted(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  napi_value result = nullptr;
  napi_get_boolean(env, *pool->compacted(), &result);
  return result;
}

// bytesOnDisk(pool) → number
napi_value BytesOnDisk(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  napi_value result = nullptr;
  napi_create_double(env, static_cast<double>((*pool)->get()->BytesOnDisk()), &result);
  return result;
}

}  // namespace

void InitPool(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<Open>(env, exports, "open", addon);
  Export<Admit>(env, exports, "admit", addon);
  Export<IsRelaxed>(env, exports, "isRelaxed", addon);
  Export<Close>(env, exports, "close", addon);
  Export<OpenMap>(env, exports, "openMap", addon);
  Export<FindMap>(env, exports, "findMap", addon);
  Export<HoldMap>(env, exports, "holdMap", addon);
  Export<ReleaseMap>(env, exports, "releaseMap", addon);
  Export<DropMap>(env, exports, "dropMap", addon);
  Export<ListMaps>(env, exports, "listMaps", addon);
  Export<RotateKey>(env, exports, "rotateKey", addon);
  Export<Compact>(env, exports, "compactAsync", addon);
  Export<IsCompacted>(env, exports, "isCompacted", addon);
  Export<Checkpoint>(env, exports, "checkpoint", addon);
  Export<GiveBack>(env, exports, "giveBack", addon);
  Export<BytesOnDisk>(env, exports, "bytesOnDisk", addon);
  Export<Stats>(env, exports, "stats", addon);
}

}  // namespace potoroo
