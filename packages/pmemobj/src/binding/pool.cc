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
  Status status =
      OpenOrCreate(std::string(path), create_if_missing, error_if_exists, options, &pool);
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

// write(pool, operations): flat, three elements each: map, key, and value or undefined. An array
// of lib/'s own, which has no getters.
napi_value Write(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  uint32_t length = 0;
  if (napi_get_array_length(env, call[1], &length) != napi_ok || length % 3 != 0) {
    ThrowType(env, "Expected an array of operations");
    return nullptr;
  }
  std::vector<Operation> operations(length / 3);
  for (uint32_t i = 0; i < operations.size(); i++) {
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
  }
  Status status = pool->Write(operations.data(), operations.size());
  return status.ok() ? nullptr : Fail(env, status);
}

// writeFew(pool, map, ...operations): two arguments each, key, and value or undefined. At most
// kFew arguments. To take the elements of an array costs as much as to copy them.
napi_value WriteFew(napi_env env, napi_callback_info info) {
  constexpr size_t kFew = 2000;
  napi_value arguments[2 + kFew];
  size_t count = 0;
  void* data = nullptr;
  napi_get_cb_info(env, info, &count, nullptr, nullptr, &data);
  if (count < 2 || count > 2 + kFew || count % 2 != 0) {
    ThrowType(env, "Expected up to 1000 operations");
    return nullptr;
  }
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  Arena* arena = &static_cast<Addon*>(data)->arena;
  ArenaScope scope(arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, arguments[0]);
  uint32_t map = 0;
  if (pool == nullptr || !ToUint32(env, arguments[1], &map)) return nullptr;
  std::vector<Operation> operations(count / 2 - 1);
  for (size_t i = 0; i < operations.size(); i++) {
    operations[i].map = map;
    if (!ReadOperation(env, arena, arguments[2 + i * 2], arguments[3 + i * 2], &operations[i])) {
      return nullptr;
    }
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
  Export(env, exports, "writeFew", WriteFew, addon);
  exports.Set("stats", Napi::Function::New(env, Stats, "stats"));
}

}  // namespace potoroo
