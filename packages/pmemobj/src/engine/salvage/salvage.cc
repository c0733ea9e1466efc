#include "engine/salvage/salvage.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/memory.h"
#include "engine/medium/pool_files.h"
#include "engine/salvage/salvage_fill.h"
#include "engine/salvage/salvage_log.h"
#include "engine/salvage/salvage_roots.h"
#include "engine/salvage/salvage_scan.h"
#include "engine/salvage/salvage_trees.h"
#include "engine/salvage/salvage_undo.h"
#include "engine/salvage/salvage_writer.h"
#include "engine/space/key_slots.h"

namespace potoroo {
namespace engine {
namespace {

class Salvager {
 public:
  explicit Salvager(SalvageReport* report) : pages_(reader_), trees_(pages_), report_(report) {}
  Status Open(const std::string& path);
  Status FindKey(Bytes key);
  Status Run(const std::string& to, const PoolOptions& options);

 private:
  void ChooseSlot(const std::vector<RootSlot>& slots);
  SalvageScan ScanBeside() const;
  void Search();
  void SearchSlots();
  void ReadUndo();
  void BringTrees();
  void BringLeaves(SalvageMap* map, const SalvageTree& tree);
  void BringLost();
  void BringEntry(SalvageMap* map, Page page, uint32_t index, const std::string& key);
  void BringLog();
  void BringOperation(LogKind kind, Bytes key, Bytes value, std::string* map);
  void Lose(SalvageMap* map, SalvageLoss loss);
  SalvageMap* NewMap(std::string name);
  std::string LostName();

