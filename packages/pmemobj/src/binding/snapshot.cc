// Snapshots: take and close.
#include "binding/addon.h"
#include "binding/handles.h"

namespace potoroo {
namespace {

// takeSnapshot(pool) → handle
napi_value TakeSnapshot(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  const std::shared_ptr<Snapshot>* latest = SnapshotHandle::Choose(env, pool, nullptr);
  if (latest == nullptr) return nullptr;
  return Handle::Wrap(env, std::make_unique<SnapshotHandle>(pool, *latest));
}

// closeSnapshot(snapshot)
napi_value CloseSnapshot(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Handle* handle = Handle::Unwrap(env, call[0], Handle::Kind::kSnapshot);
  if (handle != nullptr) static_cast<SnapshotHandle*>(handle)->Close();
  return nullptr;
}

}  // namespace

void InitSnapshot(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export(env, exports, "takeSnapshot", TakeSnapshot, addon);
  Export(env, exports, "closeSnapshot", CloseSnapshot, addon);
}

}  // namespace potoroo
