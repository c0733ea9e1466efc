#include "binding/shared_pool.h"

#include <mutex>

namespace potoroo {

bool SharedPool::WriteAtOnce(const Operation* operations, size_t count, Status* status) {
  if (!queue_.idle()) return false;
  std::shared_lock<std::shared_mutex> gate(gate_, std::try_to_lock);
  if (!gate.owns_lock()) return false;
  LatestRegister::Write write(&latest_);
  *status = pool_->Write(operations, count);
  return true;
}

Status SharedPool::WriteAlone(const Operation* operations, size_t count) {
  std::unique_lock<std::shared_mutex> gate(gate_);
  LatestRegister::Write write(&latest_);
  return pool_->Write(operations, count);
}

Status SharedPool::OpenMap(Bytes name, uint32_t* map) {
  LatestRegister::Write write(&latest_);
  return pool_->OpenMap(name, map);
}

Status SharedPool::DropMap(Bytes name) {
  std::unique_lock<std::shared_mutex> gate(gate_);
  LatestRegister::Write write(&latest_);
  return pool_->DropMap(name);
}

}  // namespace potoroo
