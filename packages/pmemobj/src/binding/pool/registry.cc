// Which pools this process has open: SharedPool::Join and Leave.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "binding/base/guard.h"
#include "binding/pool/shared_pool.h"

namespace potoroo {
namespace {

// Whether a pool may be made in the folder: it is empty, or holds what a crash left of an
// earlier attempt. (Of the latter the engine makes sure.)
bool IsFreeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    const std::string name = entry->path().filename().string();
    const bool part = entry->path().extension() == ".pmem";
    const bool set = name == "pool.set" || name == "pool.set.draft" || name == "pool.set.new";
    if (!part && !set) return false;
    entry.increment(error);
  }
  return !error;
}

Status Exists(const std::string& path) {
  return Status(Code::kExists, "The pool " + path + " exists already");
}

Status OpenOrCreate(const OpenRequest& request, std::unique_ptr<Pool>* pool) {
  const std::string& path = request.path;
  PoolOptions options = request.options;
  options.size = 0;
  options.max_size = request.raise_max_size;
  Status status = Pool::Open(path, options, pool);
  if (status.ok() && request.error_if_exists) {
    pool->reset();
    return Exists(path);
  }
  if (status.code() == Code::kNotAPool && request.create_if_missing && IsFreeFolder(path)) {
    const Status created = Pool::Create(path, request.options, pool);
    // Files of somebody else, or a pool whose files are not all there.
    return created.code() == Code::kExists ? status : created;
  }
  if (status.code() == Code::kInUse) {
    return Status(Code::kInUse, path + ": another process has the pool open");
  }
  if (status.code() != Code::kNotFound) return status;
  // libpmemobj says so of a pool whose files it has no descriptors for, too.
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    return Status(Code::kIo, "The pool " + path + " is there, and cannot be opened");
  }
  if (!request.create_if_missing) {
    return Status(Code::kNotFound, "The pool " + path + " does not exist");
  }
  return Pool::Create(path, request.options, pool);
}

// A file or folder, by whatever name.
using Identity = std::pair<dev_t, ino_t>;

bool Identify(const std::string& path, Identity* identity) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return false;
  *identity = {info.st_dev, info.st_ino};
  return true;
}

// The path of what may not be there yet.
std::string Canonical(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(absolute, error);
  std::string text = error ? path : canonical.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

}  // namespace

struct Registry {
  struct Entry {
    std::unique_ptr<SharedPool> pool;
    // Keeps the number of the file or folder from being given to another.
    int descriptor;
    bool closing = false;
  };

  // Never destroyed: threads may outlive the statics.
  static Registry& Get() {
    static Registry* registry = new Registry;
    return *registry;
  }

  Entry* Find(const std::string& path) {
    Identity identity;
    if (!Identify(path, &identity)) return nullptr;
    const auto found = pools.find(identity);
    return found == pools.end() ? nullptr : &found->second;
  }

  static Status Admit(const OpenRequest& request, const void* thread, SharedPool* pool);
  Status Add(const OpenRequest& request, std::unique_ptr<Pool> engine, const void* thread,
             SharedPool** pool);

  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::string> opening;
  std::map<Identity, Entry> pools;
};

// Returns the engine's own error for the key.
static Status RefuseKey(const OpenRequest& request, bool plain) {
  if (plain) return Status(Code::kNotEncrypted, request.path + ": the pool is not encrypted");
  if (request.options.key.empty()) {
    return Status(Code::kKeyNeeded, request.path + ": the pool is encrypted: a key is needed");
  }
  return Status(Code::kWrongKey, request.path + ": the pool is encrypted with another key");
}

Status Registry::Admit(const OpenRequest& request, const void* thread, SharedPool* pool) {
  if (request.error_if_exists) return Exists(request.path);
  if (pool->threads_.count(thread) != 0) {
    return Status(Code::kInUse, request.path + ": this thread has the pool open already");
  }
  if (pool->exclusive_ || request.exclusive) {
    return Status(Code::kInUse, request.path + ": another thread has the pool open");
  }
  Status status = pool->Suit(request);
  if (status.ok()) pool->threads_.insert(thread);
  return status;
}

