#include "engine/base/memory.h"
#include "engine/pool/pool_impl.h"
#include "engine/pool/snapshot_impl.h"

namespace potoroo {

using engine::Guarded;

Pool::Pool(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Pool::~Pool() { (void)impl_->Close(); }

Status Pool::Close() {
  return Guarded([this] { return impl_->Close(); });
}

Status Pool::Create(const std::string& path, const PoolOptions& options,
                    std::unique_ptr<Pool>* pool) {
  return Guarded([&] {
    if (!options.key.empty() && options.key.size() != kKeySize) {
      return Status(Code::kInvalid, "a key has 32 bytes");
    }
    std::unique_ptr<engine::Medium> medium;
    Status status = engine::Medium::Create(path, options, &medium);
    if (!status.ok()) return status;
    auto impl = std::make_shared<Impl>(std::move(medium), options);
    status = impl->Create(options.key);
    std::unique_ptr<Pool> made(new Pool(impl));
    if (status.ok()) status = impl->core.store->medium()->FinishCreation();
    if (status.ok()) *pool = std::move(made);
    return status;
  });
}

Status Pool::Open(const std::string& path, const PoolOptions& options,
                  std::unique_ptr<Pool>* pool) {
  return Guarded([&] {
    if (options.read_only) {
      std::shared_ptr<Impl> impl;
      Status status = Impl::OpenToRead(path, options, &impl);
      if (!status.ok()) return status;
      pool->reset(new Pool(std::move(impl)));
      return status;
    }
    std::unique_ptr<engine::Medium> medium;
    Status status = engine::Medium::Open(path, options.max_size, &medium);
    if (!status.ok()) return status;
    auto impl = std::make_shared<Impl>(std::move(medium), options);
    status = impl->recovery.Load(options.key);
    if (status.ok()) status = impl->core.syncer.status();
    if (!status.ok()) return Status(status.code(), path + ": " + status.message());
    pool->reset(new Pool(std::move(impl)));
    return status;
  });
}

Status Pool::FindMap(Bytes name, uint32_t* map) {
  return Guarded([&] { return impl_->FindMap(name, map); });
}

Status Pool::OpenMap(Bytes name, uint32_t* map) {
  return Guarded([&] { return impl_->OpenMap(name, map); });
}

Status Pool::DropMap(Bytes name) {
  return Guarded([&] { return impl_->DropMap(name); });
}

Status Pool::ListMaps(std::vector<std::string>* names) const {
  return Guarded([&] { return impl_->ListMaps(names); });
}

Status Pool::Write(const Operation* operations, size_t count) {
  return Guarded([&] {
    uint64_t commit;
    Status status = impl_->Write(operations, count, &commit);
    return status.ok() ? impl_->Sync(commit) : status;
  });
}

Status Pool::Write(const Operation* operations, size_t count, uint64_t* commit) {
  return Guarded([&] { return impl_->Write(operations, count, commit); });
}

Status Pool::Sync(uint64_t commit) {
  return Guarded([&] { return impl_->Sync(commit); });
}

bool Pool::IsDurable(uint64_t commit) const {
  return impl_->core.durability == Durability::kRelaxed || impl_->core.syncer.IsDurable(commit);
}

Status Pool::Checkpoint() {
  return Guarded([this] { return impl_->Checkpoint(); });
}

Status Pool::GiveBack(bool* begun) {
  return Guarded([&] { return impl_->GiveBack(begun); });
}

Status Pool::FlushBuffer(const char* from, size_t size) {
  return Guarded([&] { return impl_->buffers.Flush(from, size); });
}

Status Pool::SaveBuffer(const char* from, size_t size) {
  return Guarded([&] { return impl_->buffers.Save(from, size); });
}

Status Pool::DraftBuffer(char* from, size_t size) {
  return Guarded([&] { return impl_->buffers.Draft(from, size); });
}

Status Pool::KeepDrafts() {
  return Guarded([&] { return impl_->buffers.KeepDrafts(); });
}

Status Pool::DropDrafts() { return impl_->buffers.DropDrafts(); }

size_t Pool::SavedBuffers() const { return impl_->buffers.saved(); }

Status Pool::RestoreBuffers(size_t count) {
  return Guarded([&] { return impl_->buffers.Restore(count); });
}

Status Pool::WriteSaved(const Operation* operations, size_t count) {
  return Guarded([&] { return impl_->WriteSaved(operations, count); });
}

Status Pool::Flush() {
  return Guarded([this] { return impl_->Flush(); });
}

uint64_t Pool::epoch() const { return impl_->core.epoch.load(std::memory_order_acquire); }

Status Pool::Take(std::shared_ptr<Snapshot>* snapshot) {
  return Guarded([&] {
    // Pinned only once there is something that lets go of it.
    auto impl = std::make_unique<Snapshot::Impl>(impl_);
    Snapshot::Impl* pinned = impl.get();
    std::shared_ptr<Snapshot> taken(new Snapshot(std::move(impl)));
    Status status = impl_->Pin(&pinned->state);
    if (status.ok()) *snapshot = std::move(taken);
    return status;
  });
}

Status Pool::Compact(bool* done) {
  return Guarded([&] { return impl_->Compact(done); });
}

Status Pool::RotateKey(Bytes key) {
  return Guarded([&] { return impl_->RotateKey(key); });
}

void Pool::SetWhenFull(std::function<void()> when_full) {
  impl_->core.decrypted.SetWhenFull(std::move(when_full));
}

uint64_t Pool::BytesOnDisk() const { return impl_->figures.BytesOnDisk(); }

PoolStats Pool::Stats() const { return impl_->figures.Stats(); }

}  // namespace potoroo