  PoolReader reader_;
  std::unique_ptr<Cipher> cipher_;
  SalvagePages pages_;
  SalvageTrees trees_;
  RootSlot slot_{};      // its number is 0 where there is none
  uint64_t latest_ = 0;  // the epoch of the last commit of its log
  FoundPages found_;
  SalvageUndo undo_;
  SalvageWriter writer_;
  SalvageReport* report_;
  size_t lost_names_ = 0;
};

Status Salvager::Open(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return StatusFromErrno(errno, path);
  return reader_.Open(path, S_ISDIR(info.st_mode), PoolReader::For::kSalvage);
}

// A superblock that is sound says whether the pool is encrypted. Without one, users may have stored
// what looks like key slots: then only a key that fits counts.
Status Salvager::FindKey(Bytes key) {
  if (!key.empty() && key.size() != kKeySize) return Status(Code::kInvalid, "a key has 32 bytes");
  auto read = [this](uint64_t offset, void* to, uint64_t size) {
    return reader_.Read(offset, to, size);
  };
  RootView view;
  Status status;
  if (FindSuperblock(reader_, &view))
    status = FindCipher(view.block, view.place, key, read, &cipher_);
  if (status.code() == Code::kCorrupt || (!view.found && !key.empty())) {
    // Copies of the slots lie nowhere, but the pointers to them may have been lost.
    status = Status(Code::kWrongKey, "no key slot is found that this key opens");
    for (uint64_t at = 0; at < reader_.size() && cipher_ == nullptr; at += kBlockSize) {
      Status found = UnwrapKey(at, key, read, &cipher_);
      if (found.ok()) status = found;
    }
  }
  if (status.ok()) pages_.set_cipher(cipher_.get());
  return status;
}

// The latest slot, or the one before where that leads to more, and its log to as late a commit.
void Salvager::ChooseSlot(const std::vector<RootSlot>& slots) {
  slot_ = RootSlot{};
  trees_ = SalvageTrees(pages_);
  for (const RootSlot& slot : slots) {
    SalvageTrees trees(pages_);
    trees.Load(slot);
    SalvageLog log(pages_, slot);
    log.Run([](LogKind, Bytes, Bytes) {});
    bool better = !trees_.whole() && trees.whole() && log.epoch() >= slot_.epoch;
    if (slot_.number != 0 && !better) continue;
    slot_ = slot;
    latest_ = log.epoch();
    trees_ = std::move(trees);
  }
}

SalvageScan Salvager::ScanBeside() const {
  SalvageScan scan(pages_);
  scan.AddReachable(trees_.Reachable());
  scan.AddLog(slot_.log, 2 * uint64_t{slot_.segment_size});
  return scan;
}

// All bytes of the files.
void Salvager::Search() {
  // A page that is encrypted says its place only where it is known already.
  if (cipher_ == nullptr) reader_.MoveFiles(FindFileStarts(reader_));
  ChooseSlot(FindRoots(reader_).slots);
  if (slot_.number != 0 && trees_.whole()) return;
  if (slot_.number == 0) SearchSlots();
  found_ = ScanBeside().Run(slot_.number == 0 ? UINT64_MAX : latest_);
  if (trees_.maps_lost()) trees_.AddLost(found_);
  for (uint32_t number : trees_.Reachable()) found_.erase(number);
}

// Looks for slots that nothing leads to. There must be only one pair that does not lie in a value,
// as far as that can be told without any slot.
void Salvager::SearchSlots() {
  trees_.AddLost(ScanBeside().Run(UINT64_MAX));
  SalvageScan scan = ScanBeside();
  std::vector<FoundRoots> left;
  for (const FoundRoots& roots : SearchRoots(reader_)) {
    if (!scan.IsValue(roots.offset)) left.push_back(roots);
  }
  ChooseSlot(left.size() == 1 ? left[0].slots : std::vector<RootSlot>());
}

void Salvager::ReadUndo() {
  if (slot_.number == 0) return;
  SalvageLog log(pages_, slot_);
  bool on_undo = false;
  uint64_t committed = 0;
  log.Run([&](LogKind kind, Bytes key, Bytes value) {
    if (kind == LogKind::kMap) on_undo = key == kUndoMap;
    if (!on_undo || kind != LogKind::kPut || value.size() != sizeof committed) return;
    memcpy(&committed, value.data(), sizeof committed);
  });
  undo_.Load(pages_, trees_, slot_, committed);
}

SalvageMap* Salvager::NewMap(std::string name) {
  report_->maps.emplace_back();
  report_->maps.back().name = std::move(name);
  writer_.Map(report_->maps.back().name);
  return &report_->maps.back();
}

void Salvager::Lose(SalvageMap* map, SalvageLoss loss) {
  report_->lost = true;
  if (map->loss_count++ < SalvageMap::kMaxLosses) map->losses.push_back(std::move(loss));
}

void Salvager::BringEntry(SalvageMap* map, Page page, uint32_t index, const std::string& key) {
  PageEntry entry = page.entry(index);
  const bool buffer = entry.flags & kEntryBuffer, blob = entry.flags & kEntryValueBlob;
  std::string value;
  if (!pages_.Value(entry, &value)) {
    return Lose(map, {"value", BlobRef::Load(entry.payload.data()).offset(), key, {}, false});
  }
  if (buffer && blob) undo_.Apply(BlobRef::Load(entry.payload.data()), &value);
  map->entries++;
  map->bytes += key.size() + value.size();
  writer_.Write(buffer ? Operation::Kind::kPutBuffer : Operation::Kind::kPut,
                writer_.Map(map->name), key, std::move(value));
}

void Salvager::BringLeaves(SalvageMap* map, const SalvageTree& tree) {
  PageCopy copy;
  for (uint32_t leaf : tree.leaves) {
    if (!pages_.Load(leaf, &copy)) continue;
    std::string key;
    for (uint32_t i = 0; i < copy.page().count(); i++) {
      if (pages_.Key(copy.page(), i, &key)) {
        BringEntry(map, copy.page(), i, key);
      } else {
        PageEntry entry = copy.page().entry(i);
        key = std::string(copy.page().prefix()).append(entry.suffix);
        Lose(map, {"key", BlobRef::Load(entry.key_blob).offset(), key, {}, false});
      }
    }
  }
  for (const Gap& gap : tree.gaps) {
    const auto& [low, high, open] = gap.range;
    Lose(map, {"page", uint64_t{gap.page} * kPageSize, low, high, open});
  }
}

void Salvager::BringTrees() {
  report_->maps.reserve(trees_.trees().size());
  for (const SalvageTree& tree : trees_.trees()) {
    if (tree.name != kUndoMap) BringLeaves(NewMap(tree.name), tree);
  }
}

std::string Salvager::LostName() {
  std::string name;
  do {
    name = "lost-" + std::to_string(++lost_names_);
  } while (writer_.HasMap(name));
  return name;
}

// Brings out the leaves that nothing leads to.
void Salvager::BringLost() {
  if (found_.empty()) return;
  std::shared_ptr<Snapshot> snapshot = writer_.Look();
  if (snapshot == nullptr) return;
  const std::vector<SalvageTree>& trees = trees_.trees();
  SalvageFill fill(pages_, trees_, found_, [&](size_t tree, Bytes key) {
    Bytes value;
    return trees[tree].name != kUndoMap &&
           snapshot->Get(writer_.Map(trees[tree].name), key, &value).code() != Code::kNotFound;
  });
  fill.Run();
  auto bring = [&](SalvageMap* map, const std::vector<uint32_t>& leaves,
                   const std::vector<Gap>& gaps) {
    uint64_t before = map->entries;
    fill.Entries(leaves, gaps, [&](Page page, uint32_t index, const std::string& key) {
      BringEntry(map, page, index, key);
    });
    map->doubtful += map->entries - before;
  };
  for (size_t i = 0; i < trees.size(); i++) {
    auto map = std::find_if(report_->maps.begin(), report_->maps.end(),
                            [&](const SalvageMap& m) { return m.name == trees[i].name; });
    if (map != report_->maps.end() && !fill.leaves()[i].empty()) {
      bring(&*map, fill.leaves()[i], trees[i].gaps);
    }
  }
  for (const auto& group : fill.groups()) bring(NewMap(LostName()), group, {});
}

void Salvager::BringLog() {
  if (slot_.number == 0) return;
  SalvageLog log(pages_, slot_);
  std::string map;
  log.Run([&](LogKind kind, Bytes key, Bytes value) {
    report_->log_operations++;
    BringOperation(kind, key, value, &map);
  });
  if (log.damaged()) report_->notes.push_back("the log is damaged: the latest commits are lost");
  report_->epoch = log.epoch();
  report_->log_records = log.records();
}

// `map` is what the operation before was on.
void Salvager::BringOperation(LogKind kind, Bytes key, Bytes value, std::string* map) {
  if (kind == LogKind::kMap || kind == LogKind::kCreateMap || kind == LogKind::kDropMap) {
    *map = key;
    bool named = !key.empty() && key.size() <= 255 && key != kUndoMap;
    if (!named) {
      map->clear();
    } else if (kind == LogKind::kDropMap) {
      writer_.DropMap(*map);
    } else {
      writer_.Map(*map);
    }
    return;
  }
  if (map->empty() || key.size() > kMaxKeySize) return;
  Operation::Kind done = kind == LogKind::kPut      ? Operation::Kind::kPut
                         : kind == LogKind::kDelete ? Operation::Kind::kDelete
                                                    : Operation::Kind::kDeleteRange;
  writer_.Write(done, writer_.Map(*map), std::string(key), std::string(value));
}

Status Salvager::Run(const std::string& to, const PoolOptions& options) {
  ChooseSlot(FindRoots(reader_).slots);
  if (slot_.number == 0 || !trees_.whole()) Search();
  if (slot_.number == 0 && trees_.trees().empty() && found_.empty()) {
    return Status(Code::kNotAPool, "nothing of a pool is found");
  }
  if (slot_.number == 0) {
    report_->notes.push_back(
        "both root slots are lost: so is what was written since the last checkpoint, and what is "
        "brought may be older");
  } else if (trees_.maps_lost()) {
    report_->notes.push_back("a page of the directory is lost: maps may be missing, or be older");
  }
  report_->lost = report_->lost || !report_->notes.empty();
  ReadUndo();
  Status status = writer_.Create(to, options);
  if (!status.ok()) return status;
  BringTrees();
  BringLost();
  BringLog();
  report_->lost = report_->lost || !report_->notes.empty();
  return writer_.Finish();
}

}  // namespace
}  // namespace engine

Status Salvage(const std::string& from, const std::string& to, const PoolOptions& options,
               SalvageReport* report) {
  return engine::Guarded([&] {
    *report = SalvageReport();
    engine::Salvager salvager(report);
    Status status = salvager.Open(from);
    if (status.ok()) status = salvager.FindKey(options.key);
    return status.ok() ? salvager.Run(to, options) : status;
  });
}

}  // namespace potoroo
