#include "binding/pool/shared_pool.h"

#include <iterator>
#include <mutex>

namespace potoroo {

namespace {

// Operations of more bytes than these hold up whoever waits for them.
constexpr size_t kSmall = 1024 * 1024;
// Bytes that fit in the engine's log, whatever the operations are. Off persistent memory a bigger
// write waits for a flush of its own before it is seen.
constexpr size_t kLogged = 128 * 1024;
constexpr size_t kEachLogged = 64;

}  // namespace

bool SharedPool::IsSmall(const Operation* operations, size_t count) const {
  size_t size = is_pmem_ ? 0 : count * kEachLogged;
  for (size_t i = 0; i < count; i++) size += operations[i].key.size() + operations[i].value.size();
  return size <= (is_pmem_ ? kSmall : kLogged);
}

bool SharedPool::WriteAtOnce(const Operation* operations, size_t count, uint64_t* commit,
                             Status* status) {
  if (!queue_.idle()) return false;
  std::shared_lock<std::shared_mutex> gate(gate_, std::try_to_lock);
  if (!gate.owns_lock()) return false;
  LatestRegister::Write write(&latest_);
  *status = pool_->Write(operations, count, commit);
  return true;
}

Status SharedPool::WriteAlone(const Operation* operations, size_t count) {
  std::unique_lock<std::shared_mutex> gate(gate_);
  LatestRegister::Write write(&latest_);
  return pool_->Write(operations, count);
}

Status SharedPool::WriteSaved(const Operation* operations, size_t count) {
  std::shared_lock<std::shared_mutex> gate(gate_);
  LatestRegister::Write write(&latest_);
  return pool_->WriteSaved(operations, count);
}

Status SharedPool::Sync(uint64_t commit) {
  Status status = pool_->Sync(commit);
  if (!status.ok()) LatestRegister::Write went_back(&latest_);
  return status;
}

Status SharedPool::Flush() {
  Status status = pool_->Flush();
  if (!status.ok()) LatestRegister::Write went_back(&latest_);
  return status;
}

bool SharedPool::ClaimObjects(const void* thread) {
  const void* writer = nullptr;
  return objects_writer_.compare_exchange_strong(writer, thread) || writer == thread;
}

void SharedPool::DisclaimObjects(const void* thread) {
  if (objects_writer_.load() != thread) return;
  // The thread may have ended within a transaction. If its changes cannot be taken back now, the
  // next opening does it. Until then no thread may write: none is known by the address of this
  // object.
  const bool done =
      pool_->DropDrafts().ok() && (pool_->SavedBuffers() == 0 || pool_->RestoreBuffers(0).ok());
  objects_writer_.store(done ? nullptr : this);
}

Status SharedPool::Compact(bool* done) {
  // The snapshot kept for reads would hold on to what moves.
  LatestRegister::Write write(&latest_);
  return pool_->Compact(done);
}

Status SharedPool::OpenMap(Bytes name, uint32_t* map) {
  LatestRegister::Write write(&latest_);
  return pool_->OpenMap(name, map);
}

Status SharedPool::DropMap(const void* thread, Bytes name) {
  std::lock_guard<std::mutex> holding(held_mutex_);
  const auto held = held_.find(std::string(name));
  if (held != held_.end() && !(held->second.alone && held->second.threads.count(thread) != 0)) {
    return Status(Code::kInUse, "the map is in use");
  }
  std::unique_lock<std::shared_mutex> gate(gate_);
  LatestRegister::Write write(&latest_);
  return pool_->DropMap(name);
}

void SharedPool::Holders::Erase(const void* thread) {
  threads.erase(thread);
  if (writer == thread) writer = nullptr;
}

Status SharedPool::HoldMap(const void* thread, Bytes name, Holding holding, uint32_t* map) {
  std::lock_guard<std::mutex> lock(held_mutex_);
  const auto held = held_.find(std::string(name));
  if (held != held_.end()) {
    const Holders& holders = held->second;
    const bool refused = holding == Holding::kAlone || holders.alone ||
                         holders.threads.count(thread) != 0 ||
                         (holding == Holding::kWriter && holders.writer != nullptr);
    if (refused) return Status(Code::kInUse, "the map is in use");
  }
  Status status = OpenMap(name, map);
  if (!status.ok()) return status;
  Holders& holders = held_[std::string(name)];
  holders.threads.insert(thread);
  holders.alone = holding == Holding::kAlone;
  if (holding == Holding::kWriter) holders.writer = thread;
  return status;
}

void SharedPool::ReleaseMap(const void* thread, Bytes name) {
  std::lock_guard<std::mutex> holding(held_mutex_);
  const auto held = held_.find(std::string(name));
  if (held == held_.end()) return;
  held->second.Erase(thread);
  if (held->second.threads.empty()) held_.erase(held);
}

void SharedPool::ReleaseMaps(const void* thread) {
  std::lock_guard<std::mutex> holding(held_mutex_);
  for (auto held = held_.begin(); held != held_.end();) {
    held->second.Erase(thread);
    held = held->second.threads.empty() ? held_.erase(held) : std::next(held);
  }
}

}  // namespace potoroo
