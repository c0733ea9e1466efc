#include <vector>

#include "search.h"
#include "snapshot_impl.h"

namespace potoroo {

struct Cursor::Impl {
  Impl(std::unique_ptr<Snapshot::Impl> pinned, uint32_t map) : snapshot(std::move(pinned)) {
    Pool::Impl* pool = snapshot->pool.get();
    Code found = Closed() ? Code::kInvalid : pool->FindRoot(snapshot->state, map, &root);
    // A map that the snapshot does not have yet is an empty one.
    if (found != Code::kOk && found != Code::kNotFound) code = found;
    if (found != Code::kOk) root = 0;
  }

  bool Closed() const { return snapshot->pool->closed.load(std::memory_order_acquire); }
  const Store& store() const { return *snapshot->pool->store; }

  // Where the path stands in a page. The last one is the leaf.
  struct Step {
    Page page;
    uint32_t index;
  };

  bool Fail(Code why) {
    code = why;
    valid = false;
    return false;
  }

  bool Enter(uint32_t number, const Step* parent);
  bool Start();
  void Descend(bool to_last);
  void Advance();
  void Retreat();
  void Load();

  std::unique_ptr<Snapshot::Impl> snapshot;
  uint32_t root = 0;
  Code code = Code::kOk;
  bool valid = false;
  std::vector<Step> path;
  std::string buffer;
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

// From the last page of the path down to its first or last leaf.
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

void Cursor::Impl::Advance() {
  while (!path.empty() && path.back().index + 1 >= path.back().page.count()) path.pop_back();
  if (path.empty()) {
    valid = false;
    return;
  }
  path.back().index++;
  Descend(false);
}

void Cursor::Impl::Retreat() {
  while (!path.empty() && path.back().index == 0) path.pop_back();
  if (path.empty()) {
    valid = false;
    return;
  }
  path.back().index--;
  Descend(true);
}

void Cursor::Impl::Load() {
  const Step& step = path.back();
  valid = WholeKey(store(), step.page, step.index, &buffer, &key) &&
          LoadValue(store(), step.page.entry(step.index), &value);
  if (!valid) code = Code::kCorrupt;
}

Cursor::Cursor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cursor::~Cursor() = default;

std::unique_ptr<Cursor> Snapshot::NewCursor(uint32_t map) const {
  auto impl = std::make_unique<Cursor::Impl>(impl_->Again(), map);
  return std::unique_ptr<Cursor>(new Cursor(std::move(impl)));
}

bool Cursor::Valid() const { return impl_->valid && !impl_->Closed(); }

Status Cursor::status() const { return StatusOf(impl_->Closed() ? Code::kInvalid : impl_->code); }

void Cursor::SeekFirst() {
  if (impl_->Start()) impl_->Descend(false);
}

void Cursor::SeekLast() {
  if (!impl_->Start()) return;
  impl_->path.back().index = impl_->path.back().page.count() - 1;
  impl_->Descend(true);
}

void Cursor::SeekAtLeast(Bytes key) {
  if (!impl_->Start()) return;
  while (impl_->path.back().page.level() > 0) {
    Impl::Step& step = impl_->path.back();
    Place place = FindChild(impl_->store(), step.page, key);
    if (!place.ok) {
      impl_->Fail(Code::kCorrupt);
      return;
    }
    step.index = place.index;
    Impl::Step parent = step;
    if (!impl_->Enter(parent.page.child(parent.index), &parent)) return;
  }
  Impl::Step& leaf = impl_->path.back();
  Place place = LowerBound(impl_->store(), leaf.page, key);
  if (!place.ok) {
    impl_->Fail(Code::kCorrupt);
  } else if (place.index < leaf.page.count()) {
    leaf.index = place.index;
    impl_->Load();
  } else {
    leaf.index = leaf.page.count() - 1;
    impl_->Advance();
  }
}

void Cursor::SeekAtMost(Bytes key) {
  SeekAtLeast(key);
  if (impl_->code != Code::kOk) return;
  if (!impl_->valid) {
    SeekLast();
  } else if (impl_->key != key) {
    impl_->Retreat();
  }
}

void Cursor::Next() {
  if (Valid()) impl_->Advance();
}

void Cursor::Prev() {
  if (Valid()) impl_->Retreat();
}

Bytes Cursor::key() const { return impl_->key; }
Bytes Cursor::value() const { return impl_->value; }

}  // namespace potoroo
