// Promises of an environment that other threads settle.
#ifndef POTOROO_BINDING_MAILBOX_H_
#define POTOROO_BINDING_MAILBOX_H_

#include <node_api.h>

#include <list>
#include <memory>
#include <mutex>

#include "engine/engine.h"

namespace potoroo {

struct Addon;

class Mailbox {
 public:
  // The environment's own; null with an exception pending.
  static std::shared_ptr<Mailbox> Of(napi_env env, Addon* addon);

  // A promise that keeps the environment going until it is settled; null with an exception pending.
  napi_value NewPromise(napi_env env, napi_deferred* deferred);
  // Settles it, from any thread. Nothing happens where the environment has ended.
  void Post(napi_deferred deferred, const Status& status);

 private:
  struct Letter {
    napi_deferred deferred;
    Status status;
  };
  using Letters = std::list<Letter>;
  Mailbox() = default;
  static void Deliver(napi_env env, napi_value, void* mailbox, void*);
  static void Close(void* mailbox);

  size_t promised_ = 0;  // on the environment's thread
  napi_threadsafe_function wake_ = nullptr;
  std::mutex mutex_;
  bool closed_ = false;
  // One letter for each promise, made with it, so that settling it takes no memory.
  Letters blank_, letters_;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_MAILBOX_H_
