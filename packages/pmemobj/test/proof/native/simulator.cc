#include "simulator.h"

namespace {

const Mood kMoods[] = {
    {0, 0, false},     // nothing but what has to have
    {1, 1, false},     // all
    {0.5, 0.5, true},  // some of all, torn
    {1, 0, false},     // all that was flushed, and no more
    {0, 1, false},     // the newest, and nothing that was flushed before it
    {0.5, 0, true},    // some of what was flushed, torn
    {0.5, 0, false},   // some lines of what was flushed
    {0.9, 0.1, false}, {0.1, 0.9, false},
};
constexpr uint64_t kMoodCount = sizeof kMoods / sizeof kMoods[0];

}  // namespace

Simulator::Simulator(const std::string& folder, Media::Kind kind, const std::string& images,
                     uint32_t slots, uint64_t seed)
    : media_(folder, kind), images_(images), luck_(seed) {
  for (uint32_t slot = slots; slot > 0; slot--) free_.push_back(slot - 1);
  auto lock = media_.Hold();
  media_.at_point = [this](bool fence) { AtPoint(fence); };
}

Simulator::~Simulator() {
  auto lock = media_.Hold();
  media_.at_point = nullptr;
}

void Simulator::Plan(uint64_t fences, uint64_t flushes) {
  auto lock = media_.Hold();
  fences_ = fences;
  flushes_ = flushes;
}

void Simulator::Allow(uint32_t first, uint32_t last) {
  auto lock = media_.Hold();
  first_ = first;
  last_ = last;
}

std::vector<CutImage> Simulator::Take() {
  auto lock = media_.Hold();
  return std::move(cuts_);
}

void Simulator::Release(uint32_t slot) {
  auto lock = media_.Hold();
  free_.push_back(slot);
}

void Simulator::AtPoint(bool fence) {
  points_++;
  uint64_t rate = fence ? fences_ : flushes_;
  if (rate == 0 || free_.empty() || luck_.Below(rate) != 0) return;
  Cut();
  // A cache evicts for good: what arrives early is not always what is there at the next cut.
  if (luck_.Below(8) == 0) media_.Evict(0.3, &luck_);
}

void Simulator::Cut() {
  CutImage cut{free_.back(), first_, last_, static_cast<uint32_t>(luck_.Below(kMoodCount)),
               points_};
  free_.pop_back();
  media_.Cut(kMoods[cut.mood], &luck_, images_ + std::to_string(cut.slot));
  cuts_.push_back(cut);
}
