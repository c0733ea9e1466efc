// The numbers of maps, which calls take for them. They live as long as the pool is open.
//
// A number is a place in a table, and how often that place was given away. So the number of a map
// that was dropped stands for nothing else later, and its place is used again.
#ifndef POTOROO_ENGINE_TREE_MAP_NAMES_H_
#define POTOROO_ENGINE_TREE_MAP_NAMES_H_

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

// Safe for all threads, except where a comment says otherwise.
class MapNames {
 public:
  static constexpr uint32_t kPlaceBits = 24;
  static uint32_t PlaceOf(uint32_t map) { return map & ((1u << kPlaceBits) - 1); }

  // The number of a map that is there from the commit `epoch` on: its own, or a new one.
  uint32_t Add(Bytes name, uint64_t epoch);
  bool Find(Bytes name, uint32_t* map) const;
  // Returns the name of the map at the commit `epoch`. kNotFound if it was dropped by then, or its
  // number was given back; kInvalid if there was never such a number.
  Code Name(uint32_t map, uint64_t epoch, std::string* name) const;
  // All maps that have a number which was good at the commit `epoch`, in no order.
  std::vector<NamedMap> All(uint64_t epoch) const;
  // The map is there no longer from the commit `epoch` on. Its number still is, for states before.
  void Drop(uint32_t map, uint64_t epoch);
  // All numbers as they are now, and that again. Others only look them up meanwhile.
  struct Kept;
  Kept Keep() const;
  void Restore(const Kept& kept);
  // Commits after `epoch` have dropped none: what they did is undone.
  void UndoDrops(uint64_t epoch);
  // No state has the map any more.
  void GiveBack(uint32_t map);

  // As Name, for the latest commit; for the thread that calls Add.
  Code Latest(uint32_t map, const std::string** name) const {
    const Place* place = At(map);
    if (place == nullptr || place->to != kForEver) return Missing(map);
    *name = &place->name;
    return Code::kOk;
  }

 private:
  static constexpr uint64_t kForEver = ~uint64_t{0};
  struct Place {
    uint32_t number;
    uint64_t from, to;  // the commits that have the map: from <= epoch < to
    std::string name;
  };
  const Place* At(uint32_t map) const {
    uint32_t place = PlaceOf(map);
    return place < places_.size() && places_[place]->number == map ? places_[place].get() : nullptr;
  }
  Code Missing(uint32_t map) const {
    return PlaceOf(map) < places_.size() ? Code::kNotFound : Code::kInvalid;
  }

  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<uint32_t> free_;  // numbers to be given next
  std::unordered_map<std::string, uint32_t> numbers_;
};

struct MapNames::Kept {
  std::vector<Place> places;
  std::vector<uint32_t> free;
  std::unordered_map<std::string, uint32_t> numbers;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_TREE_MAP_NAMES_H_
