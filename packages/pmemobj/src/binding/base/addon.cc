#include "binding/base/addon.h"

namespace potoroo {
namespace {

const char* Name(Code code) {
  switch (code) {
    case Code::kOk:
      return "PMEMOBJ_OK";
    case Code::kNotFound:
      return "PMEMOBJ_NOT_FOUND";
    case Code::kExists:
      return "PMEMOBJ_EXISTS";
    case Code::kNotAPool:
      return "PMEMOBJ_NOT_A_POOL";
    case Code::kLayoutVersion:
      return "PMEMOBJ_LAYOUT_VERSION";
    case Code::kOlderLayout:
      return "PMEMOBJ_OLDER_LAYOUT";
    case Code::kInUse:
      return "PMEMOBJ_IN_USE";
    case Code::kNoSpace:
      return "PMEMOBJ_NO_SPACE";
    case Code::kCorrupt:
      return "PMEMOBJ_CORRUPT";
    case Code::kPermission:
      return "PMEMOBJ_PERMISSION";
    case Code::kInvalid:
      return "PMEMOBJ_INVALID";
    case Code::kKeyNeeded:
      return "PMEMOBJ_KEY_NEEDED";
    case Code::kWrongKey:
      return "PMEMOBJ_WRONG_KEY";
    case Code::kNotEncrypted:
      return "PMEMOBJ_NOT_ENCRYPTED";
    case Code::kEncrypted:
      return "PMEMOBJ_ENCRYPTED";
    case Code::kIo:
      return "PMEMOBJ_IO";
    case Code::kNoMemory:
      return "PMEMOBJ_NO_MEMORY";
    case Code::kReadOnly:
      return "PMEMOBJ_READ_ONLY";
  }
  return "PMEMOBJ_IO";
}

// setSlab(arrayBuffer): where getBytes() writes small values from now on.
napi_value SetSlab(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  void* data = nullptr;
  size_t size = 0;
  napi_ref reference = nullptr;
  if (napi_get_arraybuffer_info(env, call[0], &data, &size) != napi_ok ||
      napi_create_reference(env, call[0], 1, &reference) != napi_ok) {
    ThrowType(env, "The slab must be an ArrayBuffer");
    return nullptr;
  }
  Addon* addon = call.addon;
  if (addon->slab_reference != nullptr) napi_delete_reference(env, addon->slab_reference);
  addon->slab_reference = reference;
  addon->slab = static_cast<char*>(data);
  addon->slab_size = size;
  return nullptr;
}

void SetFunction(napi_env env, napi_value value, napi_ref* function) {
  napi_valuetype type = napi_undefined;
  napi_ref reference = nullptr;
  if (napi_typeof(env, value, &type) != napi_ok || type != napi_function ||
      napi_create_reference(env, value, 1, &reference) != napi_ok) {
    ThrowType(env, "Expected a function");
    return;
  }
  if (*function != nullptr) napi_delete_reference(env, *function);
  *function = reference;
}

// setCollect(function)
napi_value SetCollect(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  SetFunction(env, call[0], &call.addon->collect);
  return nullptr;
}

// setDetach(function)
napi_value SetDetach(napi_env env, napi_callback_info info) {
  Call<1> call(env, info);
  SetFunction(env, call[0], &call.addon->detach);
  return nullptr;
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  // Deleted by Node-API when the environment ends.
  Addon* addon = new Addon();
  env.SetInstanceData(addon);
  InitPool(env, exports, addon);
  InitMap(env, exports, addon);
  InitWrite(env, exports, addon);
  InitClear(env, exports, addon);
  InitIterator(env, exports, addon);
  InitSnapshot(env, exports, addon);
  InitObjects(env, exports, addon);
  InitBuffer(env, exports, addon);
  InitCheck(env, exports, addon);
  InitScrub(env, exports, addon);
  InitSalvage(env, exports, addon);
  InitClaim(env, exports, addon);
  InitDescriptor(env, exports, addon);
  InitMemory(env, exports, addon);
  Export<SetSlab>(env, exports, "setSlab", addon);
  Export<SetCollect>(env, exports, "setCollect", addon);
  Export<SetDetach>(env, exports, "setDetach", addon);
  exports.Set("maxKeySize", static_cast<double>(kMaxKeySize));
  exports.Set("maxValueSize", static_cast<double>(kMaxValueSize));
  return exports;
}

}  // namespace

void Throw(napi_env env, const Status& status) {
  napi_throw_error(env, Name(status.code()), status.message().c_str());
}

napi_value ErrorOf(napi_env env, const Status& status) {
  napi_value code = nullptr;
  napi_value message = nullptr;
  napi_value error = nullptr;
  napi_create_string_utf8(env, Name(status.code()), NAPI_AUTO_LENGTH, &code);
  napi_create_string_utf8(env, status.message().data(), status.message().size(), &message);
  napi_create_error(env, code, message, &error);
  return error;
}

void ThrowClosed(napi_env env, const char* what) {
  napi_throw_error(env, "PMEMOBJ_CLOSED", (std::string("The ") + what + " is closed").c_str());
}

void ThrowType(napi_env env, const char* message) { napi_throw_type_error(env, nullptr, message); }

bool IsUndefined(napi_env env, napi_value value) {
  if (value == nullptr) return true;
  napi_valuetype type = napi_undefined;
  return napi_typeof(env, value, &type) == napi_ok && type == napi_undefined;
}

bool ToUint32(napi_env env, napi_value value, uint32_t* number) {
  if (napi_get_value_uint32(env, value, number) == napi_ok) return true;
  ThrowType(env, "Expected a number");
  return false;
}

bool ToInt64(napi_env env, napi_value value, int64_t* number) {
  if (napi_get_value_int64(env, value, number) == napi_ok) return true;
  ThrowType(env, "Expected a number");
  return false;
}

bool ToSize(napi_env env, napi_value value, uint64_t* size) {
  int64_t number = 0;
  if (!ToInt64(env, value, &number)) return false;
  if (number < 0) ThrowType(env, "Expected a number of bytes");
  *size = static_cast<uint64_t>(number);
  return number >= 0;
}

bool ToPath(napi_env env, Arena* arena, napi_value value, std::string* path) {
  Bytes bytes;
  if (!arena->Read(env, value, "path", &bytes)) return false;
  const bool whole = bytes.find('\0') == Bytes::npos;
  if (!whole) ThrowType(env, "A path has no zero bytes");
  path->assign(bytes.data(), bytes.size());
  return whole;
}

void ExportGuarded(Napi::Env env, Napi::Object exports, const char* name, napi_callback function,
                   Addon* addon) {
  napi_value value;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, function, addon, &value) == napi_ok) {
    napi_set_named_property(env, exports, name, value);
  }
}

}  // namespace potoroo

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  try {
    return potoroo::Init(env, exports);
  } catch (const std::exception&) {
    potoroo::Throw(env, potoroo::NoMemory());
    return exports;
  }
}

NODE_API_MODULE(pmemobj, Init)
