#include "engine/tree/transaction.h"

#include <cstring>

#include "engine/base/checksum.h"
#include "engine/base/memory.h"

namespace potoroo::engine {

char* Arena::Allocate(size_t size) {
  if (size > kChunk / 4) {
    ReserveMore(&large_, 1);
    large_.emplace_back(new char[size]);
    return large_.back().get();
  }
  if (used_ + size > room_) {
    if (next_ == chunks_.size()) {
      ReserveMore(&chunks_, 1);
      chunks_.emplace_back(new char[kChunk]);
    }
    next_++;
    used_ = 0;
    room_ = kChunk;
  }
  char* start = chunks_[next_ - 1].get() + used_;
  used_ += size;
  return start;
}

Bytes Arena::Keep(Bytes bytes) {
  char* copy = Allocate(bytes.size());
  if (!bytes.empty()) memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

void Arena::Clear() {
  large_.clear();
  if (chunks_.size() > 16) chunks_.resize(16);
  used_ = room_ = next_ = 0;
}

void Transaction::Begin(uint64_t epoch, uint64_t shared, Space::Room room) {
  epoch_ = epoch;
  shared_ = shared;
  room_ = room;
  arena_.Clear();
  made_.clear();
  retired_.clear();
  retired_buffers_.clear();
  undo_.clear();
}

bool Transaction::NewPageNumber(uint32_t* number) {
  ReserveMore(&made_, 1);
  uint64_t offset = store_->space()->AllocatePage(room_);
  if (offset == 0) return false;
  store_->TouchPage(offset);
  made_.push_back({offset, epoch_, 0});
  *number = fresh_ = static_cast<uint32_t>(offset / kPageSize);
  return true;
}

bool Transaction::Succeed(Page page, uint32_t* number) {
  const PageHeader& header = page.header();
  if (header.epoch <= shared_ || header.number < first_own_) {
    RetirePage(header.number, header.epoch);
    return NewPageNumber(number);
  }
  // One of this transaction's own needs no undoing, or has been saved before.
  if (header.epoch != epoch_)
    undo_.push_back({header.number, arena_.Keep({page.data(), header.size})});
  *number = header.number;
  fresh_ = 0;
  return true;
}

// A new page is mostly left alone until the next checkpoint: on persistent memory it goes there at
// once, past the caches. A page that is changed again is kept in them.
void Transaction::WritePage(uint32_t number, char* image, size_t size) {
  Medium* medium = store_->medium();
  if (number != fresh_ || !medium->is_pmem() || store_->cipher() != nullptr) {
    memcpy(PageAt(number), image, size);
    SetDirty(number);
    return;
  }
  uint32_t checksum = Checksum(image + 4, size - 4);
  memcpy(image, &checksum, 4);
  medium->Copy(PageAt(number), image, size);
}

namespace {

void FillBlob(Medium* medium, char* address, size_t size, const void* argument) {
  Bytes bytes = *static_cast<const Bytes*>(argument);
  if (bytes.data() == nullptr) return medium->Clear(address, size);
  medium->Copy(address, bytes.data(), bytes.size());
}

struct NewSealed {
  const Store* store;
  Bytes bytes;
  uint64_t birth;
  bool sealed;
};

void FillSealed(Medium* medium, char* address, size_t, const void* argument) {
  auto* blob = static_cast<NewSealed*>(const_cast<void*>(argument));
  BlobRef ref{};
  ref.set_offset(medium->OffsetOf(address));
  ref.set_birth(blob->birth);
  blob->sealed = blob->store->SealBlob(blob->bytes, ref);
  medium->Flush(address, blob->store->StoredSize(blob->bytes.size()));
}

}  // namespace

// An object of libpmemobj's is durable once it is made.
bool Transaction::PlaceObject(Bytes bytes, BlobRef* ref) {
  NewSealed blob{store_, bytes, epoch_, true};
  const bool sealed = store_->cipher() != nullptr;
  const uint64_t offset =
      sealed ? store_->NewObject(store_->StoredSize(bytes.size()), FillSealed, &blob)
             : store_->NewObject(bytes.size(), FillBlob, &bytes);
  if (offset == 0) return false;
  if (!blob.sealed) store_->RemoveObject(offset);
  ref->set_offset(offset);
  return blob.sealed;
}

void Transaction::StorePlain(Bytes bytes, uint64_t offset) {
  Medium* medium = store_->medium();
  if (medium->is_pmem()) return FillBlob(medium, medium->At(offset), bytes.size(), &bytes);
  if (bytes.data() == nullptr) {
    memset(medium->At(offset), 0, bytes.size());
  } else {
    memcpy(medium->At(offset), bytes.data(), bytes.size());
  }
  store_->space()->SetDirty(offset, bytes.size());
}

// Reads decrypt it when they come: most values are not read again soon.
bool Transaction::StoreSealed(Bytes bytes, const BlobRef& ref) {
  const uint64_t size = store_->StoredSize(bytes.size());
  if (!store_->SealBlob(bytes, ref)) return false;
  Medium* medium = store_->medium();
  if (medium->is_pmem()) {
    medium->Flush(medium->At(ref.offset()), size);
  } else {
    store_->space()->SetDirty(ref.offset(), size);
  }
  store_->space()->ClearVerified(ref.offset());
  return true;
}

// Fills with zeros if there is no data.
bool Transaction::Place(Bytes bytes, BlobRef* ref) {
  ReserveMore(&made_, 1);
  ref->size = static_cast<uint32_t>(bytes.size());
  ref->set_birth(epoch_);
  if (store_->IsObject(bytes.size())) {
    if (!PlaceObject(bytes, ref)) return false;
    made_.push_back({ref->offset(), epoch_, ref->size});
  } else {
    const uint64_t offset = store_->space()->AllocateBlob(store_->StoredSize(bytes.size()), room_);
    if (offset == 0) return false;
    ref->set_offset(offset);
    // First: what fails now is given back.
    made_.push_back({offset, epoch_, ref->size});
    if (store_->cipher() != nullptr) return StoreSealed(bytes, *ref);
    StorePlain(bytes, offset);
  }
  return true;
}

bool Transaction::NewBlob(Bytes bytes, BlobRef* ref) {
  ref->checksum = Checksum(bytes.data(), bytes.size());
  return Place(bytes, ref);
}

bool Transaction::CopyBlob(const BlobRef& old, Bytes bytes, BlobRef* ref) {
  ref->checksum = old.checksum;
  return Place(bytes, ref);
}

bool Transaction::NewBuffer(Bytes bytes, BlobRef* ref) {
  ref->checksum = 0;
  return Place(bytes, ref);
}

void Transaction::RetirePage(uint32_t number, uint64_t birth) {
  retired_.push_back({uint64_t{number} * kPageSize, birth, 0});
}

void Transaction::RetireBlob(const BlobRef& ref) {
  retired_.push_back({ref.offset(), ref.birth(), ref.size});
}

void Transaction::RetireBuffer(const BlobRef& ref) {
  ReserveMore(&retired_buffers_, 1);
  RetireBlob(ref);
  retired_buffers_.push_back(retired_.back());
}

void Transaction::Abort() {
  for (const Undo& undo : undo_) memcpy(PageAt(undo.number), undo.image.data(), undo.image.size());
  for (const Item& item : made_) Release(store_, item);
  made_.clear();
  retired_.clear();
  undo_.clear();
}

void Transaction::Release(Store* store, const Item& item) {
  if (item.size == 0) {
    store->space()->FreePage(item.offset);
  } else if (!store->IsObject(item.size)) {
    store->FreeBlob(item.offset, item.size);
  } else {
    store->RemoveObject(item.offset);
  }
}

}  // namespace potoroo::engine
