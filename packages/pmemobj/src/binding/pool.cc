// Pools: open, close, their maps, and writes over several of them.
#include <filesystem>
#include <system_error>
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

// Whether a pool may be made in the folder: it is empty, or holds what a crash left of an
// earlier attempt. (Of the latter the engine makes sure.)
bool IsFreeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    const std::string name = entry->path().filename().string();
    const bool part = entry->path().extension() == ".pmem";
    if (!part && name != "pool.set.draft" && name != "pool.set.new") return false;
    entry.increment(error);
  }
  return !error;
}

Status OpenOrCreate(const std::string& path, bool create_if_missing, bool error_if_exists,
                    const PoolOptions& options, std::unique_ptr<Pool>* pool) {
  Status status = Pool::Open(path, pool);
  if (status.ok() && error_if_exists) {
    pool->reset();
    return Status(Code::kExists, "The pool " + path + " exists already");
  }
  if (status.code() == Code::kNotAPool && create_if_missing && IsFreeFolder(path)) {
    return Pool::Create(path, options, pool);
  }
  if (status.code() != Code::kNotFound) return status;
  if (!create_if_missing) return Status(Code::kNotFound, "The pool " + path + " does not exist");
  return Pool::Create(path, options, pool);
}

// open(path, createIfMissing, errorIfExists, size, maxSize) → handle
napi_value Open(napi_env env, napi_callback_info info) {
  Call<5> call(env, info);
  ArenaScope scope(&call.addon->arena);
  Bytes path;
  bool create_if_missing = true;
  bool error_if_exists = false;
  int64_t size = 0;
  int64_t max_size = 0;
  if (!call.addon->arena.Read(env, call[0], "path", &path)) return nullptr;
  if (napi_get_value_bool(env, call[1], &create_if_missing) != napi_ok ||
      napi_get_value_bool(env, call[2], &error_if_exists) != napi_ok) {
    ThrowType(env, "createIfMissing and errorIfExists must be booleans");
    return nullptr;
  }
  if (!ToInt64(env, call[3], &size) || !ToInt64(env, call[4], &max_size)) return nullptr;
  PoolOptions options;
  options.size = static_cast<uint64_t>(size);
  options.max_size = static_cast<uint64_t>(max_size);
  std::unique_ptr<Pool> pool;
  Status status = OpenOrCreate(std::string(path), create_if_missing, error_if_exists, options, &pool);
  if (!status.ok()) return Fail(env, status);
  return Handle::Wrap(env, std::make_unique<PoolHandle>(env, std::move(pool)));
}

// close(pool)
napi_value Close(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Handle* handle = Handle::Unwrap(env, call[0], Handle::Kind::kPool);
  if (handle != nullptr) static_cast<PoolHandle*>(handle)->Close();
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
  pool->ForgetLatest();
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
  pool->ForgetLatest();
  Status status = (*pool)->DropMap(name);
  return status.ok() ? nullptr : Fail(env, status);
}

// listMaps(pool) → names
napi_value ListMaps(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  std::vector<std::string> names;
  Status status = (*pool)->ListMaps(&names);
  if (!status.ok()) return Fail(env, status);
  Page page(env, call.addon, true, false);
  for (const std::string& name : names) {
    if (!page.AddString(name)) return nullptr;
  }
  return page.Finish();
}

// stats(pool) → { size, maxSize, used, isPmem, snapshots }
Napi::Value Stats(const Napi::CallbackInfo& info) {
  PoolHandle* pool = PoolHandle::Unwrap(info.Env(), info[0]);
  if (pool == nullptr) return info.Env().Undefined();
  pool->ForgetLatest();
  const PoolStats stats = (*pool)->Stats();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("size", static_cast<double>(stats.size));
  result.Set("maxSize", static_cast<double>(stats.max_size));
  result.Set("used", static_cast<double>(stats.used));
  result.Set("isPmem", stats.is_pmem);
  result.Set("snapshots", static_cast<double>(stats.snapshots));
  return result;
}

// An operation of an array of lib/'s own, which has no getters: `map` (unless it is fixed),
// key, and value or undefined to delete. False with an exception pending.
bool ReadOperation(napi_env env, Arena* arena, napi_value array, uint32_t at, bool fixed, Operation* operation) {
  napi_value map, key, value;
  if (!fixed && (napi_get_element(env, array, at++, &map) != napi_ok || !ToUint32(env, map, &operation->map))) {
    return false;
  }
  if (napi_get_element(env, array, at, &key) != napi_ok || napi_get_element(env, array, at + 1, &value) != napi_ok) {
    return false;
  }
  bool missing = false;
  if (!arena->Read(env, key, "key", &operation->key) ||
      !arena->ReadOptional(env, value, "value", &operation->value, &missing)) {
    return false;
  }
  operation->kind = missing ? Operation::Kind::kDelete : Operation::Kind::kPut;
  return true;
}

// write(pool, operations, map): flat, two elements each; or three, where map is undefined.
napi_value Write(napi_env env, napi_callback_info info) {
  Call<3> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  const bool fixed = !IsUndefined(env, call[2]);
  const uint32_t stride = fixed ? 2 : 3;
  uint32_t map = 0;
  uint32_t length = 0;
  if (fixed && !ToUint32(env, call[2], &map)) return nullptr;
  if (napi_get_array_length(env, call[1], &length) != napi_ok || length % stride != 0) {
    ThrowType(env, "Expected an array of operations");
    return nullptr;
  }
  std::vector<Operation> operations(length / stride);
  for (uint32_t i = 0; i < operations.size(); i++) {
    napi_handle_scope handles;
    napi_open_handle_scope(env, &handles);
    operations[i].map = map;
    const bool good = ReadOperation(env, &call.addon->arena, call[1], i * stride, fixed, &operations[i]);
    napi_close_handle_scope(env, handles);
    if (!good) return nullptr;
  }
  Status status = pool->Write(operations.data(), operations.size());
  return status.ok() ? nullptr : Fail(env, status);
}

}  // namespace

void InitPool(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export(env, exports, "open", Open, addon);
  Export(env, exports, "close", Close, addon);
  Export(env, exports, "openMap", OpenMap, addon);
  Export(env, exports, "dropMap", DropMap, addon);
  Export(env, exports, "listMaps", ListMaps, addon);
  Export(env, exports, "write", Write, addon);
  exports.Set("stats", Napi::Function::New(env, Stats, "stats"));
}

}  // namespace potoroo
