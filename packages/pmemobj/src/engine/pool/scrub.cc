// Scrubbing: verifies again what was verified once, so that rot is found before it is needed.
//
// It reads what the last checkpoint leads to: that is durable, its pages have their checksums, and
// nothing of it is changed or given to others while it is kept. It is kept for one step only.
//
// A step ends before an entry whose key is sound, and the next one looks for that key. It goes by
// sound keys alone: a damaged one may say anything, and the search must lead no further back than
// it was.
#include <string>
#include <utility>

#include "engine/base/memory.h"
#include "engine/pool/pool_impl.h"
#include "engine/tree/search.h"

namespace potoroo::engine {
namespace {

class Scrubber {
 public:
  Scrubber(const Store& store, uint64_t bytes, ScrubStep* step)
      : store_(store), budget_(bytes), step_(step), first_map_(step->map), first_key_(step->key) {
    *step = ScrubStep();
  }
  void Run(uint32_t directory) {
    if (!first_map_.empty()) seek_ = &first_map_;
    VisitRoot(directory, true);
    step_->done = !stopped_;
  }

 private:
  void VisitRoot(uint32_t root, bool directory);
  void Visit(uint32_t number, uint32_t level, bool directory, const std::string& low);
  void VisitChildren(Page page, bool directory, const std::string& low);
  void VisitLeaf(Page page, bool directory);
  void VisitMap(const PageEntry& entry, const std::string& name);
  void VisitValue(const PageEntry& entry, const std::string& key);
  bool VisitKey(Page page, uint32_t index, std::string* key);
  bool SoundKey(Page page, uint32_t index, std::string* key) const;
  void FindChildren(Page page, uint32_t* first, uint32_t* last) const;
  uint32_t FindFirst(Page page);
  bool Stop(bool directory, const std::string& key);
  void Fault(const char* kind, uint64_t offset, std::string key) {
    step_->faults.push_back({kind, offset, map_, std::move(key)});
  }

