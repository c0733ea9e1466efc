#include "binding/pool/handles.h"

#include "binding/base/addon.h"

namespace potoroo {

namespace {

// An External points to this.
struct Holder {
  std::unique_ptr<Handle> handle;
};

Holder* HolderOf(napi_env env, napi_value value) {
  void* data = nullptr;
  const bool found = napi_get_value_external(env, value, &data) == napi_ok;
  return found ? static_cast<Holder*>(data) : nullptr;
}

}  // namespace

napi_value Handle::Wrap(napi_env env, std::unique_ptr<Handle> handle, napi_value spare) {
  if (spare != nullptr && !IsUndefined(env, spare)) {
    if (Unwrap(env, spare, handle->kind()) == nullptr) return nullptr;
    HolderOf(env, spare)->handle = std::move(handle);
    return spare;
  }
  napi_value value = nullptr;
  auto holder = std::make_unique<Holder>(Holder{std::move(handle)});
  const auto finalize = [](napi_env, void* data, void*) { delete static_cast<Holder*>(data); };
  if (napi_create_external(env, holder.get(), finalize, nullptr, &value) != napi_ok) return nullptr;
  holder.release();
  return value;
}

Handle* Handle::Unwrap(napi_env env, napi_value value, Kind kind) {
  const Holder* holder = HolderOf(env, value);
  if (holder != nullptr && holder->handle->kind() == kind) return holder->handle.get();
  ThrowType(env, "Expected a handle of another kind");
  return nullptr;
}

Dependent::Dependent(Kind kind, PoolHandle* pool) : Handle(kind), pool_(pool) {
  next_ = pool->dependents_;
  if (next_ != nullptr) next_->previous_ = this;
  pool->dependents_ = this;
}

void Dependent::Unlink() {
  if (pool_ == nullptr) return;
  if (previous_ != nullptr) {
    previous_->next_ = next_;
  } else {
    pool_->dependents_ = next_;
  }
  if (next_ != nullptr) next_->previous_ = previous_;
  previous_ = next_ = nullptr;
  pool_ = nullptr;
}

void Dependent::Close() {
  Unlink();
  Release();
}

PoolHandle::PoolHandle(napi_env env, SharedPool* pool, const void* this_thread)
    : Handle(Kind::kPool),
      env_(env),
      pool_(pool),
      this_thread_(this_thread),
      latest_(std::make_unique<Latest>(pool->latest())) {
  // A thread or process that ends without closing must not leave the pool locked.
  napi_add_env_cleanup_hook(env_, CloseAtExit, this);
}

void PoolHandle::CloseAtExit(void* data) {
  PoolHandle* handle = static_cast<PoolHandle*>(data);
  // Work that has not begun has no caller left.
  if (handle->open()) handle->pool_->queue()->Abandon(handle);
  (void)handle->Close();
}

Status PoolHandle::Close() {
  if (pool_ == nullptr) return Status();
  napi_remove_env_cleanup_hook(env_, CloseAtExit, this);
  gate_->Close();
  pool_->queue()->WaitFor(this);
  while (dependents_ != nullptr) dependents_->Close();
  latest_->Leave();
  WatchObjects(false);
  SharedPool* pool = pool_;
  pool_ = nullptr;
  return pool->Leave(this_thread_);
}

PoolHandle* PoolHandle::Unwrap(napi_env env, napi_value value) {
  PoolHandle* pool = static_cast<PoolHandle*>(Handle::Unwrap(env, value, Kind::kPool));
  if (pool == nullptr || pool->open()) return pool;
  ThrowClosed(env, "pool");
  return nullptr;
}

bool MapCall::Read(napi_env env, napi_value pool_value, napi_value map_value) {
  pool = PoolHandle::Unwrap(env, pool_value);
  return pool != nullptr && ToUint32(env, map_value, &map);
}

const std::shared_ptr<Snapshot>* SnapshotHandle::Unwrap(napi_env env, PoolHandle* pool,
                                                        napi_value value) {
  SnapshotHandle* handle =
      static_cast<SnapshotHandle*>(Handle::Unwrap(env, value, Kind::kSnapshot));
  if (handle == nullptr) return nullptr;
  if (handle->pool() == nullptr) {
    ThrowClosed(env, "snapshot");
    return nullptr;
  }
  if (handle->pool() != pool) {
    Throw(env, Status(Code::kInvalid, "The snapshot is one of another pool"));
    return nullptr;
  }
  return &handle->snapshot();
}

const std::shared_ptr<Snapshot>* ReadSnapshot::Choose(napi_env env, PoolHandle* pool,
                                                      napi_value value) {
  if (!IsUndefined(env, value)) return SnapshotHandle::Unwrap(env, pool, value);
  Status status;
  const std::shared_ptr<Snapshot>* latest =
      latest_.Begin(pool->pool()->get(), pool->latest(), &status);
  if (latest == nullptr) Throw(env, status);
  return latest;
}

}  // namespace potoroo
