#include "pool_impl.h"
#include "snapshot_impl.h"

namespace potoroo {

Pool::Pool(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Pool::~Pool() { impl_->Close(); }

Status Pool::Create(const std::string& path, const PoolOptions& options,
                    std::unique_ptr<Pool>* pool) {
  std::unique_ptr<Medium> medium;
  Status status = Medium::Create(path, options, &medium);
  if (!status.ok()) return status;
  auto impl = std::make_shared<Impl>(std::move(medium), options.durability);
  status = impl->Create();
  if (status.ok()) status = impl->store->medium()->FinishCreation();
  if (status.ok()) status = impl->Begin();
  if (!status.ok()) return status;
  pool->reset(new Pool(std::move(impl)));
  return status;
}

Status Pool::Open(const std::string& path, const PoolOptions& options,
                  std::unique_ptr<Pool>* pool) {
  std::unique_ptr<Medium> medium;
  Status status = Medium::Open(path, options.max_size, &medium);
  if (!status.ok()) return status;
  auto impl = std::make_shared<Impl>(std::move(medium), options.durability);
  status = impl->Load();
  if (!status.ok()) return Status(status.code(), path + ": " + status.message());
  pool->reset(new Pool(std::move(impl)));
  return status;
}

Status Pool::OpenMap(Bytes name, uint32_t* map) { return impl_->OpenMap(name, map); }
Status Pool::DropMap(Bytes name) { return impl_->DropMap(name); }
Status Pool::ListMaps(std::vector<std::string>* names) const { return impl_->ListMaps(names); }

Status Pool::Write(const Operation* operations, size_t count) {
  uint64_t commit;
  Status status = impl_->Write(operations, count, &commit);
  return status.ok() ? impl_->Sync(commit) : status;
}

Status Pool::Write(const Operation* operations, size_t count, uint64_t* commit) {
  return impl_->Write(operations, count, commit);
}

Status Pool::Sync(uint64_t commit) { return impl_->Sync(commit); }

bool Pool::IsDurable(uint64_t commit) const {
  return impl_->durability == Durability::kRelaxed || impl_->syncer.IsDurable(commit);
}

Status Pool::Checkpoint() { return impl_->Checkpoint(); }

Status Pool::FlushBuffer(const char* from, size_t size) { return impl_->FlushBuffer(from, size); }
Status Pool::SaveBuffer(const char* from, size_t size) { return impl_->SaveBuffer(from, size); }
size_t Pool::SavedBuffers() const { return impl_->SavedBuffers(); }
Status Pool::RestoreBuffers(size_t count) { return impl_->RestoreBuffers(count); }

Status Pool::WriteSaved(const Operation* operations, size_t count) {
  return impl_->WriteSaved(operations, count);
}

Status Pool::Flush() { return impl_->Flush(); }

uint64_t Pool::epoch() const { return impl_->epoch.load(std::memory_order_acquire); }

Status Pool::Take(std::shared_ptr<Snapshot>* snapshot) {
  auto impl = std::make_unique<Snapshot::Impl>(impl_, impl_->states.Pin());
  snapshot->reset(new Snapshot(std::move(impl)));
  return Status::Ok();
}

PoolStats Pool::Stats() const { return impl_->Stats(); }

}  // namespace potoroo
