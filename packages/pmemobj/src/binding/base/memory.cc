// Memory of the process that was freed and that the C library has not given back.
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "binding/base/addon.h"

namespace potoroo {
namespace {

// releaseMemory(): whether any was given back to the system. Other C libraries do it by themselves.
napi_value ReleaseMemory(napi_env env, napi_callback_info) {
  bool released = false;
#ifdef __GLIBC__
  released = malloc_trim(0) != 0;
#endif
  napi_value result = nullptr;
  napi_get_boolean(env, released, &result);
  return result;
}

}  // namespace

void InitMemory(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<ReleaseMemory>(env, exports, "releaseMemory", addon);
}

}  // namespace potoroo
