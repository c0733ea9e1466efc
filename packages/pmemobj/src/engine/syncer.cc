#include "syncer.h"

#include "fault.h"

namespace potoroo::engine {

constexpr ptrdiff_t kLine = 64;

void Syncer::Appended(uint64_t epoch, const char* from, const char* to) {
  std::lock_guard<std::mutex> lock(mutex_);
  // Records lie one after the other, so mostly this is more of the last one.
  if (!records_.empty() && from >= records_.back().range.second &&
      from - records_.back().range.second < kLine) {
    records_.back().epoch = epoch;
    records_.back().range.second = to;
    return;
  }
  records_.push_back({epoch, {from, to}});
}

void Syncer::SetDurable(uint64_t epoch) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (durable_.load(std::memory_order_relaxed) >= epoch) return;
  durable_.store(epoch, std::memory_order_release);
  size_t past = 0;
  while (past < records_.size() && records_[past].epoch <= epoch) past++;
  records_.erase(records_.begin(), records_.begin() + static_cast<ptrdiff_t>(past));
  done_.notify_all();
}

Status Syncer::Wait(uint64_t epoch) {
  if (IsDurable(epoch)) return Status::Ok();
  std::unique_lock<std::mutex> lock(mutex_);
  while (!IsDurable(epoch)) {
    if (failed_) return failure_;
    if (records_.empty()) return Status::Ok();
    if (syncing_) {
      done_.wait(lock);
      continue;
    }
    syncing_ = true;
    uint64_t last = records_.back().epoch;
    std::vector<Medium::Range> ranges;
    for (const Record& record : records_) ranges.push_back(record.range);
    lock.unlock();
    Status status = Planted(Fault::kLogSync) ? Status::Ok() : Medium::SyncAll(&ranges);
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
    if (records_.empty()) return Status::Ok();
    last = records_.back().epoch;
  }
  return Wait(last);
}

bool Syncer::idle() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return records_.empty() || failed_;
}

void Syncer::Fail(const Status& status) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!failed_) failure_ = status;
  failed_ = true;
  done_.notify_all();
}

Status Syncer::status() const {
  if (!failed_) return Status::Ok();
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

}  // namespace potoroo::engine
