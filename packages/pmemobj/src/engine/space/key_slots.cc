#include "engine/space/key_slots.h"

#include <cstddef>
#include <cstring>

#include "engine/base/checksum.h"

namespace potoroo::engine {
namespace {

constexpr char kMagic[8] = {'P', 'o', 't', 'o', 'o', 'K', 'e', 'y'};
constexpr uint32_t kAes256Gcm = 1;
constexpr Sealed kSealedKey{Sealed::kKey, 0, 0, {}};

uint32_t ChecksumOf(const KeySlot& slot) { return Checksum(&slot, offsetof(KeySlot, checksum)); }

bool IsSound(const KeySlot& slot) {
  return memcmp(slot.magic, kMagic, sizeof kMagic) == 0 && slot.kind == kAes256Gcm &&
         slot.checksum == ChecksumOf(slot);
}

// kCorrupt: the slot is not sound.
Status UnwrapSlot(uint64_t at, const Cipher& outer, const ReadBytes& read, char* data_key) {
  KeySlot slot;
  if (!read(at, &slot, sizeof slot) || !IsSound(slot)) {
    return Status(Code::kCorrupt, "both key slots are damaged");
  }
  return outer.Open(kSealedKey, slot.key, kKeySize, slot.seal, data_key)
             ? Status::Ok()
             : Status(Code::kWrongKey, "the pool is encrypted with another key");
}

}  // namespace

Status NewDataKey(std::unique_ptr<Cipher>* cipher) {
  char key[kKeySize];
  if (!RandomBytes(key, sizeof key)) return Status(Code::kIo, "the system has no random bytes");
  Status status = Cipher::Create({key, sizeof key}, cipher);
  Forget(key, sizeof key);
  return status;
}

Status WrapKey(Bytes data_key, Bytes key, KeySlot* slot) {
  std::unique_ptr<Cipher> outer;
  Status status = Cipher::Create(key, &outer);
  if (!status.ok()) return status;
  *slot = KeySlot{};
  memcpy(slot->magic, kMagic, sizeof kMagic);
  slot->kind = kAes256Gcm;
  if (!outer->Seal(kSealedKey, data_key.data(), kKeySize, slot->key, slot->seal)) {
    return Status(Code::kIo, "OpenSSL failed to encrypt");
  }
  slot->checksum = ChecksumOf(*slot);
  return status;
}

Status UnwrapKey(uint64_t place, Bytes key, const ReadBytes& read,
                 std::unique_ptr<Cipher>* cipher) {
  std::unique_ptr<Cipher> outer;
  Status status = Cipher::Create(key, &outer);
  if (!status.ok()) return status;
  Status wrong;
  for (uint64_t i = 0; i < kKeySlots; i++) {
    char data_key[kKeySize];
    status = UnwrapSlot(KeySlotAt(place, i), *outer, read, data_key);
    if (status.ok()) {
      status = Cipher::Create({data_key, sizeof data_key}, cipher);
      Forget(data_key, sizeof data_key);
      return status;
    }
    if (status.code() == Code::kWrongKey) wrong = status;
  }
  return wrong.ok() ? status : wrong;
}

bool SlotOpens(uint64_t at, Bytes data_key, Bytes key, const ReadBytes& read) {
  std::unique_ptr<Cipher> outer;
  char found[kKeySize];
  if (!Cipher::Create(key, &outer).ok() || !UnwrapSlot(at, *outer, read, found).ok()) return false;
  const bool same = data_key == Bytes(found, sizeof found);
  Forget(found, sizeof found);
  return same;
}

Status FindCipher(const Superblock& block, uint64_t place, Bytes key, const ReadBytes& read,
                  std::unique_ptr<Cipher>* cipher) {
  if (!key.empty() && key.size() != kKeySize) return Status(Code::kInvalid, "a key has 32 bytes");
  if ((block.required & kEncryptedFeature) == 0) {
    return key.empty()
               ? Status::Ok()
               : Status(Code::kNotEncrypted, "the pool is not encrypted, and a key is given");
  }
  if (key.empty()) return Status(Code::kKeyNeeded, "the pool is encrypted: a key is needed");
  return UnwrapKey(place, key, read, cipher);
}

}  // namespace potoroo::engine
