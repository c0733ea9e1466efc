// Scrubbing: verifies again what was verified once, so that rot is found before it is needed.
//
// It reads what the last checkpoint leads to: that is durable, its pages have their checksums, and
// nothing of it is changed or given to others while it is kept. It is kept for one step only.
#include <string>
#include <utility>

#include "engine/base/memory.h"
#include "engine/pool/pool_impl.h"
#include "engine/tree/search.h"

namespace potoroo {
namespace {

class Scrubber {
 public:
  Scrubber(const Store& store, uint64_t bytes, ScrubStep* step)
      : store_(store), budget_(bytes), step_(step), first_map_(step->map), first_key_(step->key) {
    *step = ScrubStep();
  }
  void Run(uint32_t directory) {
    VisitRoot(directory, true, &first_map_);
    step_->done = !stopped_;
  }

 private:
  void VisitRoot(uint32_t root, bool directory, const std::string* from);
  void Visit(uint32_t number, uint32_t level, bool directory, const std::string* from,
             const std::string& low);
  void VisitChildren(Page page, bool directory, const std::string* from, const std::string& low);
  void VisitLeaf(Page page, bool directory, const std::string* from);
  void VisitMap(const PageEntry& entry, const std::string& name);
  void VisitValue(const PageEntry& entry, const std::string& key);
  bool VisitKey(Page page, uint32_t index, std::string* key);
  bool Stop(bool directory, const std::string& key);
  void Fault(const char* kind, uint64_t offset, std::string key) {
    step_->faults.push_back({kind, offset, map_, std::move(key)});
  }

  const Store& store_;
  const uint64_t budget_;
  ScrubStep* const step_;
  const std::string first_map_, first_key_;
  std::string map_;  // that is read; empty: the directory
  uint64_t entries_ = 0;
  bool stopped_ = false;
};

void Scrubber::VisitRoot(uint32_t root, bool directory, const std::string* from) {
  if (root == 0) return;
  // Its level is what it says.
  const char* data = store_.LoadPage(root);
  if (data == nullptr) {
    step_->bytes += kPageSize;
    return Fault("page", uint64_t{root} * kPageSize, "");
  }
  Visit(root, Page(data).level(), directory, from, "");
}

void Scrubber::Visit(uint32_t number, uint32_t level, bool directory, const std::string* from,
                     const std::string& low) {
  step_->pages++;
  step_->bytes += kPageSize;
  uint64_t offset = uint64_t{number} * kPageSize;
  const char* data = store_.ScrubPage(number, level) ? store_.LoadPage(number, level) : nullptr;
  if (data == nullptr) return Fault("page", offset, low);
  Page page(data);
  if (level > 0) {
    VisitChildren(page, directory, from, low);
  } else {
    VisitLeaf(page, directory, from);
  }
}

void Scrubber::VisitChildren(Page page, bool directory, const std::string* from,
                             const std::string& low) {
  Place place = from == nullptr ? Place{true, false, 0} : FindChild(store_, page, *from);
  const uint32_t first = place.ok ? place.index : 0;
  std::string key = low;
  for (uint32_t i = first; i < page.count() && !stopped_; i++) {
    if (i > 0) VisitKey(page, i, &key);
    Visit(page.child(i), page.level() - 1, directory, i == first ? from : nullptr, key);
  }
}

void Scrubber::VisitLeaf(Page page, bool directory, const std::string* from) {
  Place place = from == nullptr ? Place{true, false, 0} : LowerBound(store_, page, *from);
  std::string key;
  for (uint32_t i = place.ok ? place.index : 0; i < page.count(); i++) {
    bool known = VisitKey(page, i, &key);
    if (known && Stop(directory, key)) return;
    entries_++;
    if (directory) {
      VisitMap(page.entry(i), key);
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

// Every step reads one entry at least.
bool Scrubber::Stop(bool directory, const std::string& key) {
  if (step_->bytes < budget_ || entries_ == 0) return false;
  stopped_ = true;
  step_->map = directory ? key : map_;
  step_->key = directory ? std::string() : key;
  return true;
}

void Scrubber::VisitMap(const PageEntry& entry, const std::string& name) {
  DirectoryValue value;
  if ((entry.flags & kEntryValueBlob) || entry.payload.size() != sizeof value) return;
  memcpy(&value, entry.payload.data(), sizeof value);
  map_ = name;
  entries_ = 0;
  VisitRoot(value.root, false, name == first_map_ ? &first_key_ : nullptr);
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

Status Pool::Scrub(uint64_t bytes, ScrubStep* step) const {
  Impl* pool = impl_.get();
  if (pool->closed.load(std::memory_order_acquire)) return StatusOf(Code::kInvalid);
  State* state = pool->states.KeepDurable();
  Status status = Guarded([&] {
    ScrubStep next = *step;
    Scrubber(*pool->store, bytes, &next).Run(state->directory);
    *step = std::move(next);
    return Status::Ok();
  });
  pool->states.Release(state);
  return status;
}

}  // namespace potoroo
