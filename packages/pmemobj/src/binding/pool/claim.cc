// Work on a pool's files without opening it.
#include "engine/medium/claim.h"

#include "binding/base/addon.h"

namespace potoroo {
namespace {

// claim(path, remains) → descriptors, which hold the locks until they are closed: see claim.h
napi_value ClaimPool(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  std::string path;
  bool remains = false;
  if (!ToPath(env, &call.addon->arena, call[0], &path)) return nullptr;
  napi_get_value_bool(env, call[1], &remains);
  std::vector<int> descriptors;
  Status status = engine::ClaimFiles(path, remains, &descriptors);
  if (!status.ok()) {
    Throw(env, status);
    return nullptr;
  }
  napi_value result = nullptr;
  napi_create_array(env, &result);
  for (uint32_t i = 0; i < descriptors.size(); i++) {
    napi_value number = nullptr;
    napi_create_int32(env, descriptors[i], &number);
    napi_set_element(env, result, i, number);
  }
  return result;
}

// link(descriptor, path): gives a name to a file that was opened without one.
napi_value Link(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  uint32_t descriptor = 0;
  std::string path;
  if (!ToUint32(env, call[0], &descriptor) || !ToPath(env, &call.addon->arena, call[1], &path)) {
    return nullptr;
  }
  Status status = engine::LinkFile(static_cast<int>(descriptor), path);
  if (!status.ok()) Throw(env, status);
  return nullptr;
}

}  // namespace

void InitClaim(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<ClaimPool>(env, exports, "claim", addon);
  Export<Link>(env, exports, "link", addon);
}

}  // namespace potoroo
