// A pool beside std::maps that hold the same: what tests compare it with.
#ifndef POTOROO_TEST_MODEL_H_
#define POTOROO_TEST_MODEL_H_

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "check.h"
#include "engine/engine.h"

using Model = std::map<std::string, std::string>;

// Random keys that collide, share prefixes, and are now and then long; random values of all
// storage classes.
class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}
  uint64_t Below(uint64_t limit) { return random_() % limit; }
  std::string Key(uint64_t spread);
  std::string Value();
  // Sets the maker of the bytes of values, and of some keys, from now on, given their size.
  void SetBytes(std::function<std::string(Chance*, size_t)> maker) { maker_ = std::move(maker); }
  // Returns bytes of that maker; or mostly of one byte.
  std::string Bytes(size_t size);

 private:
  std::function<std::string(Chance*, size_t)> maker_;
  std::mt19937_64 random_;
};

// Operations that own their bytes.
class Batch {
 public:
  void Put(uint32_t map, std::string key, std::string value);
  void PutBuffer(uint32_t map, std::string key, std::string value);
  void Delete(uint32_t map, std::string key);
  void DeleteRange(uint32_t map, std::string from, std::string to);
  void ApplyTo(std::vector<Model>* models) const;
  potoroo::Status WriteTo(potoroo::Pool* pool) const;
  // They are good as long as this lives and nothing is added.
  std::vector<potoroo::Operation> operations() const;
  size_t size() const { return owned_.size(); }

 private:
  struct Owned {
    potoroo::Operation::Kind kind;
    uint32_t map;
    std::string key, value;
  };
  std::vector<Owned> owned_;
};

// Expects that a map of a snapshot holds the same as the model: by get, and by cursor both ways.
void ExpectSame(const potoroo::Snapshot& snapshot, uint32_t map, const Model& model);
std::shared_ptr<potoroo::Snapshot> Take(potoroo::Pool* pool);

#endif  // POTOROO_TEST_MODEL_H_
