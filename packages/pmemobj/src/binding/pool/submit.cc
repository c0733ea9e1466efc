#include "binding/pool/submit.h"

#include <memory>
#include <utility>
#include <vector>

#include "binding/base/mailbox.h"

namespace potoroo {
namespace {

// Operations with their bytes.
struct Held {
  Arena arena;
  std::vector<Operation> operations;
};

// Null where there is no memory.
std::shared_ptr<Held> Hold(Arena* arena, const Operation* operations, size_t count) {
  auto held = std::make_shared<Held>();
  held->operations.assign(operations, operations + count);
  for (Operation& operation : held->operations) {
    if (!arena->Keep(&operation.key) || !arena->Keep(&operation.value)) return nullptr;
  }
  held->arena = std::move(*arena);
  return held;
}

// A promise, of what `add` tells its argument later. `add` gives false where there is no thread.
napi_value Promise(napi_env env, Addon* addon, const std::function<bool(WriteQueue::Finish)>& add) {
  std::shared_ptr<Mailbox> mailbox = Mailbox::Of(env, addon);
  napi_deferred deferred = nullptr;
  napi_value promise = mailbox == nullptr ? nullptr : mailbox->NewPromise(env, &deferred);
  if (promise == nullptr) return nullptr;
  const Status added = Guarded([&] {
    if (add([mailbox, deferred](const Status& status) { mailbox->Post(deferred, status); })) {
      return Status();
    }
    return Status(Code::kIo, "The operating system gives no thread to write on");
  });
  if (!added.ok()) mailbox->Post(deferred, added);
  return promise;
}

napi_value Queue(napi_env env, Addon* addon, PoolHandle* pool, std::function<Status()> write) {
  return Promise(env, addon, [&](WriteQueue::Finish finish) {
    return pool->pool()->queue()->Add({pool, std::move(write), std::move(finish)});
  });
}

napi_value QueueSync(napi_env env, Addon* addon, PoolHandle* pool, uint64_t commit) {
  return Promise(env, addon, [&](WriteQueue::Finish finish) {
    return pool->pool()->queue()->AddSync(pool, commit, std::move(finish));
  });
}

}  // namespace

napi_value Finish(napi_env env, const Status& status) {
  if (!status.ok()) Throw(env, status);
  return nullptr;
}

napi_value FinishAtOnce(napi_env env, Addon* addon, PoolHandle* pool, Way way, uint64_t commit) {
  Pool* engine = pool->pool()->get();
  if (engine->IsDurable(commit)) return nullptr;
  if (way == Way::kNow) return Finish(env, pool->pool()->Sync(commit));
  return QueueSync(env, addon, pool, commit);
}

napi_value Flush(napi_env env, Addon* addon, PoolHandle* pool, Way way) {
  SharedPool* shared = pool->pool();
  if (way == Way::kNow) {
    shared->queue()->WaitFor(pool);
    return Finish(env, shared->Flush());
  }
  if (shared->queue()->idle()) return QueueSync(env, addon, pool, WriteQueue::kAll);
  // After what is queued.
  return Queue(env, addon, pool, [shared] { return shared->Flush(); });
}

napi_value Submit(napi_env env, Addon* addon, PoolHandle* pool, Way way,
                  const Operation* operations, size_t count) {
  SharedPool* shared = pool->pool();
  Status status;
  uint64_t commit = 0;
  if (shared->IsSmall(operations, count) &&
      shared->WriteAtOnce(operations, count, &commit, &status)) {
    return status.ok() ? FinishAtOnce(env, addon, pool, way, commit) : Finish(env, status);
  }
  if (way == Way::kNow) {
    shared->queue()->WaitFor(pool);
    return Finish(env, shared->WriteAlone(operations, count));
  }
  std::shared_ptr<Held> held = Hold(&addon->arena, operations, count);
  if (held == nullptr) {
    return Finish(env, Status(Code::kNoMemory, "There is no memory for a copy of the operations"));
  }
  return Queue(env, addon, pool, [shared, held] {
    return shared->WriteAlone(held->operations.data(), held->operations.size());
  });
}

napi_value SubmitLong(napi_env env, Addon* addon, PoolHandle* pool, Way way,
                      std::function<Status()> write) {
  if (way == Way::kNoDelay) return Queue(env, addon, pool, std::move(write));
  pool->pool()->queue()->WaitFor(pool);
  return Finish(env, write());
}

}  // namespace potoroo
