#include "engine/states/states.h"

#include <new>

#include "engine/base/fault.h"
#include "engine/base/memory.h"

namespace potoroo::engine {

void States::Reset(uint64_t epoch, uint32_t directory) {
  live_.clear();
  live_.emplace_back(std::make_unique<State>());
  durable_ = live_.back().get();
  durable_->epoch = epoch;
  durable_->directory = directory;
  durable_->pins = 1;
}

State* States::Pin() {
  Lock lock(mutex_);
  State* state = shown_ != nullptr ? shown_ : live_.back().get();
  state->pins++;
  snapshots_++;
  return state;
}

void States::Pin(State* state) {
  Lock lock(mutex_);
  state->pins++;
  snapshots_++;
}

void States::Unpin(State* state) {
  Lock lock(mutex_);
  snapshots_--;
  Drop(state);
}

State* States::Keep() {
  Lock lock(mutex_);
  State* state = live_.back().get();
  state->pins++;
  return state;
}

State* States::KeepDurable() {
  Lock lock(mutex_);
  durable_->pins++;
  return durable_;
}

void States::Release(State* state) {
  Lock lock(mutex_);
  Drop(state);
}

void States::Drop(State* state) {
  if (--state->pins > 0 || state == live_.back().get()) return;
  size_t index = 0;
  while (live_[index].get() != state) index++;
  if (!Remove(index)) undropped_ = true;
}

// False without memory for its items.
bool States::Remove(size_t index) {
  const std::vector<Item>& items = live_[index]->parked;
  // An item is needed by the states from its birth on, so if at all, by the one before.
  State* before = index > 0 ? live_[index - 1].get() : nullptr;
  try {
    if (before != nullptr) ReserveMore(&before->parked, items.size());
    ReserveMore(&free_, items.size());
  } catch (const std::bad_alloc&) {
    return false;
  }
  for (const Item& item : items) {
    bool needed = before != nullptr && before->epoch >= item.birth;
    (needed ? before->parked : free_).push_back(item);
  }
  live_.erase(live_.begin() + static_cast<ptrdiff_t>(index));
  return true;
}

void States::RemoveUnpinned() {
  undropped_ = false;
  for (size_t i = live_.size() - 1; i > 0; i--) {
    if (live_[i - 1]->pins == 0 && !Remove(i - 1)) undropped_ = true;
  }
}

uint64_t States::LastPinned(const Lock&) const {
  for (size_t i = live_.size(); i > 0; i--) {
    if (live_[i - 1]->pins > 0) return live_[i - 1]->epoch;
  }
  return 0;
}

void States::Prepare(const Lock&, size_t retired, std::vector<Item>* free) {
  if (next_ == nullptr) next_ = std::make_unique<State>();
  ReserveMore(&live_, 1);
  ReserveMore(free, retired);
  State* last = live_.back().get();
  State* before = last->pins > 0     ? last
                  : live_.size() > 1 ? live_[live_.size() - 2].get()
                                     : nullptr;
  if (before != nullptr) ReserveMore(&before->parked, retired);
}

void States::Publish(const Lock&, uint64_t epoch, uint32_t directory,
                     const std::vector<uint64_t>& roots, const std::vector<Item>& retired,
                     std::vector<Item>* free) {
  State* last = live_.back().get();
  if (last->pins > 0) {
    State* next = next_.get();
    live_.push_back(std::move(next_));
    for (size_t i = 0; i < State::kRoots; i++) {
      next->roots[i].store(last->roots[i].load(std::memory_order_relaxed),
                           std::memory_order_relaxed);
    }
    last = next;
  }
  last->epoch = epoch;
  last->directory = directory;
  for (uint64_t root : roots) {
    last->roots[((root >> 32) - 1) % State::kRoots].store(root, std::memory_order_relaxed);
  }
  State* before = live_.size() > 1 ? live_[live_.size() - 2].get() : nullptr;
  for (const Item& item : retired) {
    bool needed = before != nullptr && before->epoch >= item.birth && !Planted(Fault::kReuse);
    (needed ? before->parked : *free).push_back(item);
  }
}

void States::SetDurable(State* state) {
  Lock lock(mutex_);
  State* before = durable_;
  durable_ = state;
  Drop(before);
}

void States::HoldView() {
  Lock lock(mutex_);
  shown_ = live_.back().get();
  shown_->pins++;
}

void States::ShowLatest() {
  Lock lock(mutex_);
  // Numbers of maps may stand for others on the way.
  for (std::atomic<uint64_t>& root : live_.back()->roots) root = 0;
  State* before = shown_;
  shown_ = nullptr;
  Drop(before);
}

void States::GoBack(uint64_t epoch, uint32_t directory, std::vector<Item>* free) {
  Lock lock(mutex_);
  Prepare(lock, 0, free);
  Publish(lock, epoch, directory, {}, {}, free);
  for (std::atomic<uint64_t>& root : live_.back()->roots) root = 0;
}

void States::TakeFree(const Lock&, std::vector<Item>* free) {
  if (undropped_) RemoveUnpinned();
  try {
    free->insert(free->end(), free_.begin(), free_.end());
    free_.clear();
  } catch (const std::bad_alloc&) {
    return;
  }
}

uint64_t States::snapshots() const {
  Lock lock(mutex_);
  return snapshots_;
}

}  // namespace potoroo::engine
