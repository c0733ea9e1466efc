// The part of a store that serves encrypted pools.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "engine/base/checksum.h"
#include "engine/tree/store.h"

namespace potoroo::engine {
namespace {

// Blobs up to it are decrypted without taking memory.
constexpr size_t kSmallBlob = 4096;

uint64_t MarksSize(uint64_t limit) { return limit / kUnit * sizeof(uint64_t); }
// A bit for each 4 KiB.
uint64_t TouchedSize(uint64_t limit) { return limit / 4096 / 8; }

// Memory that is taken page by page, once it is used. A core file is no place for it.
void* TakeAddresses(uint64_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, size, MADV_DONTDUMP);
  return memory;
}

// Mixes all bits with each other, so that no two numbers become one.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

bool OpenPage(const Cipher& cipher, const char* stored, uint64_t offset, char* plain) {
  const char* seal = stored + kPageSize - kPageSeal;
  uint16_t size;
  memcpy(&size, seal + kSealSize, sizeof size);
  if (size < sizeof(PageHeader) || size > kPageSize - kPageSeal) return false;
  return cipher.Open(SealedPage(offset), stored, size, seal, plain) &&
         reinterpret_cast<const PageHeader*>(plain)->size == size;
}

Store::~Store() {
  if (cipher_ == nullptr) return;
  munmap(plain_, space_.limit());
  munmap(marks_, MarksSize(space_.limit()));
  munmap(touched_, TouchedSize(space_.limit()));
}

Status Store::SetCipher(std::unique_ptr<Cipher> cipher, DecryptedLimit* limit) {
  if (!RandomBytes(&mark_secret_, sizeof mark_secret_)) {
    return Status(Code::kIo, "the system has no random bytes");
  }
  void* plain = TakeAddresses(space_.limit());
  void* marks = TakeAddresses(MarksSize(space_.limit()));
  void* touched = TakeAddresses(TouchedSize(space_.limit()));
  if (plain == nullptr || marks == nullptr || touched == nullptr) {
    if (plain != nullptr) munmap(plain, space_.limit());
    if (marks != nullptr) munmap(marks, MarksSize(space_.limit()));
    if (touched != nullptr) munmap(touched, TouchedSize(space_.limit()));
    return Status(Code::kNoMemory, "there are no addresses for a pool that is encrypted");
  }
  plain_ = static_cast<char*>(plain);
  marks_ = static_cast<std::atomic<uint64_t>*>(marks);
  touched_ = static_cast<std::atomic<uint64_t>*>(touched);
  limit_ = limit;
  cipher_ = std::move(cipher);
  return Status::Ok();
}

bool Store::SealPage(uint64_t offset) const {
  const char* plain = PlainAt(offset);
  char* stored = medium_->At(offset);
  const uint16_t size = Page(plain).header().size;
  char end[kPageSeal] = {};
  if (!cipher_->Seal(SealedPage(offset), plain, size, stored, end)) return false;
  memcpy(end + kSealSize, &size, sizeof size);
  memcpy(stored + kPageSize - kPageSeal, end, sizeof end);
  return true;
}

// No reference leads to it yet; but an older page that was put back may have led a reader here.
bool Store::SealBlob(Bytes bytes, const BlobRef& ref) const {
  char* stored = medium_->At(ref.offset());
  std::lock_guard<std::mutex> lock(MutexOf(ref.offset()));
  MarkAt(ref.offset()).store(0, std::memory_order_release);
  return cipher_->Seal(SealedBlob(ref), bytes.data(), bytes.size(), stored, stored + bytes.size());
}

// From here on, no reader decrypts what lies there.
void Store::FreeBlob(uint64_t offset, uint64_t size) {
  space_.FreeBlob(offset, StoredSize(size));
  if (cipher_ == nullptr || offset >= space_.limit()) return;
  std::lock_guard<std::mutex> lock(MutexOf(offset));
  MarkAt(offset).store(0, std::memory_order_release);
}

// Never 0. A secret keeps outsiders from finding references that have the same mark.
uint64_t Store::MarkOf(const BlobRef& ref) const {
  if (cipher_ == nullptr) return 1;
  const uint64_t what = uint64_t{ref.size} << 32 | ref.checksum;
  return std::max<uint64_t>(Mix(Mix(mark_secret_ ^ ref.birth()) ^ what), 1);
}

bool Store::DecryptPage(uint32_t number) const {
  const uint64_t offset = uint64_t{number} * kPageSize;
  std::lock_guard<std::mutex> lock(MutexOf(offset));
  if (space_.Verified(offset)) return true;
  if (!space_.MayHavePage(offset)) return false;
  alignas(8) char page[kPageSize];
  if (!OpenPage(*cipher_, medium_->At(offset), offset, page) || !VerifyPage(page, number)) {
    return false;
  }
  const size_t size = Page(page).header().size;
  Touch(offset, kPageSize);
  // It may be there already, and be read: see Space::SetVerified.
  if (memcmp(PlainAt(offset), page, size) != 0) memcpy(PlainAt(offset), page, size);
  space_.SetVerified(offset);
  return true;
}

bool Store::LoadSealedBlob(const BlobRef& ref, Bytes* bytes) const {
  if (IsObject(ref.size)) return LoadSealedObject(ref, bytes);
  const uint64_t offset = ref.offset();
  if (!space_.MayHaveBlob(offset, StoredSize(ref.size))) return false;
  *bytes = {PlainAt(offset), ref.size};
  const uint64_t mark = MarkOf(ref);
  return MarkAt(offset).load(std::memory_order_acquire) == mark || DecryptBlob(ref, mark);
}

// Bytes that are there for another reference stay: somebody may read them, and one of both is no
// reference of this state.
bool Store::DecryptBlob(const BlobRef& ref, uint64_t mark) const {
  const uint64_t offset = ref.offset();
  std::lock_guard<std::mutex> lock(MutexOf(offset));
  const uint64_t now = MarkAt(offset).load(std::memory_order_relaxed);
  if (now != 0) return now == mark;
  const uint64_t size = StoredSize(ref.size);
  if (offset % kUnit != 0 || !space_.Contains(offset, size) || !space_.MayHaveBlob(offset, size)) {
    return false;
  }
  char small[kSmallBlob];
  std::unique_ptr<char[]> large;
  if (ref.size > sizeof small) large.reset(new char[ref.size]);
  char* bytes = ref.size > sizeof small ? large.get() : small;
  const char* stored = medium_->At(offset);
  if (!cipher_->Open(SealedBlob(ref), stored, ref.size, stored + ref.size, bytes) ||
      Checksum(bytes, ref.size) != ref.checksum) {
    return false;
  }
  Touch(offset, ref.size);
  memcpy(PlainAt(offset), bytes, ref.size);
  MarkAt(offset).store(mark, std::memory_order_release);
  return true;
}

// One after the other decrypts it.
bool Store::LoadSealedObject(const BlobRef& ref, Bytes* bytes) const {
  const uint64_t offset = ref.offset(), size = StoredSize(ref.size);
  if (!HasObject(offset, size)) return false;
  char* plain = PlainAt(offset);
  *bytes = {plain, ref.size};
  std::lock_guard<std::mutex> lock(MutexOf(offset));
  const uint64_t now = VerifiedObject(offset, size);
  if (now != 0) return now == MarkOf(ref);
  // A pool that is read only does not know whether an object lies there. So nothing that was
  // decrypted there is written over before this one is known to be whole.
  std::unique_ptr<char[]> apart;
  if (medium_->read_only()) apart.reset(new char[ref.size]);
  char* to = apart == nullptr ? plain : apart.get();
  const char* stored = medium_->At(offset);
  Touch(offset, ref.size);
  if (!cipher_->Open(SealedBlob(ref), stored, ref.size, stored + ref.size, to) ||
      Checksum(to, ref.size) != ref.checksum) {
    return false;
  }
  if (apart != nullptr) memcpy(plain, to, ref.size);
  SetVerifiedObject(ref);
  return true;
}

}  // namespace potoroo::engine
