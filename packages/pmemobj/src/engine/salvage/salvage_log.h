// The records of a log that count after a checkpoint, read from the files.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_LOG_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_LOG_H_

#include <functional>
#include <string>

#include "engine/log/log_reader.h"
#include "engine/salvage/salvage_pages.h"

namespace potoroo::engine {

class SalvageLog {
 public:
  using Each = std::function<void(LogKind kind, Bytes key, Bytes value)>;

  // Reads as much of the log as it can, which may be nothing.
  SalvageLog(const SalvagePages& pages, const RootSlot& slot);

  // Calls for each operation. Then epoch() is that of the last commit that counts.
  void Run(const Each& each);
  uint64_t epoch() const { return epoch_; }
  uint64_t records() const { return records_; }
  // Whether some of it is known to be lost.
  bool damaged() const { return damaged_; }

 private:
  const RootSlot slot_;
  const Cipher* const cipher_;
  std::string bytes_;  // both segments
  uint64_t epoch_, records_ = 0;
  bool damaged_ = true;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_LOG_H_