Status Registry::Add(const OpenRequest& request, std::unique_ptr<Pool> engine, const void* thread,
                     SharedPool** pool) {
  Identity identity;
  if (!Identify(request.path, &identity)) {
    return Status(Code::kIo, request.path + ": the pool has gone while it was opened");
  }
  std::unique_ptr<SharedPool> shared(new SharedPool);
  shared->pool_ = std::move(engine);
  shared->pool_->SetWhenFull([latest = &shared->latest_] { latest->Outdate(); });
  shared->queue_.Serve(shared.get());
  shared->durability_ = request.options.durability;
  shared->is_pmem_ = shared->pool_->Stats().is_pmem;
  shared->exclusive_ = request.exclusive;
  shared->key_ = request.options.key;
  shared->threads_.insert(thread);
  *pool = shared.get();
  const int descriptor = open(request.path.c_str(), O_PATH | O_CLOEXEC);
  pools[identity] = Entry{std::move(shared), descriptor};
  return Status();
}

Status SharedPool::JoinToRead(const OpenRequest& request, const void* thread, SharedPool** pool) {
  std::unique_ptr<SharedPool> shared(new SharedPool);
  shared->read_only_ = true;
  Status status = Pool::Open(request.path, request.options, &shared->pool_);
  if (status.code() == Code::kNotFound) {
    return Status(status.code(), "The pool " + request.path + " does not exist");
  }
  if (!status.ok()) return status;
  shared->pool_->SetWhenFull([latest = &shared->latest_] { latest->Outdate(); });
  shared->queue_.Serve(shared.get());
  shared->threads_.insert(thread);
  *pool = shared.release();
  return status;
}

Status SharedPool::Join(const OpenRequest& request, const void* thread, SharedPool** pool) {
  if (request.options.read_only) {
    return Guarded([&] { return JoinToRead(request, thread, pool); });
  }
  Registry& registry = Registry::Get();
  const std::string canonical = Canonical(request.path);
  std::unique_lock<std::mutex> lock(registry.mutex);
  Registry::Entry* found = nullptr;
  registry.changed.wait(lock, [&] {
    if (registry.opening.count(canonical) != 0) return false;
    found = registry.Find(request.path);
    return found == nullptr || !found->closing;
  });
  if (found != nullptr) {
    *pool = found->pool.get();
    return Registry::Admit(request, thread, *pool);
  }
  // Other pools may be opened, and used, meanwhile.
  registry.opening.insert(canonical);
  lock.unlock();
  std::unique_ptr<Pool> opened;
  Status status = Guarded([&] { return OpenOrCreate(request, &opened); });
  lock.lock();
  if (status.ok()) {
    status = Guarded([&] { return registry.Add(request, std::move(opened), thread, pool); });
  }
  registry.opening.erase(canonical);
  lock.unlock();
  registry.changed.notify_all();
  return status;
}

Status SharedPool::Suit(const OpenRequest& request) const {
  if (request.durability_given && request.options.durability != durability_) {
    return Status(Code::kInvalid, request.path + ": others have the pool with another durability");
  }
  return request.options.key == key_ ? Status() : RefuseKey(request, key_.empty());
}

Status SharedPool::Admit(const OpenRequest& request) const {
  std::lock_guard<std::mutex> lock(Registry::Get().mutex);
  return Suit(request);
}

Status SharedPool::RotateKey(Bytes key) {
  std::lock_guard<std::mutex> lock(Registry::Get().mutex);
  Status status = pool_->RotateKey(key);
  if (status.ok()) key_ = key;
  return status;
}

Status SharedPool::Leave(const void* thread) {
  DisclaimObjects(thread);
  ReleaseMaps(thread);
  if (read_only_) {
    const std::shared_ptr<Strays> strays = strays_;
    delete this;
    strays->Cover();
    return Status();
  }
  Registry& registry = Registry::Get();
  std::unique_lock<std::mutex> lock(registry.mutex);
  threads_.erase(thread);
  if (!threads_.empty()) return Status();
  auto entry = registry.pools.begin();
  while (entry->second.pool.get() != this) ++entry;
  entry->second.closing = true;
  std::unique_ptr<SharedPool> self = std::move(entry->second.pool);
  lock.unlock();
  // Whoever opens the pool now waits until it is closed.
  const std::shared_ptr<Strays> strays = strays_;
  Status status = pool_->Close();
  // Each write of a strict pool was durable when it ended, and has told if it was not.
  if (durability_ == Durability::kStrict) status = Status();
  self.reset();
  strays->Cover();
  lock.lock();
  if (entry->second.descriptor >= 0) close(entry->second.descriptor);
  registry.pools.erase(entry);
  lock.unlock();
  registry.changed.notify_all();
  return status;
}

}  // namespace potoroo
