#include "binding/map/range.h"

#include "binding/base/addon.h"

namespace potoroo {
namespace {

bool ReadBound(napi_env env, Arena* arena, napi_value value, Bound* bound) {
  if (IsUndefined(env, value)) return true;
  Bytes key;
  if (!arena->Read(env, value, "bound of a range", &key)) return false;
  bound->present = true;
  bound->key.assign(key.data(), key.size());
  return true;
}

}  // namespace

bool Range::Read(napi_env env, Arena* arena, uint32_t flags, napi_value lower, napi_value upper) {
  reverse_ = (flags & kReverse) != 0;
  lower_.open = (flags & kOpenBelow) != 0;
  upper_.open = (flags & kOpenAbove) != 0;
  return ReadBound(env, arena, lower, &lower_) && ReadBound(env, arena, upper, &upper_);
}

void Range::SeekStart(Cursor* cursor) const {
  const Bound& start = reverse_ ? upper_ : lower_;
  if (!start.present) {
    reverse_ ? cursor->SeekLast() : cursor->SeekFirst();
    return;
  }
  Seek(cursor, start.key);
  if (start.open && cursor->Valid() && cursor->key() == start.key) Step(cursor);
}

}  // namespace potoroo
