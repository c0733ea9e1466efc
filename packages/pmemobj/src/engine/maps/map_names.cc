#include "engine/maps/map_names.h"

#include <mutex>

#include "engine/base/memory.h"

namespace potoroo::engine {
namespace {

// How often a place is given away. Then it stays unused, for a number must not come again.
constexpr uint32_t kTimes = 255;
constexpr uint32_t kNextTime = 1u << MapNames::kPlaceBits;

}  // namespace

uint32_t MapNames::Add(Bytes name, uint64_t epoch) {
  std::unique_lock<std::shared_mutex> lock(mutex_);
  std::string copy(name);
  auto found = numbers_.find(copy);
  if (found != numbers_.end()) return found->second;
  // Giving the place back must not fail.
  ReserveMore(&free_, places_.size() + 1 - free_.size());
  uint32_t map = static_cast<uint32_t>(places_.size());
  if (free_.empty()) {
    places_.push_back(std::make_unique<Place>());
  } else {
    map = free_.back();
  }
  try {
    numbers_.emplace(copy, map);
  } catch (...) {
    if (free_.empty()) places_.pop_back();
    throw;
  }
  if (!free_.empty()) free_.pop_back();
  *places_[PlaceOf(map)] = {map, epoch, kForEver, std::move(copy)};
  return map;
}

bool MapNames::Find(Bytes name, uint32_t* map) const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  auto found = numbers_.find(std::string(name));
  if (found == numbers_.end()) return false;
  *map = found->second;
  return true;
}

Code MapNames::Name(uint32_t map, uint64_t epoch, std::string* name) const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  const Place* place = At(map);
  if (place == nullptr || epoch < place->from || epoch >= place->to) return Missing(map);
  *name = place->name;
  return Code::kOk;
}

std::vector<NamedMap> MapNames::All(uint64_t epoch) const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  std::vector<NamedMap> all;
  for (const auto& place : places_) {
    if (epoch >= place->from && epoch < place->to) all.push_back({place->name, place->number});
  }
  return all;
}

void MapNames::Drop(uint32_t map, uint64_t epoch) {
  std::unique_lock<std::shared_mutex> lock(mutex_);
  Place& place = *places_[PlaceOf(map)];
  place.to = epoch;
  numbers_.erase(place.name);
}

MapNames::Kept MapNames::Keep() const {
  std::shared_lock<std::shared_mutex> lock(mutex_);
  Kept kept{{}, free_, numbers_};
  for (const auto& place : places_) kept.places.push_back(*place);
  return kept;
}

void MapNames::Restore(const Kept& kept) {
  std::unique_lock<std::shared_mutex> lock(mutex_);
  // Numbers are never taken back: there are as many places now, or more.
  for (size_t i = 0; i < kept.places.size(); i++) *places_[i] = kept.places[i];
  places_.resize(kept.places.size());
  free_ = kept.free;
  numbers_ = kept.numbers;
}

void MapNames::UndoDrops(uint64_t epoch) {
  std::unique_lock<std::shared_mutex> lock(mutex_);
  for (const auto& place : places_) {
    if (place->to == kForEver || place->to <= epoch) continue;
    numbers_[place->name] = place->number;
    place->to = kForEver;
  }
}

void MapNames::GiveBack(uint32_t map) {
  std::unique_lock<std::shared_mutex> lock(mutex_);
  const uint32_t next = map + kNextTime;
  *places_[PlaceOf(map)] = {next, kForEver, 0, {}};
  if (map >> kPlaceBits < kTimes - 1) free_.push_back(next);
}

}  // namespace potoroo::engine
