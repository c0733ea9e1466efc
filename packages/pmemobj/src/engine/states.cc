#include "states.h"

namespace potoroo::engine {

void States::Reset(uint64_t epoch, uint32_t directory) {
  live_.clear();
  live_.emplace_back(new State);
  live_.back()->epoch = epoch;
  live_.back()->directory = directory;
}

State* States::Pin() {
  std::lock_guard<std::mutex> lock(mutex_);
  State* state = live_.back().get();
  state->pins++;
  pins_++;
  return state;
}

void States::Pin(State* state) {
  std::lock_guard<std::mutex> lock(mutex_);
  state->pins++;
  pins_++;
}

void States::Unpin(State* state) {
  std::lock_guard<std::mutex> lock(mutex_);
  pins_--;
  if (--state->pins > 0 || state == live_.back().get()) return;
  size_t index = 0;
  while (live_[index].get() != state) index++;
  // An item is needed by the states from its birth on, so if at all, by the one before.
  State* before = index > 0 ? live_[index - 1].get() : nullptr;
  for (const Item& item : state->parked) {
    bool needed = before != nullptr && before->epoch >= item.birth;
    (needed ? before->parked : free_).push_back(item);
  }
  live_.erase(live_.begin() + static_cast<ptrdiff_t>(index));
}

void States::Publish(uint64_t epoch, uint32_t directory, const std::vector<Item>& retired,
                     std::vector<Item>* free) {
  std::lock_guard<std::mutex> lock(mutex_);
  State* last = live_.back().get();
  if (last->pins > 0) {
    live_.emplace_back(new State);
    last = live_.back().get();
  }
  last->epoch = epoch;
  last->directory = directory;
  for (auto& root : last->roots) root.store(0, std::memory_order_relaxed);
  State* before = live_.size() > 1 ? live_[live_.size() - 2].get() : nullptr;
  for (const Item& item : retired) {
    bool needed = before != nullptr && before->epoch >= item.birth;
    (needed ? before->parked : *free).push_back(item);
  }
  free->insert(free->end(), free_.begin(), free_.end());
  free_.clear();
}

void States::TakeFree(std::vector<Item>* free) {
  std::lock_guard<std::mutex> lock(mutex_);
  free->insert(free->end(), free_.begin(), free_.end());
  free_.clear();
}

uint64_t States::snapshots() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return pins_;
}

}  // namespace potoroo::engine
