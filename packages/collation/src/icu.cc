#include "icu.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace potoroo {
namespace {

void* Find(const std::string& name) {
#ifdef _WIN32
  return reinterpret_cast<void*>(GetProcAddress(GetModuleHandle(nullptr), name.c_str()));
#else
  return dlsym(RTLD_DEFAULT, name.c_str());
#endif
}

template <typename Function>
bool Bind(Function* function, const std::string& name) {
  *function = reinterpret_cast<Function>(Find(name));
  return *function != nullptr;
}

std::string Dotted(const uint8_t version[4]) {
  int count = 4;
  while (count > 1 && version[count - 1] == 0) count--;
  std::string text = std::to_string(version[0]);
  for (int i = 1; i < count; i++) text += "." + std::to_string(version[i]);
  return text;
}

}  // namespace

Icu::~Icu() {
  if (collator_ != nullptr) close_(collator_);
}

bool Icu::Open(const std::string& suffix) {
  const bool found = Bind(&open_, "ucol_open" + suffix) && Bind(&close_, "ucol_close" + suffix) &&
                     Bind(&compare_, "ucol_strcoll" + suffix) &&
                     Bind(&sort_key_, "ucol_getSortKey" + suffix) &&
                     Bind(&library_version_, "u_getVersion" + suffix) &&
                     Bind(&collator_version_, "ucol_getVersion" + suffix) &&
                     Bind(&algorithm_version_, "ucol_getUCAVersion" + suffix);
  if (!found) return false;
  int error = 0;
  collator_ = open_("", &error);
  return collator_ != nullptr && error <= 0;  // Below 0 are warnings.
}

int Icu::Compare(const char16_t* a, size_t a_size, const char16_t* b, size_t b_size) const {
  return compare_(collator_, a, static_cast<int32_t>(a_size), b, static_cast<int32_t>(b_size));
}

size_t Icu::SortKey(const char16_t* text, size_t size, uint8_t* key, size_t room) const {
  return static_cast<size_t>(
      sort_key_(collator_, text, static_cast<int32_t>(size), key, static_cast<int32_t>(room)));
}

std::string Icu::library_version() const {
  Version version = {};
  library_version_(version);
  return Dotted(version);
}

std::string Icu::collator_version() const {
  Version version = {};
  collator_version_(collator_, version);
  return Dotted(version);
}

std::string Icu::algorithm_version() const {
  Version version = {};
  algorithm_version_(collator_, version);
  return Dotted(version);
}

}  // namespace potoroo
