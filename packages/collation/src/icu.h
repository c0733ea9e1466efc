#ifndef POTOROO_COLLATION_ICU_H_
#define POTOROO_COLLATION_ICU_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace potoroo {

// ICU's root collator, as CouchDB opens it: the root locale and no attribute changed. The library
// is the one that the process has already, Node.js's own; it is found by name, so that neither
// headers nor a second copy of it are needed. Belongs to one thread.
class Icu {
 public:
  Icu() = default;
  Icu(const Icu&) = delete;
  Icu& operator=(const Icu&) = delete;
  ~Icu();

  // `suffix` is what the library's functions are named with, "_78" or "". False where they are not
  // there, or the collator does not open.
  bool Open(const std::string& suffix);

  // Less than, equal to, or greater than 0. Text is in UTF-16.
  int Compare(const char16_t* a, size_t a_size, const char16_t* b, size_t b_size) const;

  // Writes the key that sorts as the text does, if `room` is enough. Its last byte is 0, no other
  // is. Returns its size.
  size_t SortKey(const char16_t* text, size_t size, uint8_t* key, size_t room) const;

  // Dotted, without zeros at the end: of the library, of the root collator's data, and of the
  // Unicode Collation Algorithm.
  std::string library_version() const;
  std::string collator_version() const;
  std::string algorithm_version() const;

 private:
  using Collator = struct UCollator;
  using Version = uint8_t[4];

  Collator* (*open_)(const char* locale, int* error) = nullptr;
  void (*close_)(Collator*) = nullptr;
  int (*compare_)(const Collator*, const char16_t*, int32_t, const char16_t*, int32_t) = nullptr;
  int32_t (*sort_key_)(const Collator*, const char16_t*, int32_t, uint8_t*, int32_t) = nullptr;
  void (*library_version_)(Version) = nullptr;
  void (*collator_version_)(const Collator*, Version) = nullptr;
  void (*algorithm_version_)(const Collator*, Version) = nullptr;
  Collator* collator_ = nullptr;
};

}  // namespace potoroo

#endif  // POTOROO_COLLATION_ICU_H_
