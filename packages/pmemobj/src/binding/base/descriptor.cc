// Descriptors of what threads of one process share beside a pool: a listening socket.
#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "binding/base/addon.h"

namespace potoroo {
namespace {

// duplicateDescriptor(fd): another descriptor of the same file or socket, closed by itself.
napi_value DuplicateDescriptor(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  uint32_t descriptor = 0;
  if (!ToUint32(env, call[0], &descriptor)) return nullptr;
  const int duplicate = fcntl(static_cast<int>(descriptor), F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) {
    napi_throw_error(env, errno == EBADF ? "EBADF" : "EMFILE", std::strerror(errno));
    return nullptr;
  }
  napi_value result = nullptr;
  napi_create_int32(env, duplicate, &result);
  return result;
}

}  // namespace

void InitDescriptor(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<DuplicateDescriptor>(env, exports, "duplicateDescriptor", addon);
}

}  // namespace potoroo
