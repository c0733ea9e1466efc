// Salvage of a pool.
#include "engine/salvage/salvage.h"

#include <mutex>

#include "binding/base/report_worker.h"

namespace potoroo {
namespace {

Napi::Value ToValue(Napi::Env env, const std::string& note) { return Napi::String::New(env, note); }

// Keys are bytes.
Napi::Value Key(Napi::Env env, const std::string& key) {
  return Napi::Buffer<char>::Copy(env, key.data(), key.size());
}

Napi::Value ToValue(Napi::Env env, const SalvageLoss& loss) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("kind", loss.kind);
  result.Set("offset", ToNumber(env, loss.offset));
  result.Set("from", Key(env, loss.from));
  // A loss up to the map's end has no `to`.
  if (loss.kind == "page" && !loss.open) result.Set("to", Key(env, loss.to));
  return result;
}

Napi::Value ToValue(Napi::Env env, const SalvageMap& map) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("name", map.name);
  result.Set("entries", ToNumber(env, map.entries));
  result.Set("bytes", ToNumber(env, map.bytes));
  result.Set("doubtful", ToNumber(env, map.doubtful));
  result.Set("losses", ToArray<SalvageLoss>(env, map.losses, ToValue));
  result.Set("lossCount", ToNumber(env, map.loss_count));
  return result;
}

Napi::Value ToValue(Napi::Env env, const SalvageReport& report) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("lost", report.lost);
  result.Set("epoch", ToNumber(env, report.epoch));
  result.Set("logRecords", ToNumber(env, report.log_records));
  result.Set("logOperations", ToNumber(env, report.log_operations));
  result.Set("notes", ToArray<std::string>(env, report.notes, ToValue));
  result.Set("maps", ToArray<SalvageMap>(env, report.maps, ToValue));
  return result;
}

// salvage(from, to, size, maxSize, key) → promise of a report
napi_value StartSalvage(napi_env env, napi_callback_info info) {
  Call<5> call(env, info);
  ArenaScope scope(&call.addon->arena);
  std::string from, to;
  PoolOptions options;
  Bytes key;
  bool missing = true;
  if (!ToPath(env, &call.addon->arena, call[0], &from) ||
      !ToPath(env, &call.addon->arena, call[1], &to) || !ToSize(env, call[2], &options.size) ||
      !ToSize(env, call[3], &options.max_size) ||
      !call.addon->arena.ReadOptional(env, call[4], "key", &key, &missing)) {
    return nullptr;
  }
  if (!missing) options.key = key;
  // A pool that a crash cut short is made again in any case.
  options.durability = Durability::kRelaxed;
  const auto work = [from = std::move(from), to = std::move(to), options](SalvageReport* report) {
    // One at a time, so that no two make the same pool.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    return Salvage(from, to, options, report);
  };
  return ReportWorker<SalvageReport>::Start(env, "pmemobj.salvage", work, ToValue);
}

}  // namespace

void InitSalvage(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<StartSalvage>(env, exports, "salvage", addon);
}

}  // namespace potoroo
