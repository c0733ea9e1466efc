#include "engine/log/syncer.h"

#include <utility>

#include "engine/base/fault.h"
#include "engine/base/memory.h"

namespace potoroo::engine {

namespace {

constexpr uint64_t kFilePage = 4096;

uint64_t WholePages(uint64_t size) { return (size + kFilePage - 1) / kFilePage * kFilePage; }

}  // namespace

// The last stretch, if what lies at `place` follows it.
Syncer::Stretch* Syncer::StretchTo(uint64_t place) {
  if (stretches_.empty()) return nullptr;
  Stretch& last = stretches_.back();
  return place >= last.to && place - last.to < kLine ? &last : nullptr;
}

// Takes all the memory that making a commit durable needs: nothing later takes any.
Syncer::Syncer(Medium* medium) : medium_(medium), mapping_(medium->mapping()) {
  tail_.reserve(kFilePage);
}

void Syncer::Hold(uint64_t epoch, uint64_t place, Bytes record) {
  std::lock_guard<std::mutex> lock(mutex_);
  Stretch* stretch = StretchTo(place);
  const uint64_t end = place + record.size();
  if (stretch == nullptr) {
    const uint64_t page = place / kFilePage * kFilePage;
    Stretch next{epoch, page, page, tail_at_ == page ? tail_ : std::string()};
    next.bytes.reserve(WholePages(end - page));
    stretches_.push_back(std::move(next));
    stretch = &stretches_.back();
  } else {
    ReserveMore(&stretch->bytes, WholePages(end - stretch->from) - stretch->bytes.size());
  }
  stretch->bytes.resize(place - stretch->from);
  stretch->bytes.append(record);
  stretch->to = end;
  stretch->epoch = epoch;
}

void Syncer::Store(uint64_t epoch, uint64_t place, Bytes record) {
  std::lock_guard<std::mutex> lock(mutex_);
  Stretch* stretch = StretchTo(place);
  if (stretch == nullptr) {
    stretches_.push_back({epoch, place, place, {}});
    stretch = &stretches_.back();
  }
  medium_->Append(medium_->At(place), record.data(), record.size());
  stretch->to = place + record.size();
  stretch->epoch = epoch;
}

void Syncer::SetDurable(uint64_t epoch) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (durable_.load(std::memory_order_relaxed) >= epoch) return;
  durable_.store(epoch, std::memory_order_release);
  size_t past = 0;
  while (past < stretches_.size() && stretches_[past].epoch <= epoch) past++;
  stretches_.erase(stretches_.begin(), stretches_.begin() + static_cast<ptrdiff_t>(past));
  done_.notify_all();
}

// The next stretch may begin in the page in which this one ends.
void Syncer::KeepTail(const Stretch& stretch) {
  if (stretch.bytes.empty()) return;
  tail_at_ = stretch.to / kFilePage * kFilePage;
  tail_.assign(stretch.bytes, tail_at_ - stretch.from);
}

Status Syncer::Write(std::vector<Stretch>* stretches) {
  if (Planted(Fault::kLogSync)) return Status::Ok();
  for (Stretch& stretch : *stretches) {
    Status status;
    if (stretch.bytes.empty()) {
      status = Medium::Sync(medium_->At(stretch.from), medium_->At(stretch.to));
    } else {
      stretch.bytes.resize(WholePages(stretch.bytes.size()));
      status = medium_->WriteThrough(stretch.from, stretch.bytes.data(), stretch.bytes.size());
    }
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status Syncer::Wait(uint64_t epoch) {
  if (IsDurable(epoch)) return Status::Ok();
  std::unique_lock<std::mutex> lock(mutex_);
  while (!IsDurable(epoch)) {
    if (failed_) return failure_;
    if (left_) return Status(Code::kInvalid, "the pool is closed");
    if (stretches_.empty() && !syncing_) return Status::Ok();
    if (syncing_) {
      done_.wait(lock);
      continue;
    }
    syncing_ = true;
    std::vector<Stretch> stretches;
    stretches.swap(stretches_);
    const uint64_t last = syncing_to_ = stretches.back().epoch;
    KeepTail(stretches.back());
    lock.unlock();
    Status status = Guarded([&] { return Write(&stretches); });
    // There was none for the words.
    if (status.code() == Code::kNoMemory) status = WriteFailed();
    if (status.ok()) {
      SetDurable(last);
    } else {
      Fail(status);
    }
    lock.lock();
    syncing_ = false;
    done_.notify_all();
  }
  return Status::Ok();
}

Status Syncer::WaitForAll() {
  uint64_t last;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (failed_) return failure_;
    if (stretches_.empty() && !syncing_) return Status::Ok();
    last = stretches_.empty() ? syncing_to_ : stretches_.back().epoch;
  }
  return Wait(last);
}

void Syncer::Drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [this] { return !syncing_; });
}

void Syncer::Leave() {
  std::unique_lock<std::mutex> lock(mutex_);
  left_ = true;
  done_.wait(lock, [this] { return !syncing_; });
  done_.notify_all();
}

void Syncer::Fail(const Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!failed_) failure_ = status;
  failed_ = true;
  done_.notify_all();
}

Status Syncer::Failure() const {
  if (!failed_) return mapping_->status();
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

}  // namespace potoroo::engine
