// Iterators: a range of a map in a snapshot, a page at a time.
#include "binding/base/addon.h"
#include "binding/map/range.h"
#include "binding/pool/handles.h"

namespace potoroo {
namespace {

// A page ends before it grows past these, so that one small Buffer that lives on does not
// keep megabytes with it, and one call does not take seconds.
constexpr size_t kPiecesInPage = 256 * 1024;
constexpr size_t kStringsInPage = 4 * 1024 * 1024;

class IteratorHandle : public Dependent {
 public:
  IteratorHandle(PoolHandle* pool, std::unique_ptr<Cursor> cursor, Range range, uint32_t flags,
                 int64_t limit)
      : Dependent(Kind::kIterator, pool),
        cursor_(std::move(cursor)),
        range_(std::move(range)),
        flags_(flags),
        remaining_(limit < 0 ? INT64_MAX : limit) {}
  ~IteratorHandle() override { Close(); }

  void Seek(Bytes key) {
    if (range_.Contains(key)) {
      range_.Seek(cursor_.get(), key);
      state_ = State::kMoved;
    } else {
      state_ = State::kEnded;
    }
  }

  // Leaves out `count` entries. False where it is not known which comes then: nothing is left out.
  bool Skip(uint64_t count) {
    if (state_ == State::kNew) range_.SeekStart(cursor_.get());
    if (state_ == State::kEnded) return true;
    state_ = State::kMoved;
    return cursor_->Skip(count, !range_.reverse());
  }

  // A page of at most `count` entries; null with an exception pending.
  napi_value Next(napi_env env, Addon* addon, int64_t count);

  static IteratorHandle* Unwrap(napi_env env, napi_value value) {
    IteratorHandle* iterator =
        static_cast<IteratorHandle*>(Handle::Unwrap(env, value, Kind::kIterator));
    if (iterator == nullptr || iterator->pool() != nullptr) return iterator;
    ThrowClosed(env, "iterator");
    return nullptr;
  }

 protected:
  void Release() override { cursor_.reset(); }

 private:
  bool AddKey(Page* page) const {
    if ((flags_ & kKeys) == 0) return true;
    if ((flags_ & kKeyPieces) == 0) return page->AddString(cursor_->key());
    page->AddPiece(cursor_->key());
    return true;
  }
  // Adds the value at the cursor, and checks that it can be read.
  bool AddValue(napi_env env, Page* page) const {
    if ((flags_ & kValues) == 0) return true;
    const Bytes value = cursor_->value();
    if (!cursor_->status().ok()) {
      Throw(env, cursor_->status());
      return false;
    }
    if ((flags_ & kValuePieces) == 0) return page->AddString(value);
    page->AddLastingPiece(value);
    return true;
  }

  std::unique_ptr<Cursor> cursor_;
  const Range range_;
  const uint32_t flags_;
  int64_t remaining_;
  enum class State { kNew, kMoved, kEnded } state_ = State::kNew;
};

napi_value IteratorHandle::Next(napi_env env, Addon* addon, int64_t count) {
  const bool key_pieces = (flags_ & (kKeys | kKeyPieces)) == (kKeys | kKeyPieces);
  const bool value_pieces = (flags_ & (kValues | kValuePieces)) == (kValues | kValuePieces);
  const bool strings =
      (flags_ & (kKeys | kKeyPieces)) == kKeys || (flags_ & (kValues | kValuePieces)) == kValues;
  const bool pieces = key_pieces || value_pieces;
  const size_t most = pieces ? kPiecesInPage : kStringsInPage;
  Page page(env, addon, strings, pieces, static_cast<size_t>(count) * 2);
  if (state_ == State::kNew) range_.SeekStart(cursor_.get());
  if (state_ != State::kEnded) state_ = State::kMoved;
  if (count > remaining_) count = remaining_;
  while (state_ == State::kMoved && count > 0 && page.size() < most) {
    if (!range_.Holds(*cursor_)) {
      state_ = State::kEnded;
      Status status = cursor_->status();
      if (status.ok()) break;
      Throw(env, status);
      return nullptr;
    }
    if (!AddKey(&page) || !AddValue(env, &page)) return nullptr;
    count--;
    remaining_--;
    range_.Step(cursor_.get());
  }
  return page.Finish();
}

// iterator(pool, map, flags, lower, upper, limit, snapshot, spare) → handle
napi_value NewIterator(napi_env env, napi_callback_info info) {
  Call<8> call(env, info);
  ArenaScope scope(&call.addon->arena);
  PoolHandle* pool = PoolHandle::Unwrap(env, call[0]);
  uint32_t map = 0;
  uint32_t flags = 0;
  int64_t limit = -1;
  Range range;
  if (pool == nullptr || !ToUint32(env, call[1], &map) || !ToUint32(env, call[2], &flags) ||
      !range.Read(env, &call.addon->arena, flags, call[3], call[4]) ||
      !ToInt64(env, call[5], &limit)) {
    return nullptr;
  }
  ReadSnapshot read;
  const std::shared_ptr<Snapshot>* snapshot = read.Choose(env, pool, call.Optional(6));
  if (snapshot == nullptr) return nullptr;
  std::unique_ptr<Cursor> cursor = (*snapshot)->NewCursor(map);
  if (cursor == nullptr) {
    Throw(env, NoMemory());
    return nullptr;
  }
  return Handle::Wrap(
      env,
      std::make_unique<IteratorHandle>(pool, std::move(cursor), std::move(range), flags, limit),
      call.Optional(7));
}

// next(iterator, count) → page
napi_value Next(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  int64_t count = 0;
  IteratorHandle* iterator = IteratorHandle::Unwrap(env, call[0]);
  if (iterator == nullptr || !ToInt64(env, call[1], &count)) return nullptr;
  return iterator->Next(env, call.addon, count);
}

// seek(iterator, key)
napi_value Seek(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  ArenaScope scope(&call.addon->arena);
  Bytes key;
  IteratorHandle* iterator = IteratorHandle::Unwrap(env, call[0]);
  if (iterator != nullptr && call.addon->arena.Read(env, call[1], "key", &key)) iterator->Seek(key);
  return nullptr;
}

// skip(iterator, count) → boolean
napi_value Skip(napi_env env, napi_callback_info info) {
  Call<2> call(env, info);
  int64_t count = 0;
  IteratorHandle* iterator = IteratorHandle::Unwrap(env, call[0]);
  if (iterator == nullptr || !ToInt64(env, call[1], &count)) return nullptr;
  napi_value result = nullptr;
  napi_get_boolean(env, iterator->Skip(static_cast<uint64_t>(count)), &result);
  return result;
}

// closeIterator(iterator)
napi_value CloseIterator(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  Handle* handle = Handle::Unwrap(env, call[0], Handle::Kind::kIterator);
  if (handle != nullptr) static_cast<IteratorHandle*>(handle)->Close();
  return nullptr;
}

}  // namespace

void InitIterator(Napi::Env env, Napi::Object exports, Addon* addon) {
  Export<NewIterator>(env, exports, "iterator", addon);
  Export<Next>(env, exports, "next", addon);
  Export<Seek>(env, exports, "seek", addon);
  Export<Skip>(env, exports, "skip", addon);
  Export<CloseIterator>(env, exports, "closeIterator", addon);
}

}  // namespace potoroo
