// Writes what is salvaged into a new pool, batch by batch.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_WRITER_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_WRITER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

class SalvageWriter {
 public:
  Status Create(const std::string& path, const PoolOptions& options);
  // After a failure all calls do nothing; Finish gives the first one.
  Status Finish();

  // The map of that name, which is made if there is none.
  uint32_t Map(const std::string& name);
  bool HasMap(const std::string& name) const { return maps_.count(name) > 0; }
  void DropMap(const std::string& name);
  void Write(Operation::Kind kind, uint32_t map, std::string key, std::string value);
  // Returns a snapshot of the entries written so far.
  std::shared_ptr<Snapshot> Look();

 private:
  struct Owned {
    Operation::Kind kind;
    uint32_t map;
    std::string key, value;
  };
  static constexpr size_t kBatch = 192 * 1024;

  void Flush();
  void Note(Status status);

  std::unique_ptr<Pool> pool_;
  std::map<std::string, uint32_t> maps_;
  std::vector<Owned> batch_;
  size_t size_ = 0;
  Status status_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_WRITER_H_
