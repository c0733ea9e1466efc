#include <new>
#include <vector>

#include "engine/base/memory.h"
#include "engine/pool/snapshot_impl.h"
#include "engine/tree/counts.h"
#include "engine/tree/search.h"

namespace potoroo {

using engine::BlobRef;
using engine::Guarded;
using engine::kEntryValueBlob;
using engine::Page;
using engine::PageEntry;
using engine::Place;
using engine::StatusOf;
using engine::Store;

// A row takes less time than its value takes to arrive from memory, so the cursor prefetches for
// the next steps: the leaf beside this one, and the values of this many entries.
constexpr uint32_t kAhead = 8;

struct Cursor::Impl {
  Impl(std::unique_ptr<Snapshot::Impl> pinned, uint32_t map)
      : snapshot(std::move(pinned)),
        closed(&snapshot->pool->core.closed),
        // Not used once the pool is closed.
        from(snapshot->pool->core.store.get()) {
    Pool::Impl* pool = snapshot->pool.get();
    Code found = Closed() ? Code::kInvalid : pool->core.FindRoot(snapshot->state, map, &root);
    // A map that the snapshot does not have yet is an empty one.
    if (found != Code::kOk && found != Code::kNotFound) code = found;
    if (found != Code::kOk) root = 0;
    // Moving takes no memory then.
    path.reserve(engine::kMaxLevel + 1);
  }

  bool Closed() const { return closed->load(std::memory_order_acquire); }
  const Store& store() const { return *from; }

  // Position of the path in a page. The last one is the leaf.
  struct Step {
    Page page;
    uint32_t index;
  };

  bool Fail(Code why) {
    code = why;
    valid = false;
    return false;
  }

  // The cursor fails if there is no memory for a value that has to be decrypted.
  template <typename Call>
  void Guard(Call call) {
    try {
      call();
    } catch (const std::bad_alloc&) {
      Fail(Code::kNoMemory);
    }
  }
  void SeekAtLeast(Bytes key);

  bool Enter(uint32_t number, const Step* parent);
  bool Start();
  void Descend(bool to_last);
  void Move(bool forward);
  void MoveToLeaf(bool forward);
  bool Skip(uint64_t count, bool forward);
  bool SkipLeaves(uint64_t count, bool forward);
  bool SkipDown(uint64_t count, bool forward);
  uint32_t LeafBeside(bool forward) const;
  void PrefetchLeafBeside(bool forward) const;
  void PrefetchAhead(bool forward);
  void Load();
  bool LoadKey(Page leaf, const PageEntry& entry);

