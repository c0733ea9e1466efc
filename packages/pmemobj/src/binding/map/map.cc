// Maps: reads.
#include <cstring>
#include <string>

#include "binding/base/addon.h"
#include "binding/map/range.h"
#include "binding/pool/handles.h"

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

// Keys of one call: they are arguments, for to take the elements of an array costs more.
constexpr size_t kMostKeys = 1000;

// (pool, map, snapshot, pieces, ...keys)
struct ManyCall {
  static constexpr size_t kKeysFrom = 4;

  // Calls `found(value)` or `missing()` for each key; false with an exception pending.
  template <typename Found, typename Missing>
  bool Run(napi_env env, Found found, Missing missing);
  // False with an exception pending.
  bool Read(napi_env env, napi_callback_info info);

  napi_value arguments[kKeysFrom + kMostKeys];
  size_t count = 0;
  Addon* addon = nullptr;
  MapCall target;
  bool pieces = false;
  ReadSnapshot read;
  const std::shared_ptr<Snapshot>* snapshot = nullptr;
};

bool ManyCall::Read(napi_env env, napi_callback_info info) {
  void* data = nullptr;
  napi_get_cb_info(env, info, &count, nullptr, nullptr, &data);
  if (count < kKeysFrom || count > kKeysFrom + kMostKeys) {
    ThrowType(env, "Expected up to 1000 keys");
    return false;
  }
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  addon = static_cast<Addon*>(data);
  if (!target.Read(env, arguments[0], arguments[1])) return false;
  if (napi_get_value_bool(env, arguments[3], &pieces) != napi_ok) {
    ThrowType(env, "Expected a boolean");
    return false;
  }
  snapshot = read.Choose(env, target.pool, arguments[2]);
  return snapshot != nullptr;
}

template <typename Found, typename Missing>
bool ManyCall::Run(napi_env env, Found found, Missing missing) {
  for (size_t i = kKeysFrom; i < count; i++) {
    ArenaScope scope(&addon->arena);
    Bytes key;
    Bytes value;
    if (!addon->arena.Read(env, arguments[i], "key", &key)) return false;
    Status status = (*snapshot)->Get(target.map, key, &value);
    if (!status.ok() && status.code() != Code::kNotFound) {
      Throw(env, status);
      return false;
    }
    if (!(status.ok() ? found(value) : missing())) return false;
  }
  return true;
}

// getMany(pool, map, snapshot, pieces, ...keys) → page, of strings or of pieces
napi_value GetMany(napi_env env, napi_callback_info info) {
  ManyCall call;
  if (!call.Read(env, info)) return nullptr;
  const bool pieces = call.pieces;
  Page page(env, call.addon, !pieces, pieces, call.count);
  const auto found = [&](Bytes value) {
    if (!pieces) return page.AddString(value);
    page.AddLastingPiece(value);
    return true;
  };
  const auto missing = [&] {
    pieces ? page.AddMissingPiece() : page.AddUndefined();
    return true;
  };
  return call.Run(env, found, missing) ? page.Finish() : nullptr;
}

// hasMany(pool, map, snapshot, false, ...keys) → booleans
napi_value HasMany(napi_env env, napi_callback_info info) {
  ManyCall call;
  if (!call.Read(env, info)) return nullptr;
  Page page(env, call.addon, true, false, call.count);
  const auto add = [&](bool value) {
    page.AddBoolean(value);
    return true;
  };
  const bool done = call.Run(
      env, [&](Bytes) { return add(true); }, [&] { return add(false); });
  return done ? page.Finish() : nullptr;
}

// The first key that is above those below an edge of a range; nullptr where it has no edge there.
struct Edge {
  Edge(const Bound& bound, bool above) : key(bound.key) {
    if (above) key.push_back('\0');
    bytes = key;
    at = bound.present ? &bytes : nullptr;
  }
  std::string key;
  Bytes bytes;
  const Bytes* at;
};

// count(pool, map, flags, lower, upper, snapshot) → number, or undefined where it is not known
napi_value Count(napi_env env, napi_callback_info info) {
  Call<6> call(env, info);
  ArenaScope scope(&call.addon->arena);
  MapCall target;
  uint32_t flags = 0;
  Range range;
  if (!target.Read(env, call[0], call[1]) || !ToUint32(env, call[2], &flags) ||
      !range.Read(env, &call.addon->arena, flags, call[3], call[4])) {
    return nullptr;
  }
  ReadSnapshot read;
  const std::shared_ptr<Snapshot>* snapshot = read.Choose(env, target.pool, call.Optional(5));
  if (snapshot == nullptr) return nullptr;
  const Edge from(range.lower(), range.lower().open), to(range.upper(), !range.upper().open);
  uint64_t count = 0;
  bool known = false;
  Status status = (*snapshot)->Count(target.map, from.at, to.at, &count, &known);
  if (!status.ok()) {
    Throw(env, status);
    return nullptr;
  }
  napi_value result = nullptr;
  if (known) napi_create_double(env, static_cast<double>(count), &result);
  return result;
}

}  // namespace

void InitMap(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<GetString>(env, exports, "getString", addon);
  Export<GetBytes>(env, exports, "getBytes", addon);
  Export<GetMany>(env, exports, "getMany", addon);
  Export<Has>(env, exports, "has", addon);
  Export<Count>(env, exports, "count", addon);
  Export<HasMany>(env, exports, "hasMany", addon);
}

}  // namespace potoroo
