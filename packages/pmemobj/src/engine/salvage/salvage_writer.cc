#include "engine/salvage/salvage_writer.h"

#include <utility>

namespace potoroo::engine {

Status SalvageWriter::Create(const std::string& path, const PoolOptions& options) {
  Note(Pool::Create(path, options, &pool_));
  return status_;
}

void SalvageWriter::Note(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

Status SalvageWriter::Finish() {
  Flush();
  if (status_.ok()) Note(pool_->Checkpoint());
  pool_.reset();
  return status_;
}

uint32_t SalvageWriter::Map(const std::string& name) {
  auto known = maps_.find(name);
  if (known != maps_.end()) return known->second;
  uint32_t map = 0;
  if (status_.ok()) Note(pool_->OpenMap(name, &map));
  maps_[name] = map;
  return map;
}

void SalvageWriter::DropMap(const std::string& name) {
  Flush();
  if (maps_.erase(name) > 0 && status_.ok()) Note(pool_->DropMap(name));
}

void SalvageWriter::Write(Operation::Kind kind, uint32_t map, std::string key, std::string value) {
  size_ += key.size() + value.size();
  batch_.push_back({kind, map, std::move(key), std::move(value)});
  if (size_ >= kBatch) Flush();
}

void SalvageWriter::Flush() {
  std::vector<Operation> operations;
  for (const Owned& owned : batch_) {
    operations.push_back({owned.kind, owned.map, owned.key, owned.value});
  }
  if (status_.ok() && !operations.empty()) Note(pool_->Write(operations.data(), operations.size()));
  batch_.clear();
  size_ = 0;
}

std::shared_ptr<Snapshot> SalvageWriter::Look() {
  Flush();
  std::shared_ptr<Snapshot> snapshot;
  if (status_.ok()) Note(pool_->Take(&snapshot));
  return snapshot;
}

}  // namespace potoroo::engine
