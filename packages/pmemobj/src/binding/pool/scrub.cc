// A step of a scrub, on a thread of libuv's pool: it waits for the disk, and no writer for it.
#include "binding/base/report_worker.h"
#include "binding/pool/handles.h"

namespace potoroo {
namespace {

// Names and keys are bytes.
Napi::Value Text(Napi::Env env, const std::string& bytes) {
  return Napi::Buffer<char>::Copy(env, bytes.data(), bytes.size());
}

Napi::Value ToValue(Napi::Env env, const ScrubFault& fault) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("kind", fault.kind);
  result.Set("offset", ToNumber(env, fault.offset));
  result.Set("map", Text(env, fault.map));
  result.Set("key", Text(env, fault.key));
  return result;
}

Napi::Value ToValue(Napi::Env env, const ScrubStep& step) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("map", Text(env, step.map));
  result.Set("key", Text(env, step.key));
  result.Set("done", step.done);
  result.Set("bytes", ToNumber(env, step.bytes));
  result.Set("pages", ToNumber(env, step.pages));
  result.Set("values", ToNumber(env, step.values));
  result.Set("faults", ToArray<ScrubFault>(env, step.faults, ToValue));
  return result;
}

bool ToString(napi_env env, napi_value value, std::string* bytes) {
  void* data = nullptr;
  size_t size = 0;
  bool is_buffer = false;
  napi_is_buffer(env, value, &is_buffer);
  if (!is_buffer || napi_get_buffer_info(env, value, &data, &size) != napi_ok) {
    ThrowType(env, "The place of a scrub must be two Buffers");
    return false;
  }
  bytes->assign(static_cast<const char*>(data), size);
  return true;
}

// scrubAsync(pool, map, key, bytes) → promise of a step
napi_value Scrub(napi_env env, napi_callback_info info) {
  Call<4> call(env, info);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  if (pool == nullptr) return nullptr;
  ScrubStep step;
  uint64_t bytes = 0;
  if (!ToString(env, call[1], &step.map) || !ToString(env, call[2], &step.key) ||
      !ToSize(env, call[3], &bytes)) {
    return nullptr;
  }
  auto work = [shared = pool->pool(), gate = pool->gate(), bytes,
               from = std::move(step)](ScrubStep* result) mutable {
    if (!gate->Enter()) return Status(Code::kInvalid, "The pool is closed");
    result->map.swap(from.map);
    result->key.swap(from.key);
    Status status = shared->get()->Scrub(bytes, result);
    gate->Leave();
    return status;
  };
  return ReportWorker<ScrubStep>::Start(env, "pmemobj.scrub", std::move(work), ToValue);
}

}  // namespace

void InitScrub(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<Scrub>(env, exports, "scrubAsync", addon);
}

}  // namespace potoroo
