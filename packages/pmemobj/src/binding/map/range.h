// A range of keys, and walking it.
#ifndef POTOROO_BINDING_RANGE_H_
#define POTOROO_BINDING_RANGE_H_

#include <node_api.h>

#include <memory>
#include <string>

#include "binding/base/bytes.h"
#include "engine/engine.h"

namespace potoroo {

// Bits of the options of iterators and of clear(), as lib/ gives them.
enum Flags : uint32_t {
  kReverse = 1,
  kKeys = 2,
  kValues = 4,
  kKeyPieces = 8,  // keys as bytes, not strings
  kValuePieces = 16,
  kOpenBelow = 32,  // the lower bound itself is out of the range (gt)
  kOpenAbove = 64,  // the upper bound itself is out of the range (lt)
};

struct Bound {
  bool present = false;
  bool open = false;
  std::string key;
};

class Range {
 public:
  // False with an exception pending.
  bool Read(napi_env env, Arena* arena, uint32_t flags, napi_value lower, napi_value upper);

  const Bound& lower() const { return lower_; }
  const Bound& upper() const { return upper_; }
  bool reverse() const { return reverse_; }
  bool Contains(Bytes key) const { return Above(key) && Below(key); }

  // Puts the cursor on the first entry in the range's direction; it may lie outside.
  void SeekStart(Cursor* cursor) const;
  void Seek(Cursor* cursor, Bytes key) const {
    reverse_ ? cursor->SeekAtMost(key) : cursor->SeekAtLeast(key);
  }
  void Step(Cursor* cursor) const { reverse_ ? cursor->Prev() : cursor->Next(); }
  // Whether the cursor, which came from the start, is still in the range.
  bool Holds(const Cursor& cursor) const {
    return cursor.Valid() && (reverse_ ? Above(cursor.key()) : Below(cursor.key()));
  }

 private:
  bool Above(Bytes key) const {
    if (!lower_.present) return true;
    const int order = key.compare(lower_.key);
    return lower_.open ? order > 0 : order >= 0;
  }
  bool Below(Bytes key) const {
    if (!upper_.present) return true;
    const int order = key.compare(upper_.key);
    return upper_.open ? order < 0 : order <= 0;
  }

  Bound lower_;
  Bound upper_;
  bool reverse_ = false;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_RANGE_H_