  std::unique_ptr<Snapshot::Impl> snapshot;
  const std::atomic<bool>* const closed;
  const Store* const from;
  uint32_t root = 0;
  Code code = Code::kOk;
  bool valid = false;
  std::vector<Step> path;
  // The leaf that comes after, or before, the leaf `beside_of`: only to look ahead.
  const char* beside_of = nullptr;
  const char* beside = nullptr;
  // The prefix of the leaf `prefix_of`, where it has one, and what belongs to the key after it.
  const char* prefix_of = nullptr;
  char buffer[engine::kMaxPrefix + engine::kMaxInlineKey];
  Bytes key, value;
};

bool Cursor::Impl::Enter(uint32_t number, const Step* parent) {
  const char* data = parent == nullptr ? store().LoadPage(number)
                                       : store().LoadPage(number, parent->page.level() - 1);
  if (data == nullptr) return Fail(Code::kCorrupt);
  path.push_back({Page(data), 0});
  return true;
}

// Stands on the root page.
bool Cursor::Impl::Start() {
  path.clear();
  valid = false;
  if (Closed()) return Fail(Code::kInvalid);
  if (code != Code::kOk || root == 0) return false;
  return Enter(root, nullptr);
}

// Descends from the last page of the path to its first or last leaf.
void Cursor::Impl::Descend(bool to_last) {
  for (;;) {
    Step& step = path.back();
    if (step.page.level() == 0) break;
    Step parent = step;
    if (!Enter(parent.page.child(parent.index), &parent)) return;
    Step& below = path.back();
    below.index = to_last ? below.page.count() - 1 : 0;
  }
  Load();
}

// Whether the page is still that of before: one whose memory was lost (see mapping.h) is empty.
static bool IsThere(Page page) { return page.count() > 0; }

void Cursor::Impl::Move(bool forward) {
  Step& leaf = path.back();
  if (!IsThere(leaf.page)) {
    Fail(Code::kCorrupt);
    return;
  }
  if (leaf.index == (forward ? leaf.page.count() - 1 : 0)) return MoveToLeaf(forward);
  leaf.index += forward ? 1 : -1;
  PrefetchAhead(forward);
  Load();
}

// Moves to the next leaf, or the one before.
void Cursor::Impl::MoveToLeaf(bool forward) {
  auto at_end = [forward](const Step& step) {
    return step.index == (forward ? step.page.count() - 1 : 0);
  };
  while (!path.empty() && at_end(path.back())) path.pop_back();
  if (path.empty()) {
    valid = false;
    return;
  }
  if (!IsThere(path.back().page)) {
    Fail(Code::kCorrupt);
    return;
  }
  path.back().index += forward ? 1 : -1;
  Descend(!forward);
  if (!valid) return;
  PrefetchLeafBeside(forward);
  PrefetchAhead(forward);
}

bool Cursor::Impl::Skip(uint64_t count, bool forward) {
  Step& leaf = path.back();
  if (!IsThere(leaf.page)) return Fail(Code::kCorrupt);
  const uint32_t ahead = forward ? leaf.page.count() - 1 - leaf.index : leaf.index;
  if (count <= ahead) {
    leaf.index += static_cast<uint32_t>(forward ? count : -count);
    Load();
    return true;
  }
  std::vector<Step> before = path;
  if (SkipLeaves(count - ahead - 1, forward) || code != Code::kOk) return true;
  path.swap(before);
  return false;
}

// Moves to the entry that comes `count` entries after the first one behind this leaf; or before.
bool Cursor::Impl::SkipLeaves(uint64_t count, bool forward) {
  for (path.pop_back(); !path.empty(); path.pop_back()) {
    Step& step = path.back();
    if (!IsThere(step.page)) return Fail(Code::kCorrupt);
    step.index += forward ? 1 : -1;
    if (!engine::SkipChildren(store(), step.page, forward, &step.index, &count, &code)) {
      return code != Code::kOk && Fail(code);
    }
    if (step.index < step.page.count()) return SkipDown(count, forward);
  }
  valid = false;
  return true;
}

bool Cursor::Impl::SkipDown(uint64_t count, bool forward) {
  while (path.back().page.level() > 0) {
    Step parent = path.back();
    if (!Enter(parent.page.child(parent.index), &parent)) return false;
    Step& step = path.back();
    step.index = forward ? 0 : step.page.count() - 1;
    if (step.page.level() == 0) break;
    if (!engine::SkipChildren(store(), step.page, forward, &step.index, &count, &code)) {
      return code != Code::kOk && Fail(code);
    }
    if (step.index == step.page.count()) return Fail(Code::kCorrupt);
  }
  Step& leaf = path.back();
  if (count >= leaf.page.count()) return Fail(Code::kCorrupt);
  leaf.index += static_cast<uint32_t>(forward ? count : -count);
  Load();
  return true;
}

// 0 where the parent has no other in that direction.
uint32_t Cursor::Impl::LeafBeside(bool forward) const {
  if (path.size() < 2) return 0;
  const Step& parent = path[path.size() - 2];
  // One before the first is above all numbers.
  uint32_t index = parent.index + (forward ? 1 : -1);
  return index < parent.page.count() ? parent.page.child(index) : 0;
}

void Cursor::Impl::PrefetchLeafBeside(bool forward) const {
  uint32_t number = LeafBeside(forward);
  if (number != 0) store().PrefetchPage(number);
}

void Cursor::Impl::PrefetchAhead(bool forward) {
  Page leaf = path.back().page;
  uint32_t ahead = path.back().index + (forward ? kAhead : -kAhead);
  if (ahead >= leaf.count()) {
    if (beside_of != leaf.data()) {
      beside_of = leaf.data();
      uint32_t number = LeafBeside(forward);
      beside = number == 0 ? nullptr : store().LoadPage(number, 0);
    }
    if (beside == nullptr) return;
    ahead = forward ? ahead - leaf.count() : ahead + Page(beside).count();
    leaf = Page(beside);
    if (ahead >= leaf.count()) return;
  }
  PageEntry entry = leaf.entry(ahead);
  if (entry.flags & kEntryValueBlob) store().PrefetchBlob(BlobRef::Load(entry.payload.data()));
}

bool Cursor::Impl::LoadKey(Page leaf, const PageEntry& entry) {
  if (entry.key_blob != nullptr) return store().LoadBlob(BlobRef::Load(entry.key_blob), &key);
  size_t prefix = leaf.header().prefix;
  if (prefix == 0) {
    key = entry.suffix;
    return true;
  }
  if (prefix_of != leaf.data()) {
    memcpy(buffer, leaf.prefix().data(), prefix);
    prefix_of = leaf.data();
  }
  memcpy(buffer + prefix, entry.suffix.data(), entry.suffix.size());
  key = {buffer, prefix + entry.suffix.size()};
  return true;
}

void Cursor::Impl::Load() {
  const Step& step = path.back();
  PageEntry entry = step.page.entry(step.index);
  valid = LoadKey(step.page, entry) && LoadValue(store(), entry, &value);
  if (!valid) code = Code::kCorrupt;
}

Cursor::Cursor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cursor::~Cursor() = default;

std::unique_ptr<Cursor> Snapshot::NewCursor(uint32_t map) const {
  try {
    auto impl = std::make_unique<Cursor::Impl>(impl_->Again(), map);
    return std::unique_ptr<Cursor>(new Cursor(std::move(impl)));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool Cursor::Valid() const { return impl_->valid && !impl_->Closed(); }

Status Cursor::status() const {
  return Guarded([this] { return StatusOf(impl_->Closed() ? Code::kInvalid : impl_->code); });
}

void Cursor::SeekFirst() {
  impl_->Guard([this] {
    if (impl_->Start()) impl_->Descend(false);
  });
}

void Cursor::SeekLast() {
  impl_->Guard([this] {
    if (!impl_->Start()) return;
    impl_->path.back().index = impl_->path.back().page.count() - 1;
    impl_->Descend(true);
  });
}

void Cursor::Impl::SeekAtLeast(Bytes wanted) {
  if (!Start()) return;
  while (path.back().page.level() > 0) {
    Step& step = path.back();
    Place place = FindChild(store(), step.page, wanted);
    if (!place.ok) {
      Fail(Code::kCorrupt);
      return;
    }
    step.index = place.index;
    Step parent = step;
    if (!Enter(parent.page.child(parent.index), &parent)) return;
  }
  Step& leaf = path.back();
  Place place = LowerBound(store(), leaf.page, wanted);
  if (!place.ok) {
    Fail(Code::kCorrupt);
  } else if (place.index < leaf.page.count()) {
    leaf.index = place.index;
    Load();
  } else {
    leaf.index = leaf.page.count() - 1;
    MoveToLeaf(true);
  }
}

void Cursor::SeekAtLeast(Bytes key) {
  impl_->Guard([&] { impl_->SeekAtLeast(key); });
}

void Cursor::SeekAtMost(Bytes key) {
  SeekAtLeast(key);
  if (impl_->code != Code::kOk) return;
  if (!impl_->valid) {
    SeekLast();
  } else if (impl_->key != key) {
    impl_->Guard([this] { impl_->Move(false); });
  }
}

void Cursor::Next() {
  if (Valid()) impl_->Guard([this] { impl_->Move(true); });
}

void Cursor::Prev() {
  if (Valid()) impl_->Guard([this] { impl_->Move(false); });
}

bool Cursor::Skip(uint64_t count, bool forward) {
  bool known = true;
  if (Valid()) impl_->Guard([&] { known = impl_->Skip(count, forward); });
  return known;
}

Bytes Cursor::key() const { return impl_->key; }
Bytes Cursor::value() const { return impl_->value; }

}  // namespace potoroo
