#include "binding/pool/latest.h"

#include <algorithm>

namespace potoroo {

// The order of the two is the point, here and in ~LatestRead, and all these atomic operations are
// sequentially consistent: either the write sees what a reader keeps, or the reader sees the write.
LatestRegister::Write::Write(LatestRegister* all) : all_(all) {
  all->begun_.fetch_add(1);
  all->Drop();
}

void LatestRegister::Drop() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (Latest* member : members_) {
    if (member->kept_.load() != nullptr) member->Claim();
  }
}

Latest::Latest(LatestRegister* all) : all_(all) {
  std::lock_guard<std::mutex> lock(all->mutex_);
  all->members_.push_back(this);
}

void Latest::Leave() {
  if (all_ == nullptr) return;
  {
    std::lock_guard<std::mutex> lock(all_->mutex_);
    auto& members = all_->members_;
    members.erase(std::remove(members.begin(), members.end(), this), members.end());
  }
  all_ = nullptr;
  Claim();
}

const std::shared_ptr<Snapshot>* LatestRead::Begin(Pool* pool, Latest* latest, Status* status) {
  LatestRegister* all = latest->all_;
  latest_ = latest;
  kept_ = latest->Claim();
  if (kept_ != nullptr && kept_->writes == all->begun_.load()) return &kept_->snapshot;
  if (kept_ == nullptr) kept_ = std::make_unique<Latest::Kept>();
  kept_->snapshot.reset();
  const uint64_t ended = all->ended_.load();
  const uint64_t begun = all->begun_.load();
  kept_->writes = ended == begun ? begun : Latest::kNever;
  *status = pool->Take(&kept_->snapshot);
  if (status->ok()) return &kept_->snapshot;
  kept_.reset();
  return nullptr;
}

LatestRead::~LatestRead() {
  if (kept_ == nullptr || latest_->all_ == nullptr || kept_->writes == Latest::kNever) return;
  const uint64_t writes = kept_->writes;
  // A read within a read has left one.
  delete latest_->kept_.exchange(kept_.release());
  if (latest_->all_->begun_.load() != writes) latest_->all_->Drop();
}

}  // namespace potoroo
