// Clearing a range of a map.
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "binding/base/addon.h"
#include "binding/map/range.h"
#include "binding/pool/handles.h"
#include "binding/pool/submit.h"

namespace potoroo {
namespace {

// Ranges of more entries may take long.
constexpr int64_t kShort = 100;

// The least possible key from `bound` on, or after it. False where there is none: keys have
// kMaxKeySize bytes at most, and bounds may have more.
bool LeastKey(std::string bound, bool after, std::string* key) {
  if (after) bound.push_back('\0');
  if (bound.size() > kMaxKeySize) {
    // All keys that begin with these bytes come before the bound.
    bound.resize(kMaxKeySize);
    while (!bound.empty() && bound.back() == '\xff') bound.pop_back();
    if (bound.empty()) return false;
    bound.back()++;
  }
  *key = std::move(bound);
  return true;
}

struct Clearing {
  // Writes what deletes the range, with SharedPool::WriteAlone or another.
  template <typename Write>
  Status Run(Write write) const {
    return IsWhole() ? Whole(write) : Some(write);
  }

  // Whether to run it is a matter of microseconds: a range as a whole, or kShort entries at most.
  Status IsShort(bool* is_short) const;

  SharedPool* pool;
  uint32_t map;
  Range range;
  int64_t limit;                       // -1: none
  std::shared_ptr<Snapshot> snapshot;  // whose keys go; null: those of the latest commit

 private:
  bool IsWhole() const { return limit < 0 && snapshot == nullptr; }
  // The range as one operation of the engine.
  template <typename Write>
  Status Whole(Write write) const;
  // Key by key.
  template <typename Write>
  Status Some(Write write) const;
  // Calls for each of the first `most` keys of the range.
  template <typename Visit>
  Status Walk(int64_t most, Visit visit) const;
};

template <typename Visit>
Status Clearing::Walk(int64_t most, Visit visit) const {
  std::shared_ptr<Snapshot> from = snapshot;
  if (from == nullptr) {
    Status status = pool->get()->Take(&from);
    if (!status.ok()) return status;
  }
  const std::unique_ptr<Cursor> cursor = from->NewCursor(map);
  if (cursor == nullptr) return NoMemory();
  range.SeekStart(cursor.get());
  for (; most > 0 && range.Holds(*cursor); most--) {
    visit(cursor->key());
    range.Step(cursor.get());
  }
  return cursor->status();
}

Status Clearing::IsShort(bool* is_short) const {
  *is_short = IsWhole();
  if (*is_short) return Status();
  int64_t count = 0;
  const int64_t most = limit < 0 || limit > kShort ? kShort + 1 : limit;
  Status status = Walk(most, [&](Bytes) { count++; });
  *is_short = count <= kShort;
  return status;
}

template <typename Write>
Status Clearing::Whole(Write write) const {
  std::string first;
  std::string end;
  const Bound& lower = range.lower();
  const Bound& upper = range.upper();
  if (lower.present && !LeastKey(lower.key, lower.open, &first)) return Status();
  const bool ends = upper.present && LeastKey(upper.key, !upper.open, &end);
  if (ends && first >= end) return Status();
  const Operation operation{Operation::Kind::kDeleteRange, map, first, end};
  return write(&operation, 1);
}

template <typename Write>
Status Clearing::Some(Write write) const {
  std::list<std::string> keys;
  Status status = Walk(limit < 0 ? INT64_MAX : limit, [&](Bytes key) { keys.emplace_back(key); });
  if (!status.ok() || keys.empty()) return status;
  std::vector<Operation> operations;
  operations.reserve(keys.size());
  for (const std::string& key : keys)
    operations.push_back({Operation::Kind::kDelete, map, key, {}});
  return write(operations.data(), operations.size());
}

// clear(pool, map, flags, lower, upper, limit, snapshot)
template <Way way>
napi_value Clear(napi_env env, napi_callback_info info) {
  Call<7> call(env, info);
  ArenaScope scope(&call.addon->arena);
  MapCall target;
  uint32_t flags = 0;
  int64_t limit = -1;
  Range range;
  if (!target.Read(env, call[0], call[1]) || !ToUint32(env, call[2], &flags) ||
      !range.Read(env, &call.addon->arena, flags, call[3], call[4]) ||
      !ToInt64(env, call[5], &limit)) {
    return nullptr;
  }
  SharedPool* pool = target.pool->pool();
  Clearing clearing{pool, target.map, std::move(range), limit, nullptr};
  if (!IsUndefined(env, call[6])) {
    const std::shared_ptr<Snapshot>* snapshot = SnapshotHandle::Unwrap(env, target.pool, call[6]);
    if (snapshot == nullptr) return nullptr;
    clearing.snapshot = *snapshot;
  }
  bool is_short = false;
  Status status = clearing.IsShort(&is_short);
  if (!status.ok()) return Finish(env, status);
  if (is_short) {
    bool done = true;
    uint64_t commit = 0;
    status = clearing.Run([&](const Operation* operations, size_t count) {
      Status written;
      done = pool->WriteAtOnce(operations, count, &commit, &written);
      return written;
    });
    if (done && !status.ok()) return Finish(env, status);
    if (done) return FinishAtOnce(env, call.addon, target.pool, way, commit);
  }
  return SubmitLong(env, call.addon, target.pool, way, [clearing = std::move(clearing)] {
    return clearing.Run([&](const Operation* operations, size_t count) {
      return clearing.pool->WriteAlone(operations, count);
    });
  });
}

}  // namespace

void InitClear(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<Clear<Way::kNow>>(env, exports, "clear", addon);
  Export<Clear<Way::kNoDelay>>(env, exports, "clearAsync", addon);
}

}  // namespace potoroo
