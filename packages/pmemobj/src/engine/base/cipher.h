// AES-256-GCM, by OpenSSL, for pools that are encrypted.
//
// Bytes are sealed: encrypted, with a seal beside them that only who has the key can make.
//
//   offset  size  field
//        0    12  nonce  8 bytes that are random in each opening of a pool, and a count of 4 bytes
//       12    16  tag    of the bytes, and of what is said of them: of which kind they are, and
//                        their place
//
// Under one key no nonce may be used twice. So a nonce is never derived from what a crash, or a
// copy of the files, may bring about again: epochs, places, numbers in the pool.
#ifndef POTOROO_ENGINE_BASE_CIPHER_H_
#define POTOROO_ENGINE_BASE_CIPHER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"

struct evp_cipher_ctx_st;

namespace potoroo::engine {

inline constexpr size_t kNonceSize = 12;
inline constexpr size_t kTagSize = 16;
inline constexpr size_t kSealSize = kNonceSize + kTagSize;

// A seal's statement about its bytes. Bytes that were moved, or are taken for another thing, do not
// open.
struct Sealed {
  enum Kind : uint64_t { kPage = 1, kBlob = 2, kRecord = 3, kKey = 4 };
  uint64_t kind;
  uint64_t place;    // offset in the pool
  uint64_t birth;    // of a blob: epoch of the commit that wrote it
  uint64_t more[4];  // of a record: its head, but for the checksum
};
static_assert(sizeof(Sealed) == 56, "Sealed is a part of what is on media");

// Safe for all threads.
class Cipher {
 public:
  // kIo where OpenSSL is not there, or fails.
  static Status Create(Bytes key, std::unique_ptr<Cipher>* cipher);
  ~Cipher();
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  Bytes key() const { return key_; }
  // Encrypts from `from` to `to`, which may be the same. False where OpenSSL fails.
  bool Seal(const Sealed& what, const char* from, size_t size, char* to, char* seal) const;
  // Decrypts. False where the bytes are not what was sealed so; then `to` holds nothing of use.
  bool Open(const Sealed& what, const char* from, size_t size, const char* seal, char* to) const;

 private:
  using Context = evp_cipher_ctx_st;
  // Contexts that have the key already: to set it costs more than to encrypt a page.
  class Lease;

  explicit Cipher(Bytes key) : key_(key) {}
  Context* NewContext(bool encrypts) const;
  bool NextNonce(char* nonce) const;

  std::string key_;
  mutable std::mutex mutex_;
  mutable std::vector<Context*> idle_[2];  // that decrypt, that encrypt
  mutable uint64_t random_ = 0;            // of the nonces
  mutable uint64_t count_ = uint64_t{1} << 32;
};

// Bytes that nobody can guess. False where the system has none.
bool RandomBytes(void* to, size_t size);
// Overwrites a secret, even where nothing reads it any more.
void Forget(void* secret, size_t size);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_BASE_CIPHER_H_
