// The memory of JavaScript's through which operations and keys come to the addon, and values leave
// it. See objects.cc.
#ifndef POTOROO_BINDING_OUTBOX_H_
#define POTOROO_BINDING_OUTBOX_H_

#include <node_api.h>

#include <cstddef>

#include "engine/engine.h"

namespace potoroo {

struct Addon;

// An ArrayBuffer that calls read from, or write to, without being given it.
struct Memory {
  napi_ref reference = nullptr;
  char* data = nullptr;
  size_t size = 0;
};

// The first bytes of the outbox, as many as `value` says. False with an exception pending.
bool TakeOutbox(napi_env env, const Addon& addon, napi_value value, Bytes* bytes);

}  // namespace potoroo

#endif  // POTOROO_BINDING_OUTBOX_H_
