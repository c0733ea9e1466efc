// Maps: reads.
#include <cstring>

#include "binding/addon.h"
#include "binding/handles.h"

namespace potoroo {
namespace {

// Bytes above it come in a Buffer of their own; up to it, in the slab.
constexpr size_t kInSlab = 4096;

napi_value Boolean(napi_env env, bool value) {
  napi_value result = nullptr;
  napi_get_boolean(env, value, &result);
  return result;
}

// Looks up (pool, map, key, snapshot). False where an exception is pending; `found` otherwise.
struct Lookup {
  explicit Lookup(Arena* arena) : scope(arena), arena(arena) {}
  template <size_t N>
  bool Run(napi_env env, const Call<N>& call, size_t snapshot_at = 3) {
    MapCall target;
    Bytes key;
    if (!target.Read(env, call[0], call[1]) || !arena->Read(env, call[2], "key", &key))
      return false;
    const std::shared_ptr<Snapshot>* snapshot =
        read.Choose(env, target.pool, call.Optional(snapshot_at));
    if (snapshot == nullptr) return false;
    Status status = (*snapshot)->Get(target.map, key, &value);
    found = status.ok();
    if (found || status.code() == Code::kNotFound) return true;
    Throw(env, status);
    return false;
  }

  ArenaScope scope;
  Arena* arena;
  ReadSnapshot read;
  Bytes value;
  bool found = false;
};

// getString(pool, map, key, snapshot) → string or undefined
napi_value GetString(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  Lookup lookup(&call.addon->arena);
  if (!lookup.Run(env, call) || !lookup.found) return nullptr;
  return ToString(env, lookup.value);
}

// getBytes(pool, map, key, offset, snapshot) → Buffer or undefined; or, for up to kInSlab
// bytes, their number: they are in the slab, from `offset`.
napi_value GetBytes(napi_env env, napi_callback_info info) {
  Call<5> call(env, info);
  Lookup lookup(&call.addon->arena);
  uint32_t offset = 0;
  if (!ToUint32(env, call[3], &offset) || !lookup.Run(env, call, 4) || !lookup.found)
    return nullptr;
  const Bytes value = lookup.value;
  const Addon& addon = *call.addon;
  if (value.size() > kInSlab || offset > addon.slab_size ||
      value.size() > addon.slab_size - offset) {
    return ToBuffer(env, value);
  }
  if (!value.empty()) std::memcpy(addon.slab + offset, value.data(), value.size());
  napi_value length = nullptr;
  napi_create_uint32(env, static_cast<uint32_t>(value.size()), &length);
  return length;
}

// has(pool, map, key, snapshot) → boolean
napi_value Has(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  Lookup lookup(&call.addon->arena);
  return lookup.Run(env, call) ? Boolean(env, lookup.found) : nullptr;
}

// Calls `found(value)` or `missing()` for each key of an array; false with an exception pending.
template <typename Found, typename Missing>
bool ForEachKey(napi_env env, const Call<5>& call, Found found, Missing missing) {
  MapCall target;
  uint32_t length = 0;
  if (!target.Read(env, call[0], call[1])) return false;
  ReadSnapshot read;
  const std::shared_ptr<Snapshot>* chosen = read.Choose(env, target.pool, call[3]);
  if (chosen == nullptr) return false;
  const std::shared_ptr<Snapshot> snapshot = *chosen;
  if (napi_get_array_length(env, call[2], &length) != napi_ok) {
    ThrowType(env, "The keys must be an array");
    return false;
  }
  for (uint32_t i = 0; i < length; i++) {
    ArenaScope scope(&call.addon->arena);
    napi_value element = nullptr;
    Bytes key;
    Bytes value;
    bool good = napi_get_element(env, call[2], i, &element) == napi_ok &&
                call.addon->arena.Read(env, element, "key", &key);
    if (good && !target.pool->open()) {
      // A getter in the array closed it.
      ThrowClosed(env, "pool");
      good = false;
    }
    if (good) {
      Status status = snapshot->Get(target.map, key, &value);
      if (status.ok()) {
        good = found(value);
      } else if (status.code() == Code::kNotFound) {
        good = missing();
      } else {
        Throw(env, status);
        good = false;
      }
    }
    if (!good) return false;
  }
  return true;
}

// getMany(pool, map, keys, snapshot, pieces) → page, of strings or of pieces
napi_value GetMany(napi_env env, napi_callback_info info) {
  Call<5> call(env, info);
  bool pieces = false;
  if (napi_get_value_bool(env, call[4], &pieces) != napi_ok) {
    ThrowType(env, "Expected a boolean");
    return nullptr;
  }
  Page page(env, call.addon, !pieces, pieces);
  const auto found = [&](Bytes value) {
    if (!pieces) return page.AddString(value);
    page.AddPiece(value);
    return true;
  };
  const auto missing = [&] {
    pieces ? page.AddMissingPiece() : page.AddUndefined();
    return true;
  };
  return ForEachKey(env, call, found, missing) ? page.Finish() : nullptr;
}

// hasMany(pool, map, keys, snapshot) → booleans
napi_value HasMany(napi_env env, napi_callback_info info) {
  Call<5> call(env, info);
  Page page(env, call.addon, true, false);
  const auto add = [&](bool value) {
    page.AddBoolean(value);
    return true;
  };
  const bool done = ForEachKey(
      env, call, [&](Bytes) { return add(true); }, [&] { return add(false); });
  return done ? page.Finish() : nullptr;
}

}  // namespace

void InitMap(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export(env, exports, "getString", GetString, addon);
  Export(env, exports, "getBytes", GetBytes, addon);
  Export(env, exports, "getMany", GetMany, addon);
  Export(env, exports, "has", Has, addon);
  Export(env, exports, "hasMany", HasMany, addon);
}

}  // namespace potoroo
