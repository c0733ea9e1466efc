// Work that reads all of a pool's files, on a thread of libuv's pool, and ends in a report.
#ifndef POTOROO_BINDING_REPORT_WORKER_H_
#define POTOROO_BINDING_REPORT_WORKER_H_

#include <napi.h>

#include <functional>
#include <utility>
#include <vector>

#include "binding/base/addon.h"

namespace potoroo {

inline Napi::Value ToNumber(Napi::Env env, uint64_t number) {
  return Napi::Number::New(env, static_cast<double>(number));
}

template <typename T>
using ToValueOf = Napi::Value (*)(Napi::Env env, const T& item);

template <typename T>
Napi::Value ToArray(Napi::Env env, const std::vector<T>& items, ToValueOf<T> to_value) {
  Napi::Array array = Napi::Array::New(env, items.size());
  for (size_t i = 0; i < items.size(); i++) {
    Napi::HandleScope scope(env);
    array.Set(static_cast<uint32_t>(i), to_value(env, items[i]));
  }
  return array;
}

template <typename Report>
class ReportWorker : public Napi::AsyncWorker {
 public:
  using Work = std::function<Status(Report*)>;

  // A promise of the report.
  static napi_value Start(napi_env env, const char* name, Work work, ToValueOf<Report> to_value) {
    // Deletes itself when it is done.
    auto* worker = new ReportWorker(env, name, std::move(work), to_value);
    Napi::Promise promise = worker->deferred_.Promise();
    worker->Queue();
    return promise;
  }

  void Execute() override { status_ = work_(&report_); }

  void OnOK() override {
    if (status_.ok()) {
      deferred_.Resolve(to_value_(Env(), report_));
    } else {
      deferred_.Reject(ErrorOf(Env(), status_));
    }
  }

 private:
  ReportWorker(Napi::Env env, const char* name, Work work, ToValueOf<Report> to_value)
      : Napi::AsyncWorker(env, name),
        deferred_(Napi::Promise::Deferred::New(env)),
        work_(std::move(work)),
        to_value_(to_value) {}

  Napi::Promise::Deferred deferred_;
  Work work_;
  ToValueOf<Report> to_value_;
  Report report_;
  Status status_;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_REPORT_WORKER_H_
