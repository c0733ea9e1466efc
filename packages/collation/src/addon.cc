#include <node_api.h>

#include <memory>
#include <new>
#include <string>

#include "icu.h"

namespace potoroo {
namespace {

// Longer ones are rare, and take memory of their own.
constexpr size_t kUsualText = 512;
constexpr size_t kUsualKey = 1024;

void ThrowTooLong(napi_env env) {
  napi_throw_range_error(env, nullptr, "The string is too long to be compared");
}

// A string's UTF-16.
class Text {
 public:
  Text(napi_env env, napi_value value) {
    // Node-API ends what it writes with a zero, and fills up to that: then it may have been cut.
    if (napi_get_value_string_utf16(env, value, usual_, kUsualText, &size_) != napi_ok) {
      napi_throw_type_error(env, nullptr, "Expected a string");
      return;
    }
    data_ = usual_;
    if (size_ < kUsualText - 1) return;
    napi_get_value_string_utf16(env, value, nullptr, 0, &size_);
    more_.reset(new (std::nothrow) char16_t[size_ + 1]);
    data_ = more_.get();
    if (data_ == nullptr) {
      ThrowTooLong(env);
      return;
    }
    napi_get_value_string_utf16(env, value, more_.get(), size_ + 1, &size_);
  }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  bool ok() const { return data_ != nullptr; }
  const char16_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  char16_t usual_[kUsualText];
  std::unique_ptr<char16_t[]> more_;
  const char16_t* data_ = nullptr;
  size_t size_ = 0;
};

template <size_t count>
const Icu* Arguments(napi_env env, napi_callback_info info, napi_value (&values)[count]) {
  size_t given = count;
  void* icu = nullptr;
  napi_get_cb_info(env, info, &given, values, nullptr, &icu);
  return static_cast<const Icu*>(icu);
}

// compare(a, b): -1, 0 or 1.
napi_value Compare(napi_env env, napi_callback_info info) {
  napi_value values[2];
  const Icu* icu = Arguments(env, info, values);
  const Text a(env, values[0]);
  if (!a.ok()) return nullptr;
  const Text b(env, values[1]);
  if (!b.ok()) return nullptr;
  napi_value order = nullptr;
  napi_create_int32(env, icu->Compare(a.data(), a.size(), b.data(), b.size()), &order);
  return order;
}

// sortKey(text): a character a byte, of which the last is \0 and no other.
napi_value SortKey(napi_env env, napi_callback_info info) {
  napi_value values[1];
  const Icu* icu = Arguments(env, info, values);
  const Text text(env, values[0]);
  if (!text.ok()) return nullptr;
  uint8_t usual[kUsualKey];
  std::unique_ptr<uint8_t[]> more;
  uint8_t* key = usual;
  size_t size = icu->SortKey(text.data(), text.size(), usual, sizeof(usual));
  if (size > sizeof(usual)) {
    more.reset(new (std::nothrow) uint8_t[size]);
    key = more.get();
    size = key == nullptr ? 0 : icu->SortKey(text.data(), text.size(), key, size);
  }
  napi_value string = nullptr;
  // 0 is ICU's word for no memory; a key may also be longer than a string can be.
  const bool made = size > 0 && napi_create_string_latin1(env, reinterpret_cast<char*>(key), size,
                                                          &string) == napi_ok;
  if (!made) ThrowTooLong(env);
  return string;
}

void SetString(napi_env env, napi_value object, const char* name, const std::string& text) {
  napi_value value = nullptr;
  napi_create_string_utf8(env, text.data(), text.size(), &value);
  napi_set_named_property(env, object, name, value);
}

void SetFunction(napi_env env, napi_value object, const char* name, napi_callback function,
                 Icu* icu) {
  napi_value value = nullptr;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, function, icu, &value);
  napi_set_named_property(env, object, name, value);
}

// open(suffix): { libraryVersion, collatorVersion, algorithmVersion, compare, sortKey }, or
// undefined where ICU's functions have no such names. Once in an environment.
napi_value Open(napi_env env, napi_callback_info info) {
  napi_value values[1];
  Arguments(env, info, values);
  char suffix[16] = "";
  napi_get_value_string_utf8(env, values[0], suffix, sizeof(suffix), nullptr);
  Icu* icu = new Icu();
  if (!icu->Open(suffix)) {
    delete icu;
    return nullptr;
  }
  const auto close = [](napi_env, void* data, void*) { delete static_cast<Icu*>(data); };
  napi_set_instance_data(env, icu, close, nullptr);
  napi_value collator = nullptr;
  napi_create_object(env, &collator);
  SetString(env, collator, "libraryVersion", icu->library_version());
  SetString(env, collator, "collatorVersion", icu->collator_version());
  SetString(env, collator, "algorithmVersion", icu->algorithm_version());
  SetFunction(env, collator, "compare", Compare, icu);
  SetFunction(env, collator, "sortKey", SortKey, icu);
  return collator;
}

napi_value Init(napi_env env, napi_value exports) {
  SetFunction(env, exports, "open", Open, nullptr);
  return exports;
}

}  // namespace
}  // namespace potoroo

NAPI_MODULE_INIT() { return potoroo::Init(env, exports); }
