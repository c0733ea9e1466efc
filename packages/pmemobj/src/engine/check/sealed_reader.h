// Reads the pages and values of a pool from its files, and decrypts those of one that is encrypted.
#ifndef POTOROO_ENGINE_CHECK_SEALED_READER_H_
#define POTOROO_ENGINE_CHECK_SEALED_READER_H_

#include <cstdint>
#include <string>

#include "engine/base/blob.h"
#include "engine/base/cipher.h"
#include "engine/base/page.h"
#include "engine/medium/pool_reader.h"

namespace potoroo::engine {

class SealedReader {
 public:
  enum class Found { kUnreadable, kNotSealed, kBytes };

  // `cipher`: nullptr where the pool is not encrypted.
  SealedReader(const PoolReader& files, const Cipher* cipher) : files_(&files), cipher_(cipher) {}

  const PoolReader& files() const { return *files_; }
  const Cipher* cipher() const { return cipher_; }
  // The bytes of a page, which is still to be verified. `data` is 8-byte aligned.
  Found ReadPage(uint32_t number, char* data) const;
  // Bytes that a blob of `size` bytes takes.
  uint64_t StoredSize(uint64_t size) const { return cipher_ == nullptr ? size : size + kSealSize; }
  // Reads the bytes of a blob; with a cipher only. False if they are not what the reference says.
  bool ReadSealedBlob(const BlobRef& ref, std::string* bytes) const;

 private:
  const PoolReader* files_;
  const Cipher* cipher_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_CHECK_SEALED_READER_H_
