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
  auto impl = std::make_shared<Impl>(std::move(medium));
  status = Root::Create(impl->store->medium(), &impl->root);
  if (status.ok()) status = impl->store->medium()->FinishCreation();
  if (status.ok()) status = impl->Load(false);
  if (!status.ok()) return status;
  pool->reset(new Pool(std::move(impl)));
  return status;
}

Status Pool::Open(const std::string& path, std::unique_ptr<Pool>* pool) {
  std::unique_ptr<Medium> medium;
  Status status = Medium::Open(path, &medium);
  if (!status.ok()) return status;
  auto impl = std::make_shared<Impl>(std::move(medium));
  status = Root::Open(impl->store->medium(), &impl->root);
  if (status.ok()) status = impl->Load(false);
  if (!status.ok()) return Status(status.code(), path + ": " + status.message());
  pool->reset(new Pool(std::move(impl)));
  return status;
}

Status Pool::OpenMap(Bytes name, uint32_t* map) { return impl_->OpenMap(name, map); }
Status Pool::DropMap(Bytes name) { return impl_->DropMap(name); }
Status Pool::ListMaps(std::vector<std::string>* names) const { return impl_->ListMaps(names); }

Status Pool::Write(const Operation* operations, size_t count) {
  return impl_->Write(operations, count);
}

Status Pool::Take(std::shared_ptr<Snapshot>* snapshot) {
  auto impl = std::make_unique<Snapshot::Impl>(impl_, impl_->states.Pin());
  snapshot->reset(new Snapshot(std::move(impl)));
  return Status::Ok();
}

PoolStats Pool::Stats() const {
  Store* store = impl_->store.get();
  PoolStats stats;
  stats.size = store->medium()->size();
  stats.max_size = store->medium()->max_size();
  stats.used = store->space()->used() + store->objects_size();
  stats.is_pmem = store->medium()->is_pmem();
  stats.snapshots = impl_->states.snapshots();
  return stats;
}

}  // namespace potoroo