  const Store& store_;
  const uint64_t budget_;
  ScrubStep* const step_;
  const std::string first_map_, first_key_;
  // Until an entry is found whose key is not below it; or nullptr.
  const std::string* seek_ = nullptr;
  std::string map_;        // that is read; empty: the directory
  bool nameless_ = false;  // the map's name is damaged: nothing leads back to it
  uint64_t entries_ = 0;
  bool stopped_ = false;
};

void Scrubber::VisitRoot(uint32_t root, bool directory) {
  if (root == 0) return;
  // Its level is what it says.
  const char* data = store_.LoadPage(root);
  if (data == nullptr) {
    step_->bytes += kPageSize;
    return Fault("page", uint64_t{root} * kPageSize, "");
  }
  Visit(root, Page(data).level(), directory, "");
}

void Scrubber::Visit(uint32_t number, uint32_t level, bool directory, const std::string& low) {
  step_->pages++;
  step_->bytes += kPageSize;
  uint64_t offset = uint64_t{number} * kPageSize;
  const char* data = store_.ScrubPage(number, level) ? store_.LoadPage(number, level) : nullptr;
  if (data == nullptr) return Fault("page", offset, low);
  Page page(data);
  if (level > 0) {
    VisitChildren(page, directory, low);
  } else {
    VisitLeaf(page, directory);
  }
}

// The key is nothing where it is damaged.
bool Scrubber::SoundKey(Page page, uint32_t index, std::string* key) const {
  const PageEntry entry = page.entry(index);
  if (entry.key_blob != nullptr && !store_.ScrubBlob(BlobRef::Load(entry.key_blob))) return false;
  std::string buffer;
  Bytes whole;
  if (!WholeKey(store_, page, index, &buffer, &whole)) return false;
  key->assign(whole);
  return true;
}

// The children that may have the key that is looked for: one, unless keys between them are damaged.
void Scrubber::FindChildren(Page page, uint32_t* first, uint32_t* last) const {
  *first = *last = 0;
  std::string key;
  for (uint32_t i = 1; i < page.count(); i++) {
    const bool sound = SoundKey(page, i, &key);
    if (sound && key > *seek_) return;
    *last = i;
    if (sound) *first = i;
  }
}

void Scrubber::VisitChildren(Page page, bool directory, const std::string& low) {
  uint32_t first = 0, last = 0;
  if (seek_ != nullptr) FindChildren(page, &first, &last);
  std::string key = low;
  for (uint32_t i = first; i < page.count() && !stopped_; i++) {
    if (i > last) seek_ = nullptr;
    // The step before has reported the damage that lies before the place that is looked for.
    const bool again = seek_ != nullptr && first < last;
    const size_t reported = step_->faults.size();
    if (i > 0 && !(again && i > first)) VisitKey(page, i, &key);
    Visit(page.child(i), page.level() - 1, directory, key);
    if (again && seek_ != nullptr) step_->faults.resize(reported);
  }
}

// The place where the search ends, if it ends here.
uint32_t Scrubber::FindFirst(Page page) {
  std::string key;
  for (uint32_t i = 0; i < page.count(); i++) {
    if (!SoundKey(page, i, &key) || key < *seek_) continue;
    seek_ = nullptr;
    return i;
  }
  return page.count();
}

void Scrubber::VisitLeaf(Page page, bool directory) {
  std::string key;
  for (uint32_t i = seek_ == nullptr ? 0 : FindFirst(page); i < page.count(); i++) {
    bool known = VisitKey(page, i, &key);
    if (known && Stop(directory, key)) return;
    entries_++;
    if (directory) {
      nameless_ = !known;
      VisitMap(page.entry(i), key);
      nameless_ = false;
      if (stopped_) return;
    } else {
      VisitValue(page.entry(i), key);
    }
  }
}

// False where it is damaged; then `key` is what the page has of it.
bool Scrubber::VisitKey(Page page, uint32_t index, std::string* key) {
  PageEntry entry = page.entry(index);
  key->assign(page.prefix()).append(entry.suffix);
  if (entry.key_blob == nullptr) return true;
  BlobRef ref = BlobRef::Load(entry.key_blob);
  step_->bytes += ref.size;
  std::string buffer;
  Bytes whole;
  if (!store_.ScrubBlob(ref) || !WholeKey(store_, page, index, &buffer, &whole)) {
    Fault("key", ref.offset(), *key);
    return false;
  }
  key->assign(whole);
  return true;
}

// Every step reads one entry at least, and the next one begins behind where it has begun.
bool Scrubber::Stop(bool directory, const std::string& key) {
  if (step_->bytes < budget_ || entries_ == 0 || nameless_) return false;
  const std::string& map = directory ? key : map_;
  if (map < first_map_ || (map == first_map_ && (directory || key <= first_key_))) return false;
  stopped_ = true;
  step_->map = map;
  step_->key = directory ? std::string() : key;
  return true;
}

void Scrubber::VisitMap(const PageEntry& entry, const std::string& name) {
  DirectoryValue value;
  if ((entry.flags & kEntryValueBlob) || entry.payload.size() != sizeof value) return;
  memcpy(&value, entry.payload.data(), sizeof value);
  map_ = name;
  entries_ = 0;
  seek_ = name == first_map_ && !first_key_.empty() ? &first_key_ : nullptr;
  VisitRoot(value.root, false);
  seek_ = nullptr;
  map_.clear();
  entries_ = 1;
}

void Scrubber::VisitValue(const PageEntry& entry, const std::string& key) {
  if (!(entry.flags & kEntryValueBlob) || (entry.flags & kEntryBuffer)) return;
  BlobRef ref = BlobRef::Load(entry.payload.data());
  step_->values++;
  step_->bytes += ref.size;
  if (!store_.ScrubBlob(ref)) Fault("value", ref.offset(), key);
}

}  // namespace
}  // namespace potoroo::engine

namespace potoroo {

Status Pool::Scrub(uint64_t bytes, ScrubStep* step) const {
  Impl* pool = impl_.get();
  if (pool->core.closed.load(std::memory_order_acquire)) return engine::StatusOf(Code::kInvalid);
  std::shared_lock<std::shared_mutex> lock(pool->scrub_mutex);
  engine::State* state = pool->core.states.KeepDurable();
  Status status = engine::Guarded([&] {
    ScrubStep next = *step;
    engine::Scrubber(*pool->core.store, bytes, &next).Run(state->directory);
    *step = std::move(next);
    return Status::Ok();
  });
  pool->core.states.Release(state);
  lock.unlock();
  pool->LimitDecrypted();
  return status;
}

}  // namespace potoroo
