#include "binding/base/mailbox.h"

#include <new>

#include "binding/base/addon.h"

namespace potoroo {

std::shared_ptr<Mailbox> Mailbox::Of(napi_env env, Addon* addon) {
  if (addon->mailbox != nullptr) return addon->mailbox;
  std::shared_ptr<Mailbox> mailbox(new Mailbox);
  napi_value name = nullptr;
  if (napi_create_string_utf8(env, "pmemobj", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr,
                                      mailbox.get(), Deliver, &mailbox->wake_) != napi_ok) {
    Throw(env, Status(Code::kIo, "Node.js gives no way to settle a promise later"));
    return nullptr;
  }
  napi_unref_threadsafe_function(env, mailbox->wake_);
  // Hooks run in reverse: this one before that of the function, which no thread may call then.
  napi_add_env_cleanup_hook(env, Close, mailbox.get());
  addon->mailbox = mailbox;
  return mailbox;
}

void Mailbox::Close(void* data) {
  Mailbox* mailbox = static_cast<Mailbox*>(data);
  std::lock_guard<std::mutex> lock(mailbox->mutex_);
  mailbox->closed_ = true;
  mailbox->letters_.clear();
}

napi_value Mailbox::NewPromise(napi_env env, napi_deferred* deferred) {
  Letters blank(1);
  napi_value promise = nullptr;
  if (napi_create_promise(env, deferred, &promise) != napi_ok) {
    Throw(env, Status(Code::kIo, "Node.js gives no promise"));
    return nullptr;
  }
  if (promised_++ == 0) napi_ref_threadsafe_function(env, wake_);
  std::lock_guard<std::mutex> lock(mutex_);
  blank_.splice(blank_.end(), blank);
  return promise;
}

void Mailbox::Post(napi_deferred deferred, const Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return;
  Letter& letter = blank_.front();
  letter.deferred = deferred;
  try {
    letter.status = status;
  } catch (const std::bad_alloc&) {
    // There was none for the words.
    letter.status = Status(status.code(), "failed");
  }
  letters_.splice(letters_.end(), blank_, blank_.begin());
  // One call delivers all that has come.
  if (letters_.size() == 1) napi_call_threadsafe_function(wake_, nullptr, napi_tsfn_nonblocking);
}

void Mailbox::Deliver(napi_env env, napi_value, void* data, void*) {
  if (env == nullptr) return;
  Mailbox* mailbox = static_cast<Mailbox*>(data);
  Letters letters;
  {
    std::lock_guard<std::mutex> lock(mailbox->mutex_);
    letters.swap(mailbox->letters_);
  }
  mailbox->promised_ -= letters.size();
  if (mailbox->promised_ == 0) napi_unref_threadsafe_function(env, mailbox->wake_);
  for (const Letter& letter : letters) {
    napi_handle_scope scope;
    napi_open_handle_scope(env, &scope);
    napi_value value = nullptr;
    if (letter.status.ok()) {
      napi_get_undefined(env, &value);
      napi_resolve_deferred(env, letter.deferred, value);
    } else if ((value = ErrorOf(env, letter.status)) != nullptr) {
      napi_reject_deferred(env, letter.deferred, value);
    }
    napi_close_handle_scope(env, scope);
  }
}

}  // namespace potoroo
