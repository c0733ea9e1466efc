#include "binding/base/view.h"

#include <utility>

#include "binding/base/addon.h"

namespace potoroo {
namespace {

// Node-API wants one wherever values are made; hooks and finalizers may have none.
class HandleScope {
 public:
  explicit HandleScope(napi_env env) : env_(env) { napi_open_handle_scope(env, &scope_); }
  ~HandleScope() { napi_close_handle_scope(env_, scope_); }
  HandleScope(const HandleScope&) = delete;
  HandleScope& operator=(const HandleScope&) = delete;

 private:
  napi_env env_;
  napi_handle_scope scope_ = nullptr;
};

// No JavaScript runs any more.
bool IsEnding(napi_env env) {
  HandleScope scope(env);
  napi_value value = nullptr;
  bool same = false;
  napi_get_undefined(env, &value);
  return napi_strict_equals(env, value, value, &same) != napi_ok;
}

void ThrowNoView(napi_env env, napi_status status) {
  if (status == napi_pending_exception) return;
  Throw(env,
        status == napi_no_external_buffers_allowed
            ? Status(Code::kInvalid, "This runtime takes no ArrayBuffers over the memory of a pool")
            : Status(Code::kNoMemory, "There is no memory for an ArrayBuffer"));
}

}  // namespace

View::View(napi_env env, Addon* addon, PoolHandle* pool, Bytes key, char* memory, size_t size,
           std::shared_ptr<Snapshot> pin)
    : Dependent(Kind::kView, pool),
      env_(env),
      addon_(addon),
      handle_(pool),
      key_(key),
      memory_(memory),
      size_(size),
      pin_(std::move(pin)) {
  addon_->views.emplace(memory, this);
}

napi_value View::Open(napi_env env, Addon* addon, PoolHandle* pool, Bytes key, char* memory,
                      size_t size, std::shared_ptr<Snapshot> pin) {
  napi_value value = nullptr;
  if (size == 0) {
    void* data = nullptr;
    napi_create_arraybuffer(env, 0, &data, &value);
    return value;
  }
  View* view = new View(env, addon, pool, key, memory, size, std::move(pin));
  napi_status status = napi_create_external_arraybuffer(env, memory, size, Finalize, view, &value);
  if (status != napi_ok) {
    view->collected_ = true;
    delete view;
    ThrowNoView(env, status);
    return nullptr;
  }
  status = napi_create_reference(env, value, 0, &view->reference_);
  if (status != napi_ok) {
    // Finalize deletes it.
    view->Close();
    ThrowNoView(env, status);
    return nullptr;
  }
  return value;
}

// Node.js calls it a while after the last ArrayBuffer that has the memory was collected; and when
// the environment ends, after it has detached the ArrayBuffer, whoever has the memory.
void View::Finalize(napi_env env, void*, void* data) {
  View* view = static_cast<View*>(data);
  view->collected_ = !IsEnding(env);
  if (view->collected_ && view->strays_ != nullptr) view->strays_->Remove();
  delete view;
}

View* View::Find(const Addon& addon, const void* memory, size_t size) {
  const auto range = addon.views.equal_range(memory);
  for (auto found = range.first; found != range.second; ++found) {
    if (size <= found->second->size_) return found->second;
  }
  return nullptr;
}

View* View::Of(const Addon& addon, napi_env env, napi_value array_buffer, const void* memory) {
  const auto range = addon.views.equal_range(memory);
  for (auto found = range.first; found != range.second; ++found) {
    napi_value own = nullptr;
    bool same = false;
    if (found->second->FindPlace(&own) == Place::kInArrayBuffer &&
        napi_strict_equals(env, own, array_buffer, &same) == napi_ok && same) {
      return found->second;
    }
  }
  return nullptr;
}

View::Place View::FindPlace(napi_value* array_buffer) const {
  bool detached = false;
  if (reference_ == nullptr ||
      napi_get_reference_value(env_, reference_, array_buffer) != napi_ok ||
      *array_buffer == nullptr) {
    return Place::kUnknown;
  }
  napi_is_detached_arraybuffer(env_, *array_buffer, &detached);
  return detached ? Place::kMoved : Place::kInArrayBuffer;
}

bool View::AnyIsMoved(const Addon& addon, const PoolHandle* pool) {
  for (const auto& [memory, view] : addon.views) {
    HandleScope scope(view->env_);
    napi_value array_buffer = nullptr;
    if (view->pool() == pool && view->FindPlace(&array_buffer) == Place::kMoved) return true;
  }
  return false;
}

bool View::Detach() {
  HandleScope scope(env_);
  napi_value array_buffer = nullptr;
  if (FindPlace(&array_buffer) != Place::kInArrayBuffer) return false;
  if (addon_->detach == nullptr) return napi_detach_arraybuffer(env_, array_buffer) == napi_ok;
  napi_value detach = nullptr;
  napi_value receiver = nullptr;
  napi_value error = nullptr;
  napi_get_undefined(env_, &receiver);
  if (napi_get_reference_value(env_, addon_->detach, &detach) == napi_ok &&
      napi_call_function(env_, receiver, detach, 1, &array_buffer, nullptr) == napi_ok) {
    return true;
  }
  napi_get_and_clear_last_exception(env_, &error);
  return false;
}

void View::Release() {
  if (released_) return;
  released_ = true;
  const auto range = addon_->views.equal_range(memory_);
  for (auto found = range.first; found != range.second; ++found) {
    if (found->second != this) continue;
    addon_->views.erase(found);
    break;
  }
  if (!collected_ && !Detach()) {
    strays_ = handle_->pool()->strays();
    strays_->Add(memory_, size_);
  }
  if (reference_ != nullptr) napi_delete_reference(env_, reference_);
  reference_ = nullptr;
  pin_.reset();
}

}  // namespace potoroo
