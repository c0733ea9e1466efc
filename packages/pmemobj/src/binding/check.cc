// The check of a pool, on a thread of libuv's pool: it reads all of the files.
#include "binding/addon.h"
#include "engine/checker.h"

namespace potoroo {
namespace {

Napi::Value Number(Napi::Env env, uint64_t number) {
  return Napi::Number::New(env, static_cast<double>(number));
}

Napi::Value ToValue(Napi::Env env, const CheckMap& map) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("name", map.name);
  result.Set("entries", Number(env, map.entries));
  result.Set("keyBytes", Number(env, map.key_bytes));
  result.Set("valueBytes", Number(env, map.value_bytes));
  result.Set("pages", Number(env, map.pages));
  result.Set("depth", Number(env, map.depth));
  result.Set("blobs", Number(env, map.blobs));
  result.Set("blobBytes", Number(env, map.blob_bytes));
  result.Set("buffers", Number(env, map.buffers));
  return result;
}

Napi::Value ToValue(Napi::Env env, const CheckProblem& problem) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("kind", problem.kind);
  result.Set("offset", Number(env, problem.offset));
  result.Set("message", problem.message);
  return result;
}

template <typename T>
Napi::Value ToArray(Napi::Env env, const std::vector<T>& items) {
  Napi::Array array = Napi::Array::New(env, items.size());
  for (size_t i = 0; i < items.size(); i++) {
    Napi::HandleScope scope(env);
    array.Set(static_cast<uint32_t>(i), ToValue(env, items[i]));
  }
  return array;
}

Napi::Value ToValue(Napi::Env env, const CheckReport& report) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("sound", report.sound());
  result.Set("size", Number(env, report.size));
  result.Set("maxSize", Number(env, report.max_size));
  result.Set("layoutVersion", Number(env, report.layout_version));
  result.Set("epoch", Number(env, report.epoch));
  result.Set("pages", Number(env, report.pages));
  result.Set("blobs", Number(env, report.blobs));
  result.Set("logRecords", Number(env, report.log_records));
  result.Set("logOperations", Number(env, report.log_operations));
  result.Set("logBytes", Number(env, report.log_bytes));
  result.Set("undoRanges", Number(env, report.undo_ranges));
  result.Set("undoBytes", Number(env, report.undo_bytes));
  result.Set("used", Number(env, report.used));
  result.Set("free", Number(env, report.free));
  result.Set("leaked", Number(env, report.leaked));
  result.Set("maps", ToArray(env, report.maps));
  result.Set("problems", ToArray(env, report.problems));
  result.Set("problemCount", Number(env, report.problem_count));
  return result;
}

class CheckWorker : public Napi::AsyncWorker {
 public:
  CheckWorker(Napi::Env env, std::string path)
      : Napi::AsyncWorker(env, "pmemobj.check"),
        deferred_(Napi::Promise::Deferred::New(env)),
        path_(std::move(path)) {}
  Napi::Promise promise() const { return deferred_.Promise(); }

  void Execute() override { status_ = Check(path_, &report_); }

  void OnOK() override {
    if (status_.ok()) {
      deferred_.Resolve(ToValue(Env(), report_));
    } else {
      deferred_.Reject(ErrorOf(Env(), status_));
    }
  }

 private:
  Napi::Promise::Deferred deferred_;
  std::string path_;
  CheckReport report_;
  Status status_;
};

// check(path) → promise of a report
Napi::Value StartCheck(const Napi::CallbackInfo& info) {
  // Deletes itself when it is done.
  auto* worker = new CheckWorker(info.Env(), info[0].ToString().Utf8Value());
  Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

}  // namespace

void InitCheck(Napi::Env env, Napi::Object exports) {
  exports.Set("check", Napi::Function::New(env, StartCheck, "check"));
}

}  // namespace potoroo
