// The key of a pool that is encrypted, in the last page of the superblock's block.
//
// A pool is encrypted with a key of its own, the data key, which is made at random with the pool.
// It lies here encrypted with the key that callers give. So that key can be changed without writing
// all again. There are two slots, with the same data key: while one is written, the other opens the
// pool. A change that was cut off between them leaves both keys valid, until the pool is opened to
// be written: the key that opens it is then the only one.
//
//   offset  size  field
//    12288   256  slots[0]
//    14336   256  slots[1]
#ifndef POTOROO_ENGINE_SPACE_KEY_SLOTS_H_
#define POTOROO_ENGINE_SPACE_KEY_SLOTS_H_

#include <cstdint>
#include <memory>
#include <type_traits>

#include "engine/base/cipher.h"
#include "engine/engine.h"
#include "engine/space/superblock.h"

namespace potoroo::engine {

//   offset  size  field
//        0     8  magic     "PotooKey"
//        8     4  kind      1: AES-256-GCM
//       12    28  seal      of the data key: see cipher.h
//       40    32  key       the data key, encrypted with the caller's
//       72   180  reserved  0
//      252     4  checksum  of the bytes before
struct KeySlot {
  char magic[8];
  uint32_t kind;
  char seal[kSealSize];
  char key[kKeySize];
  uint8_t reserved[180];
  uint32_t checksum;
};
static_assert(sizeof(KeySlot) == 256 && std::is_trivially_copyable_v<KeySlot>,
              "KeySlot is on media: changing it needs a new pool layout version");

inline constexpr uint64_t kKeySlots = 2;

// Returns the place of a slot of the superblock's block at `place`.
inline uint64_t KeySlotAt(uint64_t place, uint64_t index) {
  return place + 3 * kSuperblockPage + index * (kSuperblockPage / 2);
}

// A data key for a new pool.
Status NewDataKey(std::unique_ptr<Cipher>* cipher);
Status WrapKey(Bytes data_key, Bytes key, KeySlot* slot);
// The cipher that the slots at `place` give for the caller's key. kWrongKey; kCorrupt: no slot is
// sound.
Status UnwrapKey(uint64_t place, Bytes key, const ReadBytes& read, std::unique_ptr<Cipher>* cipher);
// Whether the slot at `at` gives that data key for the caller's key.
bool SlotOpens(uint64_t at, Bytes data_key, Bytes key, const ReadBytes& read);
// Finds the cipher of a pool with that superblock, which need not be encrypted. kKeyNeeded,
// kNotEncrypted; kInvalid: the key has no 32 bytes.
Status FindCipher(const Superblock& block, uint64_t place, Bytes key, const ReadBytes& read,
                  std::unique_ptr<Cipher>* cipher);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SPACE_KEY_SLOTS_H_
