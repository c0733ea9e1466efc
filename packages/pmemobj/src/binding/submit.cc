#include "binding/submit.h"

#include <memory>
#include <utility>
#include <vector>

#include "binding/mailbox.h"

namespace potoroo {
namespace {

size_t SizeOf(const Operation* operations, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; i++) size += operations[i].key.size() + operations[i].value.size();
  return size;
}

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

napi_value Queue(napi_env env, Addon* addon, PoolHandle* pool, std::function<Status()> write) {
  std::shared_ptr<Mailbox> mailbox = Mailbox::Of(env, addon);
  napi_deferred deferred = nullptr;
  napi_value promise = mailbox == nullptr ? nullptr : mailbox->NewPromise(env, &deferred);
  if (promise == nullptr) return nullptr;
  const auto finish = [mailbox, deferred](const Status& status) {
    mailbox->Post(deferred, status);
  };
  if (!pool->pool()->queue()->Add({pool, std::move(write), finish})) {
    finish(Status(Code::kIo, "The operating system gives no thread to write on"));
  }
  return promise;
}

}  // namespace

napi_value Finish(napi_env env, const Status& status) {
  if (!status.ok()) Throw(env, status);
  return nullptr;
}

napi_value Submit(napi_env env, Addon* addon, PoolHandle* pool, Way way,
                  const Operation* operations, size_t count) {
  SharedPool* shared = pool->pool();
  const bool small = SizeOf(operations, count) <= kSmall;
  const bool waits = way == Way::kNoDelay && shared->waits_for_disk();
  Status status;
  if (small && !waits && shared->WriteAtOnce(operations, count, &status)) {
    return Finish(env, status);
  }
  if (way == Way::kNow) {
    shared->queue()->Finish(pool);
    return Finish(env, shared->WriteAlone(operations, count));
  }
  std::shared_ptr<Held> held = Hold(&addon->arena, operations, count);
  if (held == nullptr) {
    return Finish(env, Status(Code::kIo, "There is no memory for a copy of the operations"));
  }
  return Queue(env, addon, pool, [shared, held] {
    return shared->WriteAlone(held->operations.data(), held->operations.size());
  });
}

napi_value SubmitLong(napi_env env, Addon* addon, PoolHandle* pool, Way way,
                      std::function<Status()> write) {
  if (way == Way::kNoDelay) return Queue(env, addon, pool, std::move(write));
  pool->pool()->queue()->Finish(pool);
  return Finish(env, write());
}

}  // namespace potoroo
