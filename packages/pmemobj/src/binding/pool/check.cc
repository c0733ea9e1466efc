// The check of a pool.
#include "binding/base/report_worker.h"
#include "engine/check/checker.h"

namespace potoroo {
namespace {

Napi::Value ToValue(Napi::Env env, const CheckMap& map) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("name", map.name);
  result.Set("entries", ToNumber(env, map.entries));
  result.Set("keyBytes", ToNumber(env, map.key_bytes));
  result.Set("valueBytes", ToNumber(env, map.value_bytes));
  result.Set("pages", ToNumber(env, map.pages));
  result.Set("depth", ToNumber(env, map.depth));
  result.Set("blobs", ToNumber(env, map.blobs));
  result.Set("blobBytes", ToNumber(env, map.blob_bytes));
  result.Set("buffers", ToNumber(env, map.buffers));
  return result;
}

Napi::Value ToValue(Napi::Env env, const CheckProblem& problem) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("kind", problem.kind);
  result.Set("offset", ToNumber(env, problem.offset));
  result.Set("message", problem.message);
  return result;
}

Napi::Value ToValue(Napi::Env env, const CheckReport& report) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("sound", report.sound());
  result.Set("size", ToNumber(env, report.size));
  result.Set("maxSize", ToNumber(env, report.max_size));
  result.Set("layoutVersion", ToNumber(env, report.layout_version));
  result.Set("epoch", ToNumber(env, report.epoch));
  result.Set("pages", ToNumber(env, report.pages));
  result.Set("blobs", ToNumber(env, report.blobs));
  result.Set("logRecords", ToNumber(env, report.log_records));
  result.Set("logOperations", ToNumber(env, report.log_operations));
  result.Set("logBytes", ToNumber(env, report.log_bytes));
  result.Set("undoRanges", ToNumber(env, report.undo_ranges));
  result.Set("undoBytes", ToNumber(env, report.undo_bytes));
  result.Set("used", ToNumber(env, report.used));
  result.Set("free", ToNumber(env, report.free));
  result.Set("leaked", ToNumber(env, report.leaked));
  result.Set("maps", ToArray<CheckMap>(env, report.maps, ToValue));
  result.Set("problems", ToArray<CheckProblem>(env, report.problems, ToValue));
  result.Set("problemCount", ToNumber(env, report.problem_count));
  result.Set("notes", ToArray<CheckProblem>(env, report.notes, ToValue));
  return result;
}

// check(path, key) → promise of a report
napi_value StartCheck(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  std::string path;
  Bytes key;
  bool missing = true;
  if (!ToPath(env, &call.addon->arena, call[0], &path) ||
      !call.addon->arena.ReadOptional(env, call[1], "key", &key, &missing)) {
    return nullptr;
  }
  const auto work = [path = std::move(path), key = std::string(key)](CheckReport* report) {
    return Check(path, report, key);
  };
  return ReportWorker<CheckReport>::Start(env, "pmemobj.check", work, ToValue);
}

}  // namespace

void InitCheck(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<StartCheck>(env, exports, "check", addon);
}

}  // namespace potoroo
