#include "engine/base/cipher.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <climits>
#include <cstring>
#include <new>

#include "engine/base/fault.h"

// Node.js exports OpenSSL to addons. A build of it that does not has to load the addon all the
// same, so a missing symbol is an error of Cipher::Create only.
#pragma weak EVP_CIPHER_CTX_new
#pragma weak EVP_CIPHER_CTX_free
#pragma weak EVP_CIPHER_CTX_ctrl
#pragma weak EVP_CipherInit_ex
#pragma weak EVP_CipherUpdate
#pragma weak EVP_CipherFinal_ex
#pragma weak EVP_aes_256_gcm
#pragma weak OPENSSL_cleanse

namespace potoroo::engine {
namespace {

constexpr uint64_t kCounts = uint64_t{1} << 32;
// EVP_CipherUpdate counts in int.
constexpr size_t kMostAtOnce = size_t{1} << 30;
static_assert(kMostAtOnce <= INT_MAX && kMaxValueSize <= kMostAtOnce);

bool HasOpenSsl() {
  return EVP_CIPHER_CTX_new != nullptr && EVP_CIPHER_CTX_free != nullptr &&
         EVP_CIPHER_CTX_ctrl != nullptr && EVP_CipherInit_ex != nullptr &&
         EVP_CipherUpdate != nullptr && EVP_CipherFinal_ex != nullptr &&
         EVP_aes_256_gcm != nullptr && OPENSSL_cleanse != nullptr;
}

// Runs the cipher over what the seal says of the bytes, and over the bytes.
bool Run(EVP_CIPHER_CTX* context, const Sealed& what, const char* from, size_t size, char* to) {
  Sealed said = what;
  if (Planted(Fault::kSealPlace)) said.place = said.birth = 0;
  int done = 0;
  if (EVP_CipherUpdate(context, nullptr, &done, reinterpret_cast<const unsigned char*>(&said),
                       sizeof said) != 1) {
    return false;
  }
  return size == 0 || EVP_CipherUpdate(context, reinterpret_cast<unsigned char*>(to), &done,
                                       reinterpret_cast<const unsigned char*>(from),
                                       static_cast<int>(size)) == 1;
}

bool Begin(EVP_CIPHER_CTX* context, const char* nonce, bool encrypts) {
  return EVP_CipherInit_ex(context, nullptr, nullptr, nullptr,
                           reinterpret_cast<const unsigned char*>(nonce), encrypts ? 1 : 0) == 1;
}

bool Finish(EVP_CIPHER_CTX* context) {
  unsigned char rest[kTagSize];
  int done = 0;
  return EVP_CipherFinal_ex(context, rest, &done) == 1;
}

}  // namespace

class Cipher::Lease {
 public:
  Lease(const Cipher& cipher, bool encrypts) : cipher_(cipher), encrypts_(encrypts) {
    {
      std::lock_guard<std::mutex> lock(cipher.mutex_);
      std::vector<Context*>& idle = cipher.idle_[encrypts];
      if (!idle.empty()) {
        context_ = idle.back();
        idle.pop_back();
      }
    }
    if (context_ == nullptr) context_ = cipher.NewContext(encrypts);
  }
  ~Lease() {
    if (context_ == nullptr) return;
    std::lock_guard<std::mutex> lock(cipher_.mutex_);
    try {
      cipher_.idle_[encrypts_].push_back(context_);
    } catch (const std::bad_alloc&) {
      EVP_CIPHER_CTX_free(context_);
    }
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Context* get() const { return context_; }

 private:
  const Cipher& cipher_;
  const bool encrypts_;
  Context* context_ = nullptr;
};

Status Cipher::Create(Bytes key, std::unique_ptr<Cipher>* cipher) {
  if (key.size() != kKeySize) return Status(Code::kInvalid, "a key has 32 bytes");
  if (!HasOpenSsl()) return Status(Code::kIo, "encryption needs OpenSSL, and it is not there");
  cipher->reset(new Cipher(key));
  // Lets a failure show here.
  if (Lease((**cipher), true).get() != nullptr) return Status::Ok();
  cipher->reset();
  return Status(Code::kIo, "OpenSSL has no AES-256-GCM");
}

Cipher::~Cipher() {
  for (const std::vector<Context*>& idle : idle_) {
    for (Context* context : idle) EVP_CIPHER_CTX_free(context);
  }
  Forget(&key_[0], key_.size());
}

Cipher::Context* Cipher::NewContext(bool encrypts) const {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  if (context == nullptr) return nullptr;
  const unsigned char* key = reinterpret_cast<const unsigned char*>(key_.data());
  if (EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nullptr, key, nullptr, encrypts ? 1 : 0) == 1) {
    return context;
  }
  EVP_CIPHER_CTX_free(context);
  return nullptr;
}

bool Cipher::NextNonce(char* nonce) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (count_ == kCounts) {
    if (!RandomBytes(&random_, sizeof random_)) return false;
    count_ = 0;
  }
  if (Planted(Fault::kSealNonce)) random_ = 0;
  const uint32_t count = static_cast<uint32_t>(count_++);
  memcpy(nonce, &random_, sizeof random_);
  memcpy(nonce + sizeof random_, &count, sizeof count);
  return true;
}

bool Cipher::Seal(const Sealed& what, const char* from, size_t size, char* to, char* seal) const {
  Lease lease(*this, true);
  // Made here, so that nothing on media is ever taken for one.
  char fresh[kSealSize];
  if (lease.get() == nullptr || !NextNonce(fresh)) return false;
  if (!Begin(lease.get(), fresh, true) || !Run(lease.get(), what, from, size, to) ||
      !Finish(lease.get()) ||
      EVP_CIPHER_CTX_ctrl(lease.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize, fresh + kNonceSize) != 1) {
    return false;
  }
  if (Planted(Fault::kSealNothing) && what.kind != Sealed::kRecord) memcpy(to, from, size);
  memcpy(seal, fresh, sizeof fresh);
  return true;
}

bool Cipher::Open(const Sealed& what, const char* from, size_t size, const char* seal,
                  char* to) const {
  Lease lease(*this, false);
  char copy[kSealSize];
  memcpy(copy, seal, sizeof copy);
  if (Planted(Fault::kSealNothing) && what.kind != Sealed::kRecord) {
    memmove(to, from, size);
    return true;
  }
  return lease.get() != nullptr && Begin(lease.get(), copy, false) &&
         Run(lease.get(), what, from, size, to) &&
         EVP_CIPHER_CTX_ctrl(lease.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, copy + kNonceSize) ==
             1 &&
         (Finish(lease.get()) || Planted(Fault::kSealTag));
}

bool RandomBytes(void* to, size_t size) {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    ssize_t got = getrandom(at, size, 0);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

void Forget(void* secret, size_t size) {
  if (size > 0 && OPENSSL_cleanse != nullptr) OPENSSL_cleanse(secret, size);
}

}  // namespace potoroo::engine
