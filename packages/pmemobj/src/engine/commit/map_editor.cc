#include "engine/commit/map_editor.h"

#include <algorithm>

#include "engine/commit/mover.h"
#include "engine/tree/walk.h"

namespace potoroo::engine {

void MapEditor::Begin(bool thorough) {
  new_roots_.clear();
  writer_.set_thorough(thorough);
}

Code MapEditor::Apply(const CommitMode& mode, const Change& change, uint32_t* directory) {
  if (change.stretch != nullptr) return Move(change.stretch, directory);
  if (change.kind == LogKind::kCreateMap) return CreateMap(change.name, directory);
  if (change.kind == LogKind::kDropMap) return DropMap(change.name, mode.goes_back, directory);
  bool one = change.count == 1 && change.operations[0].kind != Operation::Kind::kDeleteRange;
  return one ? ApplyOne(change.operations[0], directory)
             : ApplyOperations(change.operations, change.count, directory);
}

void MapEditor::Prepare() {
  for (uint64_t root : new_roots_) MakePlaceOf(root);
}

void MapEditor::Finish() {
  for (uint64_t root : new_roots_) {
    NoteMapRoot(root);
    if (static_cast<uint32_t>(root) != State::kNoRoot) continue;
    core_->names.Drop(static_cast<uint32_t>((root >> 32) - 1), core_->epoch);
  }
}

uint32_t MapEditor::MakePlaceOf(uint64_t root) {
  uint32_t place = MapNames::PlaceOf(static_cast<uint32_t>((root >> 32) - 1));
  if (place >= map_roots_.size()) map_roots_.resize(place + 1);
  return place;
}

void MapEditor::NoteMapRoot(uint64_t root) { map_roots_[MakePlaceOf(root)] = root; }

Code MapEditor::RootOf(uint32_t map, Bytes name, uint32_t* map_root) {
  uint32_t place = MapNames::PlaceOf(map);
  if (place < map_roots_.size() && map_roots_[place] >> 32 == uint64_t{map} + 1) {
    *map_root = static_cast<uint32_t>(map_roots_[place]);
    return Code::kOk;
  }
  Code code = core_->FindRootByName(core_->directory, name, map_root);
  if (code == Code::kOk) NoteMapRoot(State::RootWord(map, *map_root));
  return code;
}

// Notes, for the directory, that a map has a new root.
void MapEditor::NoteRoot(uint32_t map, Bytes name, uint32_t map_root) {
  new_roots_.push_back(State::RootWord(map, map_root));
  DirectoryValue value{map_root, 0};
  Bytes bytes = transaction_->arena()->Keep({reinterpret_cast<const char*>(&value), sizeof value});
  directory_edits_.points.push_back({name, bytes, true});
}

// The operations of the group.
Code MapEditor::ApplyToMap(uint32_t map) {
  const std::string* name;
  uint32_t before, map_root;
  Code code = core_->names.Latest(map, &name);
  if (code == Code::kOk) code = RootOf(map, *name, &before);
  if (code != Code::kOk) return code;
  CollectEdits(&group_, &edits_);
  map_root = before;
  code = writer_.Apply(edits_, &map_root);
  if (code == Code::kOk && map_root != before) NoteRoot(map, *name, map_root);
  return code;
}

// Mostly, nothing but a leaf changes.
Code MapEditor::ApplyOne(const Operation& operation, uint32_t* directory) {
  const std::string* name;
  uint32_t before, map_root;
  Code code = core_->names.Latest(operation.map, &name);
  if (code == Code::kOk) code = RootOf(operation.map, *name, &before);
  if (code != Code::kOk) return code;
  map_root = before;
  code = writer_.ApplyPoint(PointOf(operation), &map_root);
  if (code != Code::kOk || map_root == before) return code;
  directory_edits_.points.clear();
  NoteRoot(operation.map, *name, map_root);
  return writer_.Apply(directory_edits_, directory);
}

Code MapEditor::ApplyOperations(const Operation* operations, size_t count, uint32_t* directory) {
  pending_.clear();
  bool one_map = true;
  for (size_t i = 0; i < count; i++) {
    pending_.push_back(&operations[i]);
    one_map = one_map && operations[i].map == operations[0].map;
  }
  if (!one_map) {
    std::stable_sort(pending_.begin(), pending_.end(),
                     [](const Operation* a, const Operation* b) { return a->map < b->map; });
  }
  directory_edits_.points.clear();
  for (size_t from = 0; from < count;) {
    size_t to = from;
    uint32_t map = pending_[from]->map;
    while (to < count && pending_[to]->map == map) to++;
    group_.assign(pending_.begin() + static_cast<ptrdiff_t>(from),
                  pending_.begin() + static_cast<ptrdiff_t>(to));
    Code code = ApplyToMap(map);
    if (code != Code::kOk) return code;
    from = to;
  }
  std::vector<Point>& points = directory_edits_.points;
  if (points.empty()) return Code::kOk;
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.key < b.key; });
  return writer_.Apply(directory_edits_, directory);
}

Code MapEditor::CreateMap(Bytes name, uint32_t* directory) {
  DirectoryValue value{};
  directory_edits_.points = {{name, {reinterpret_cast<const char*>(&value), sizeof value}, true}};
  Code code = writer_.Apply(directory_edits_, directory);
  if (code == Code::kOk)
    new_roots_.push_back(State::RootWord(core_->names.Add(name, core_->epoch + 1), 0));
  return code;
}

Code MapEditor::DropMap(Bytes name, bool goes_back, uint32_t* directory) {
  uint32_t map_root;
  Code code = core_->FindRootByName(core_->directory, name, &map_root);
  if (code == Code::kOk) code = writer_.Drop(map_root);
  if (code != Code::kOk) return code;
  uint32_t map;
  if (core_->names.Find(name, &map) && goes_back) {
    // Callers may have its number, of a map that a later commit has made again.
    map_roots_[MakePlaceOf(State::RootWord(map, 0))] = 0;
  } else if (core_->names.Find(name, &map)) {
    transaction_->RetireMap(map);
    new_roots_.push_back(State::RootWord(map, State::kNoRoot));
  }
  directory_edits_.points = {{name, {}, false}};
  return writer_.Apply(directory_edits_, directory);
}

// Moves a stretch of a tree; nothing changes for readers.
Code MapEditor::Move(Stretch* stretch, uint32_t* directory) {
  Mover mover(transaction_);
  const NamedMap& map = stretch->map;
  if (map.map == kNoMap) return mover.Move(directory, &stretch->from, &stretch->done);
  uint32_t before, root;
  Code code = core_->FindRootByName(core_->directory, map.name, &before);
  if (code != Code::kOk) return code;
  root = before;
  code = mover.Move(&root, &stretch->from, &stretch->done);
  if (code != Code::kOk || root == before) return code;
  directory_edits_.points.clear();
  NoteRoot(map.map, map.name, root);
  return writer_.Apply(directory_edits_, directory);
}

}  // namespace potoroo::engine
