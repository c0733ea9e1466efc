// Snapshots: take and close.
#include <string>
#include <vector>

#include "binding/base/addon.h"
#include "binding/pool/handles.h"

namespace potoroo {
namespace {

// takeSnapshot(pool, spare) → handle
napi_value TakeSnapshot(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  ReadSnapshot read;
  const std::shared_ptr<Snapshot>* latest = read.Choose(env, pool, nullptr);
  if (latest == nullptr) return nullptr;
  return Handle::Wrap(env, std::make_unique<SnapshotHandle>(pool, *latest), call.Optional(1));
}

// closeSnapshot(snapshot)
napi_value CloseSnapshot(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Handle* handle = Handle::Unwrap(env, call[0], Handle::Kind::kSnapshot);
  if (handle != nullptr) static_cast<SnapshotHandle*>(handle)->Close();
  return nullptr;
}

// mapsOf(pool, snapshot) → flat: name, number, name, number, as strings
napi_value MapsOf(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  ReadSnapshot read;
  const std::shared_ptr<Snapshot>* snapshot = read.Choose(env, pool, call[1]);
  if (snapshot == nullptr) return nullptr;
  std::vector<NamedMap> maps;
  Status status = (*snapshot)->ListMaps(&maps);
  if (!status.ok()) {
    Throw(env, status);
    return nullptr;
  }
  Page page(env, call.addon, true, false);
  for (const NamedMap& map : maps) {
    if (!page.AddString(map.name) || !page.AddString(std::to_string(map.map))) return nullptr;
  }
  return page.Finish();
}

}  // namespace

void InitSnapshot(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<TakeSnapshot>(env, exports, "takeSnapshot", addon);
  Export<CloseSnapshot>(env, exports, "closeSnapshot", addon);
  Export<MapsOf>(env, exports, "mapsOf", addon);
}

}  // namespace potoroo
