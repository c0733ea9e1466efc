#include "engine/salvage/salvage_log.h"

namespace potoroo::engine {

SalvageLog::SalvageLog(const SalvagePages& pages, const RootSlot& slot)
    : slot_(slot), cipher_(pages.cipher()), epoch_(slot.epoch) {
  const PoolReader& reader = pages.reader();
  const LogPlace place{slot.log, slot.segment_size};
  // Before memory is taken for it.
  if (!place.IsUsable() || slot.log > reader.size()) return;
  if (place.size() > reader.size() - slot.log) return;
  bytes_.resize(place.size());
  if (!reader.Read(slot.log, &bytes_[0], bytes_.size())) bytes_.clear();
}

void SalvageLog::Run(const Each& each) {
  records_ = 0;
  if (bytes_.empty()) return;
  LogReader reader(bytes_.data(), bytes_.data() + slot_.segment_size, slot_, cipher_);
  while (reader.Next()) {
    LogOperation operation;
    Bytes key, value;
    while (reader.NextOperation(&operation, &key, &value)) each(operation.kind, key, value);
    records_++;
  }
  epoch_ = reader.epoch();
  damaged_ = reader.Misses();
}

}  // namespace potoroo::engine
