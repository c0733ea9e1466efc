#include "transaction.h"

#include <cstring>

#include "checksum.h"

namespace potoroo::engine {

char* Arena::Allocate(size_t size) {
  if (size > kChunk / 4) {
    large_.emplace_back(new char[size]);
    return large_.back().get();
  }
  if (used_ + size > room_) {
    if (next_ == chunks_.size()) chunks_.emplace_back(new char[kChunk]);
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

void Transaction::Begin(uint64_t epoch, uint64_t shared, bool reserve) {
  epoch_ = epoch;
  shared_ = shared;
  reserve_ = reserve;
  arena_.Clear();
  made_.clear();
  retired_.clear();
  retired_buffers_.clear();
  undo_.clear();
}

bool Transaction::NewPageNumber(uint32_t* number) {
  uint64_t offset = store_->space()->AllocatePage(reserve_);
  if (offset == 0) return false;
  made_.push_back({offset, epoch_, 0});
  *number = fresh_ = static_cast<uint32_t>(offset / kPageSize);
  return true;
}

bool Transaction::Succeed(Page page, uint32_t* number) {
  const PageHeader& header = page.header();
  if (header.epoch <= shared_) {
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
// once, past the caches. What is changed again is kept in them.
void Transaction::WritePage(uint32_t number, char* image, size_t size) {
  Medium* medium = store_->medium();
  if (number != fresh_ || !medium->is_pmem()) {
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

}  // namespace

// Without data: zeros.
bool Transaction::Place(Bytes bytes, BlobRef* ref) {
  uint64_t offset;
  if (bytes.size() > kMaxRunSize) {
    offset = store_->NewObject(bytes.size(), FillBlob, &bytes);
    if (offset == 0) return false;
  } else {
    offset = store_->space()->AllocateBlob(bytes.size(), reserve_);
    if (offset == 0) return false;
    Medium* medium = store_->medium();
    if (medium->is_pmem()) {
      FillBlob(medium, medium->At(offset), bytes.size(), &bytes);
    } else {
      if (bytes.data() == nullptr) {
        memset(medium->At(offset), 0, bytes.size());
      } else {
        memcpy(medium->At(offset), bytes.data(), bytes.size());
      }
      store_->space()->SetDirty(offset, bytes.size());
    }
  }
  ref->size = static_cast<uint32_t>(bytes.size());
  ref->set_offset(offset);
  ref->set_birth(epoch_);
  made_.push_back({offset, epoch_, ref->size});
  return true;
}

bool Transaction::NewBlob(Bytes bytes, BlobRef* ref) {
  ref->checksum = Checksum(bytes.data(), bytes.size());
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
  } else if (item.size <= kMaxRunSize) {
    store->space()->FreeBlob(item.offset, item.size);
  } else {
    store->RemoveObject(item.offset);
  }
}

}  // namespace potoroo::engine
