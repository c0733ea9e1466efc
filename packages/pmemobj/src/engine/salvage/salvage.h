// Brings what is whole out of a damaged pool, into a new one.
//
// All is read from the files by the engine itself, and nothing is written to them: no damage can
// crash, loop or stop the process. It begins with the root slot that leads furthest. If pages of
// its trees are missing, or there is no slot, all bytes are searched for pages.
#ifndef POTOROO_ENGINE_SALVAGE_SALVAGE_H_
#define POTOROO_ENGINE_SALVAGE_SALVAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace potoroo {

// Something of a map that is lost.
struct SalvageLoss {
  // "page": keys from `from` on that are below `to`, some of which pages that nothing leads to may
  // have brought back; "value": the value of the key `from`; "key": an entry whose key is lost.
  std::string kind;
  uint64_t offset;  // in the pool
  std::string from;
  std::string to;
  bool open;  // there is no `to`: up to the end of the map
};

struct SalvageMap {
  std::string name;      // lost-1 and so on, where it is not known
  uint64_t entries = 0;  // that were brought from its pages, before the log
  uint64_t bytes = 0;    // of their keys and values
  // Entries among them from pages that nothing leads to: they may be old, or deleted since.
  uint64_t doubtful = 0;
  std::vector<SalvageLoss> losses;  // at most kMaxLosses
  uint64_t loss_count = 0;
  static constexpr size_t kMaxLosses = 1000;
};

struct SalvageReport {
  std::vector<SalvageMap> maps;
  uint64_t epoch = 0;  // of the latest commit that could be told; 0: none
  uint64_t log_records = 0;
  uint64_t log_operations = 0;
  // Losses that are no map's, in words.
  std::vector<std::string> notes;
  bool lost = false;  // anything at all
};

// `to`: where there is nothing. kNotAPool where not a page is found; kInUse, kPermission, kIo,
// kNoSpace; kKeyNeeded, kWrongKey, kNotEncrypted: options.key is of both pools. A failure leaves
// what was made so far at `to`.
Status Salvage(const std::string& from, const std::string& to, const PoolOptions& options,
               SalvageReport* report);

}  // namespace potoroo

#endif  // POTOROO_ENGINE_SALVAGE_SALVAGE_H_
