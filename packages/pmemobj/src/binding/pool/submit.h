// How a write gets to the engine: at once, on the calling thread, or by the pool's queue.
#ifndef POTOROO_BINDING_SUBMIT_H_
#define POTOROO_BINDING_SUBMIT_H_

#include <node_api.h>

#include <functional>

#include "binding/base/addon.h"
#include "binding/pool/handles.h"

namespace potoroo {

enum class Way {
  kNow,      // done when the call returns, however long that takes
  kNoDelay,  // a promise where the calling thread would have to wait, for the disk or a big write
};

// Throws where it failed; gives undefined.
napi_value Finish(napi_env env, const Status& status);

// Finishes a small write: waits until it is durable.
napi_value FinishAtOnce(napi_env env, Addon* addon, PoolHandle* pool, Way way, uint64_t commit);

// Makes all commits so far durable, those of a relaxed pool too.
napi_value Flush(napi_env env, Addon* addon, PoolHandle* pool, Way way);

// Writes operations that lie in the addon's arena (or in views), or refers to what does. Gives
// undefined when it is done, or a promise.
napi_value Submit(napi_env env, Addon* addon, PoolHandle* pool, Way way,
                  const Operation* operations, size_t count);

// Runs `write`, which must call SharedPool::WriteAlone, after all that the thread has begun.
napi_value SubmitLong(napi_env env, Addon* addon, PoolHandle* pool, Way way,
                      std::function<Status()> write);

}  // namespace potoroo

#endif  // POTOROO_BINDING_SUBMIT_H_
