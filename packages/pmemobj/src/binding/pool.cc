// Pools: open, close, their maps.
#include <memory>
#include <string>
#include <vector>

#include "binding/addon.h"
#include "binding/handles.h"

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

// open(path, createIfMissing, errorIfExists, exclusive, size, maxSize, raiseMaxSize, durability)
// → handle. The durability is 'strict', 'relaxed' or undefined.
napi_value Open(napi_env env, napi_callback_info info) {
  Call<8> call(env, info);
  ArenaScope scope(&call.addon->arena);
  OpenRequest request;
  Bytes path;
  int64_t size = 0;
  int64_t max_size = 0;
  int64_t raise_max_size = 0;
  Bytes durability;
  bool missing = true;
  if (!call.addon->arena.Read(env, call[0], "path", &path) ||
      !ToBoolean(env, call[1], &request.create_if_missing) ||
      !ToBoolean(env, call[2], &request.error_if_exists) ||
      !ToBoolean(env, call[3], &request.exclusive) || !ToInt64(env, call[4], &size) ||
      !ToInt64(env, call[5], &max_size) || !ToInt64(env, call[6], &raise_max_size) ||
      !call.addon->arena.ReadOptional(env, call[7], "durability", &durability, &missing)) {
    return nullptr;
  }
  request.durability_given = !missing;
  request.options.durability = durability == "relaxed" ? Durability::kRelaxed : Durability::kStrict;
  request.raise_max_size = static_cast<uint64_t>(raise_max_size);
  request.path = std::string(path);
  request.options.size = static_cast<uint64_t>(size);
  request.options.max_size = static_cast<uint64_t>(max_size);
  SharedPool* pool = nullptr;
  Status status = SharedPool::Join(request, call.addon, &pool);
  if (!status.ok()) return Fail(env, status);
  return Handle::Wrap(env, std::make_unique<PoolHandle>(env, pool, call.addon));
}

// close(pool): detaches the ArrayBuffers over its memory.
napi_value Close(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Handle* handle = Handle::Unwrap(env, call[0], Handle::Kind::kPool);
  if (handle == nullptr) return nullptr;
  PoolHandle* pool = static_cast<PoolHandle*>(handle);
  if (pool->open() && View::AnyIsMoved(*call.addon, pool)) {
    return Fail(env, Status(Code::kInUse, "An ArrayBuffer of the pool was transferred: it cannot "
                                          "be closed before that memory is collected"));
  }
  pool->Close();
  return nullptr;
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
  if (!status.ok()) return Fail(env, status);
  napi_value number = nullptr;
  napi_create_uint32(env, map, &number);
  return number;
}

// dropMap(pool, name)
napi_value DropMap(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  Bytes name;
  if (pool == nullptr || !call.addon->arena.Read(env, call[1], "name", &name)) return nullptr;
  (*pool)->queue()->WaitFor(pool);
  Status status = (*pool)->DropMap(name);
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

// stats(pool) → { size, maxSize, used, free, largest, isPmem, snapshots }
Napi::Value Stats(const Napi::CallbackInfo& info) {
  PoolHandle* pool = PoolHandle::Unwrap(info.Env(), info[0]);
  if (pool == nullptr) return info.Env().Undefined();
  // What is kept for reads counts for nothing: it would go with the next write.
  (*pool)->latest()->Drop();
  const PoolStats stats = (*pool)->get()->Stats();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("size", static_cast<double>(stats.size));
  result.Set("maxSize", static_cast<double>(stats.max_size));
  result.Set("used", static_cast<double>(stats.used));
  result.Set("free", static_cast<double>(stats.free));
  result.Set("largest", static_cast<double>(stats.largest));
  result.Set("isPmem", stats.is_pmem);
  result.Set("snapshots", static_cast<double>(stats.snapshots));
  return result;
}

}  // namespace

void InitPool(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export(env, exports, "open", Open, addon);
  Export(env, exports, "close", Close, addon);
  Export(env, exports, "openMap", OpenMap, addon);
  Export(env, exports, "dropMap", DropMap, addon);
  Export(env, exports, "listMaps", ListMaps, addon);
  exports.Set("stats", Napi::Function::New(env, Stats, "stats"));
}

}  // namespace potoroo
