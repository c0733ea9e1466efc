// What is given up as a whole, by clearing or dropping a map, is freed in steps: a commit takes the
// tree out of sight, and once no state needs it, its pages are walked and freed, some by each
// commit that follows and the rest by a thread of its own. A crash leaks nothing of them, because
// opening finds out anew what is in use.
#include <algorithm>
#include <chrono>
#include <new>

#include "engine/base/memory.h"
#include "engine/pool/pool_impl.h"

namespace potoroo {
namespace {

// Entries that are freed at once: by a commit, and by the thread, for others wait meanwhile.
constexpr size_t kByCommit = 64;
constexpr size_t kByThread = 2000;
constexpr std::chrono::milliseconds kPause{1};
// What a large commit leaves of its memory for the next one.
constexpr size_t kKeptItems = 4096;

// Room for so many more; false where there is no memory.
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

// What no state needs any more. Without memory, trees wait until the next time.
void Pool::Impl::RecycleTaken() {
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
      names.GiveBack(static_cast<uint32_t>(item.offset));
    } else {
      Transaction::Release(store.get(), item);
    }
  }
  free_.resize(kept);
  if (kept == 0 && free_.capacity() > kKeptItems) free_.shrink_to_fit();
  if (doomed_.empty()) return;
  Reap(kByCommit);
  if (!doomed_.empty()) StartReaping();
}

// Frees pages, values and keys, some `limit` of them. The trees are as they were: what is not freed
// yet is not written over. False where there is no memory to go on.
bool Pool::Impl::Reap(size_t limit) {
  while (limit > 0 && !doomed_.empty()) {
    const char* data = store->LoadPage(doomed_.back());
    // What a damaged page leads to stays as it is until the pool is opened again.
    if (data != nullptr && !HasRoomFor(&doomed_, Page(data).count())) return false;
    doomed_.pop_back();
    limit -= std::min(limit, data == nullptr ? 1 : ReapPage(data));
  }
  if (doomed_.empty() && doomed_.capacity() > kKeptItems) doomed_.shrink_to_fit();
  return true;
}

// There is room for its children.
size_t Pool::Impl::ReapPage(const char* data) {
  Page page(data);
  const uint32_t number = page.header().number;
  auto release = [this](const char* reference) {
    BlobRef ref = BlobRef::Load(reference);
    Transaction::Release(store.get(), {ref.offset(), 0, ref.size});
  };
  for (uint32_t i = 0; i < page.count(); i++) {
    PageEntry entry = page.entry(i);
    if (entry.key_blob != nullptr) release(entry.key_blob);
    if (page.level() == 0) {
      if (entry.flags & kEntryValueBlob) release(entry.payload.data());
    } else if (page.level() > 1 || (entry.flags & kEntryChildHasBlobs)) {
      doomed_.push_back(entry.child());
    } else {
      store->space()->FreePage(uint64_t{entry.child()} * kPageSize);
    }
  }
  size_t count = page.count();
  store->space()->FreePage(uint64_t{number} * kPageSize);
  return count + 1;
}

// All of it, for one who waits; others may write meanwhile.
void Pool::Impl::ReapAll() {
  for (;;) {
    std::lock_guard<std::mutex> lock(write_mutex);
    if (closed || doomed_.empty() || !Reap(kByThread)) return;
  }
}

// Without a thread, a later commit tries again.
void Pool::Impl::StartReaping() {
  if (reaping_.exchange(true)) return;
  if (reaper_.joinable()) reaper_.join();
  try {
    reaper_ = std::thread([this] { RunReaper(); });
  } catch (const std::exception&) {
    reaping_ = false;
  }
}

void Pool::Impl::StopReaping() {
  reaper_stop_ = true;
  if (reaper_.joinable()) reaper_.join();
}

void Pool::Impl::RunReaper() {
  bool more = true;
  while (more && !reaper_stop_) {
    std::this_thread::sleep_for(kPause);
    // Who commits goes first.
    if (!write_mutex.try_lock()) continue;
    more = Reap(kByThread) && !doomed_.empty();
    if (!more) reaping_ = false;
    write_mutex.unlock();
  }
}

}  // namespace potoroo
