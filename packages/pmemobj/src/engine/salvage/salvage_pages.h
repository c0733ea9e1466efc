// Pages, keys and values of a damaged pool, each given only where its checksum holds.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_PAGES_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_PAGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/blob.h"
#include "engine/base/page.h"
#include "engine/check/sealed_reader.h"
#include "engine/medium/pool_reader.h"

namespace potoroo::engine {

// A page in memory of one's own.
class PageCopy {
 public:
  Page page() const { return Page(data_); }
  char* data() { return data_; }

 private:
  alignas(8) char data_[kPageSize];
};

class SalvagePages {
 public:
  explicit SalvagePages(const PoolReader& reader)
      : reader_(reader), pages_(reader, nullptr), buffer_(kBuffer) {}

  const PoolReader& reader() const { return reader_; }
  // The pool is encrypted. nullptr: it is not.
  void set_cipher(const Cipher* cipher) { pages_ = SealedReader(reader_, cipher); }
  const Cipher* cipher() const { return pages_.cipher(); }
  // False where no sound page of that number is there.
  bool Load(uint32_t number, PageCopy* copy) const;
  // The whole key of an entry; false where it cannot be told.
  bool Key(Page page, uint32_t index, std::string* key) const;
  // The value of a leaf's entry. A buffer has no checksum: any bytes will do.
  bool Value(const PageEntry& entry, std::string* value) const;
  // The bytes of a reference, whose checksum is asked for unless they are a buffer's.
  bool Blob(const BlobRef& ref, bool buffer, std::string* bytes) const;

 private:
  static constexpr size_t kBuffer = 256 * 1024;

  const PoolReader& reader_;
  SealedReader pages_;
  mutable std::vector<char> buffer_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_PAGES_H_
