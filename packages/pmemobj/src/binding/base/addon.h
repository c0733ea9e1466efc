// State of the binding per environment (the main thread, or a worker thread), and the ways in which
// it throws.
//
// The functions of the addon are not public: the classes in ../../lib call them, with a handle
// first, and check what they can check more cheaply in JavaScript.
#ifndef POTOROO_BINDING_ADDON_H_
#define POTOROO_BINDING_ADDON_H_

#include <napi.h>

#include <memory>
#include <string>
#include <vector>

#include "binding/base/bytes.h"
#include "binding/base/guard.h"
#include "binding/base/mailbox.h"
#include "binding/base/outbox.h"
#include "binding/base/view.h"
#include "engine/engine.h"

namespace potoroo {

struct Addon {
  Arena arena;
  // Made for the first promise that is settled later.
  std::shared_ptr<Mailbox> mailbox;
  // Small values that are read as bytes are written here, and cut out in JavaScript: that
  // costs a third of a Buffer of their own. See lib/map/slab.js.
  napi_ref slab_reference = nullptr;
  char* slab = nullptr;
  size_t slab_size = 0;
  // `(array, ...elements)`: puts them into the array, or a new one. See Page.
  napi_ref collect = nullptr;
  // See objects.cc. The operations of the last commit are not kept, only their room.
  Memory outbox, inbox;
  std::vector<Operation> operations;
  Views views;
  // `(arrayBuffer)`: detaches it, or throws. None where JavaScript cannot. See
  // lib/binding/addon.js.
  napi_ref detach = nullptr;
};

// Throws the error for `status`, with its code.
void Throw(napi_env env, const Status& status);
void ThrowClosed(napi_env env, const char* what);
// Returns the same error as a value; null if there is no memory for it.
napi_value ErrorOf(napi_env env, const Status& status);
void ThrowType(napi_env env, const char* message);

// A call's arguments; what is missing is undefined.
template <size_t N>
struct Call {
  Call(napi_env env, napi_callback_info info) {
    void* data = nullptr;
    napi_get_cb_info(env, info, &count, arguments, nullptr, &data);
    addon = static_cast<Addon*>(data);
  }
  napi_value operator[](size_t i) const { return arguments[i]; }
  // Null where it was left out: to ask Node-API for an undefined costs ten times as much.
  napi_value Optional(size_t i) const { return i < count ? arguments[i] : nullptr; }

  size_t count = N;
  napi_value arguments[N];
  Addon* addon;
};

// True for null too.
bool IsUndefined(napi_env env, napi_value value);
// False with an exception pending where `value` is not a number.
bool ToUint32(napi_env env, napi_value value, uint32_t* number);
bool ToInt64(napi_env env, napi_value value, int64_t* number);
// A number of bytes: a negative one is refused too.
bool ToSize(napi_env env, napi_value value, uint64_t* size);
// The operating system would end a path at a zero byte: such a one is refused too.
bool ToPath(napi_env env, Arena* arena, napi_value value, std::string* path);

// Each noun adds its functions to `exports`.
void InitPool(Napi::Env env, Napi::Object exports, Addon* addon);
void InitMap(Napi::Env env, Napi::Object exports, Addon* addon);
void InitWrite(Napi::Env env, Napi::Object exports, Addon* addon);
void InitClear(Napi::Env env, Napi::Object exports, Addon* addon);
void InitIterator(Napi::Env env, Napi::Object exports, Addon* addon);
void InitSnapshot(Napi::Env env, Napi::Object exports, Addon* addon);
void InitObjects(Napi::Env env, Napi::Object exports, Addon* addon);
void InitBuffer(Napi::Env env, Napi::Object exports, Addon* addon);
void InitCheck(Napi::Env env, Napi::Object exports, Addon* addon);
void InitScrub(Napi::Env env, Napi::Object exports, Addon* addon);
void InitSalvage(Napi::Env env, Napi::Object exports, Addon* addon);
void InitClaim(Napi::Env env, Napi::Object exports, Addon* addon);
void InitDescriptor(Napi::Env env, Napi::Object exports, Addon* addon);
void InitMemory(Napi::Env env, Napi::Object exports, Addon* addon);

// Calls a function of the addon; throws if memory is refused.
template <napi_callback function>
napi_value CallGuarded(napi_env env, napi_callback_info info) {
  try {
    return function(env, info);
  } catch (const std::exception&) {
    Throw(env, NoMemory());
    return nullptr;
  }
}

void ExportGuarded(Napi::Env env, Napi::Object exports, const char* name, napi_callback function,
                   Addon* addon);
// Sets a function that is called through Node-API itself: on the paths of reads and writes
// the wrappers of node-addon-api would be most of the cost.
template <napi_callback function>
void Export(Napi::Env env, Napi::Object exports, const char* name, Addon* addon) {
  ExportGuarded(env, exports, name, CallGuarded<function>, addon);
}

}  // namespace potoroo

#endif  // POTOROO_BINDING_ADDON_H_
