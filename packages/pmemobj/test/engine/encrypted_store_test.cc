// A store that is asked by references of an earlier state, as an older page that was put back has
// them, never shows the bytes of another.
#include <cstring>
#include <utility>
#include <vector>

#include "check.h"
#include "engine/base/checksum.h"
#include "engine/tree/store.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

struct Subject {
  Folder folder;
  DecryptedLimit limit{1};
  std::unique_ptr<Store> store;

  explicit Subject(uint64_t size = 32 * kMiB) {
    PoolOptions options;
    options.size = size;
    std::unique_ptr<Medium> medium;
    EXPECT_OK(Medium::Create(folder / "pool", options, &medium));
    store = std::make_unique<Store>(std::move(medium));
    std::unique_ptr<Cipher> cipher;
    EXPECT_OK(Cipher::Create(std::string(32, 'k'), &cipher));
    EXPECT_OK(store->SetCipher(std::move(cipher), &limit));
  }

  static BlobRef RefOf(Bytes bytes, uint64_t offset, uint64_t birth) {
    BlobRef ref{};
    ref.size = static_cast<uint32_t>(bytes.size());
    ref.checksum = Checksum(bytes.data(), bytes.size());
    ref.set_offset(offset);
    ref.set_birth(birth);
    return ref;
  }
  uint64_t Allocate(uint64_t size) {
    const uint64_t offset =
        store->space()->AllocateBlob(store->StoredSize(size), Space::Room::kOrdinary);
    EXPECT(offset != 0);
    store->space()->ClearVerified(offset);
    return offset;
  }
  BlobRef Put(Bytes bytes, uint64_t birth) {
    const BlobRef ref = RefOf(bytes, Allocate(bytes.size()), birth);
    EXPECT(store->SealBlob(bytes, ref));
    return ref;
  }
  void Free(const BlobRef& ref) { store->FreeBlob(ref.offset(), ref.size); }
  bool Shows(const BlobRef& ref, Bytes expected) const {
    Bytes bytes;
    if (!store->LoadBlob(ref, &bytes)) return false;
    EXPECT(bytes == expected);
    return true;
  }
};

struct NewObject {
  Subject* subject;
  std::string bytes;
  BlobRef ref;
};

BlobRef PutObject(Subject* subject, const std::string& bytes, uint64_t birth) {
  NewObject object{subject, bytes, {}};
  object.ref.set_birth(birth);
  auto fill = [](Medium* medium, char* address, size_t, const void* argument) {
    auto* of = static_cast<NewObject*>(const_cast<void*>(argument));
    of->ref = Subject::RefOf(of->bytes, medium->OffsetOf(address), of->ref.birth());
    EXPECT(of->subject->store->SealBlob(of->bytes, of->ref));
  };
  EXPECT(subject->store->NewObject(subject->store->StoredSize(bytes.size()), fill, &object) != 0);
  return object.ref;
}

TEST("an encrypted value is not shown by an older reference to its place") {
  for (size_t size : {100, 300, 5000, 9000, 100000}) {
    Subject subject;
    const std::string old(size, 'o'), now(size, 'n');
    const BlobRef first = subject.Put(old, 5);
    EXPECT(subject.Shows(first, old));
    subject.Free(first);
    EXPECT(!subject.Shows(first, old));
    const BlobRef second = subject.Put(now, 7);
    EXPECT(second.offset() == first.offset());
    EXPECT(!subject.Shows(first, old));
    EXPECT(subject.Shows(second, now));
    EXPECT(!subject.Shows(first, old));
    // Each of them differs in one thing.
    for (int part = 0; part < 3; part++) {
      BlobRef other = second;
      if (part == 0) other.set_birth(6);
      if (part == 1) other.checksum++;
      if (part == 2) other.size--;
      EXPECT(!subject.Shows(other, now));
    }
    EXPECT(subject.Shows(second, now));
  }
}

TEST("an encrypted value of another size is not shown by an older reference") {
  Subject subject;
  const std::string longer(350, 'l'), shorter(260, 's');
  const BlobRef first = subject.Put(longer, 5);
  EXPECT(subject.Shows(first, longer));
  subject.Free(first);
  const BlobRef second = subject.Put(shorter, 6);
  EXPECT(second.offset() == first.offset());
  EXPECT(subject.Shows(second, shorter) && !subject.Shows(first, longer));
}

TEST("an encrypted object is not shown by an older reference to its place") {
  Subject subject;
  const std::string old(4 * kMiB, 'o'), now(4 * kMiB, 'n');
  const BlobRef first = PutObject(&subject, old, 5);
  EXPECT(subject.Shows(first, old));
  subject.store->RemoveObject(first.offset());
  EXPECT(!subject.Shows(first, old));
  const BlobRef second = PutObject(&subject, now, 7);
  EXPECT(second.offset() == first.offset());
  EXPECT(subject.Shows(second, now));
  EXPECT(!subject.Shows(first, old));
  EXPECT(subject.Shows(second, now));
}

// Its remains in the files say all that its seal does.
TEST("an encrypted value that was freed is not shown where its place is a part of another's") {
  Subject subject;
  const std::string two(2 * 4096 + 100, 't'), one(4096 + 5000, 'o');
  const BlobRef first = subject.Put(one, 5), second = subject.Put(two, 5);
  EXPECT(second.offset() > first.offset());
  subject.Free(second);
  EXPECT(!subject.Shows(second, two));
  subject.Free(first);
  const std::string all(5 * 4096, 'a');
  const BlobRef third = subject.Put(all, 6);
  EXPECT(third.offset() == first.offset());
  EXPECT(subject.Shows(third, all) && !subject.Shows(second, two));
}

// Values lie across the places up to which the memory of others is given back.
TEST("encrypted values are decrypted again where some of their memory was given back") {
  Subject subject(256 * kMiB);
  std::vector<std::pair<BlobRef, std::string>> values;
  for (int i = 0; i < 24; i++) {
    const char letter = static_cast<char>('a' + i);
    values.emplace_back(BlobRef{}, std::string(5 * kMiB / 2 + 1000, letter));
    values.back().first = subject.Put(values.back().second, 5);
    values.emplace_back(BlobRef{}, std::string(7 * kMiB / 2 + 1000, letter));
    values.back().first = PutObject(&subject, values.back().second, 5);
  }
  for (int round = 0; round < 12; round++) {
    for (const auto& [ref, value] : values) EXPECT(subject.Shows(ref, value));
    const uint64_t before = subject.limit.used();
    subject.store->GiveBackDecrypted();
    const uint64_t now = subject.limit.used();
    EXPECT(now < before && now > before - 48 * kMiB);
  }
}

// Its bytes may be those of a page: whoever stores them may choose them.
TEST("an encrypted value is never taken for a page") {
  Subject subject;
  const uint64_t offset = subject.Allocate(996);
  EXPECT(offset % kPageSize == 0);
  alignas(8) char image[kPageSize] = {};
  PageHeader header{};
  header.size = sizeof header + 4 + 4;
  header.count = 1;
  header.number = static_cast<uint32_t>(offset / kPageSize);
  memcpy(image, &header, sizeof header);
  const Bytes bytes(image, 996);
  const BlobRef ref = Subject::RefOf(bytes, offset, 5);
  EXPECT(subject.store->SealBlob(bytes, ref) && subject.Shows(ref, bytes));
  EXPECT(subject.store->LoadPage(header.number) == nullptr);
}

}  // namespace
