// A tree that is given up as a whole, by clearing or dropping a map, is freed in steps: a commit
// takes the tree out of sight, and once no state needs it, its pages are walked and freed, some by
// each commit that follows and the rest by a thread of its own. A crash leaks nothing of them,
// because opening finds out what is in use.
#include "engine/commit/reaper.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "engine/base/memory.h"

namespace potoroo::engine {
namespace {

// Entries that are freed at once: by a commit, and by the thread, for others wait meanwhile.
constexpr size_t kByCommit = 64;
constexpr size_t kByThread = 2000;
constexpr std::chrono::milliseconds kBreath{1};
// Items of memory that a large commit leaves for the next one.
constexpr size_t kKeptItems = 4096;

// Makes room for `more` items; false if there is no memory.
template <typename Items>
bool HasRoomFor(Items* items, size_t more) {
  try {
    ReserveMore(items, more);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

}  // namespace

void Reaper::Recycle() {
  core_->states.TakeFree(core_->states.Hold(), &free_);
  RecycleTaken();
}

void Reaper::Recycle(const States::Lock& lock) {
  core_->states.TakeFree(lock, &free_);
  RecycleTaken();
}

void Reaper::RecycleTaken() {
  if (free_.empty() && doomed_.empty()) return;
  size_t kept = 0;
  for (const Item& item : free_) {
    if (item.IsTree()) {
      if (HasRoomFor(&doomed_, 1)) {
        doomed_.push_back(static_cast<uint32_t>(item.offset / kPageSize));
      } else {
        free_[kept++] = item;
      }
    } else if (item.IsMap()) {
      core_->names.GiveBack(static_cast<uint32_t>(item.offset));
    } else {
      Transaction::Release(core_->store.get(), item);
    }
  }
  free_.resize(kept);
  if (kept == 0 && free_.capacity() > kKeptItems) free_.shrink_to_fit();
  if (doomed_.empty()) return;
  Reap(kByCommit);
  if (!doomed_.empty()) Start();
}

bool Reaper::Reap(size_t limit) {
  while (limit > 0 && !doomed_.empty()) {
    const char* data = core_->store->LoadPage(doomed_.back());
    // The pages below a damaged one stay as they are until the pool is opened again.
    if (data != nullptr && !HasRoomFor(&doomed_, Page(data).count())) return false;
    doomed_.pop_back();
    limit -= std::min(limit, data == nullptr ? 1 : ReapPage(data));
  }
  if (doomed_.empty() && doomed_.capacity() > kKeptItems) doomed_.shrink_to_fit();
  return true;
}

// There is room for its children.
size_t Reaper::ReapPage(const char* data) {
  Page page(data);
  const uint32_t number = page.header().number;
  auto release = [this](const char* reference) {
    BlobRef ref = BlobRef::Load(reference);
    Transaction::Release(core_->store.get(), {ref.offset(), 0, ref.size});
  };
  for (uint32_t i = 0; i < page.count(); i++) {
    PageEntry entry = page.entry(i);
    if (entry.key_blob != nullptr) release(entry.key_blob);
    if (page.level() == 0) {
      if (entry.flags & kEntryValueBlob) release(entry.payload.data());
    } else if (page.level() > 1 || (entry.flags & kEntryChildHasBlobs)) {
      doomed_.push_back(entry.child());
    } else {
      core_->store->space()->FreePage(uint64_t{entry.child()} * kPageSize);
    }
  }
  size_t count = page.count();
  core_->store->space()->FreePage(uint64_t{number} * kPageSize);
  return count + 1;
}

void Reaper::ReapAll() {
  for (;;) {
    std::lock_guard<std::mutex> lock(core_->write_mutex);
    if (core_->closed || doomed_.empty() || !Reap(kByThread)) return;
  }
}

// Without a thread, a later commit tries again.
void Reaper::Start() {
  if (running_.exchange(true)) return;
  if (thread_.joinable()) thread_.join();
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::exception&) {
    running_ = false;
  }
}

void Reaper::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Reaper::Run() {
  bool more = true;
  while (more && !stop_) {
    std::this_thread::sleep_for(kBreath);
    // Commits go first.
    if (!core_->write_mutex.try_lock()) continue;
    more = Reap(kByThread) && !doomed_.empty();
    if (!more) running_ = false;
    core_->write_mutex.unlock();
  }
}

}  // namespace potoroo::engine
