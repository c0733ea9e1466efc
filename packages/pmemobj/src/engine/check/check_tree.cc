#include "engine/check/check_tree.h"

#include <algorithm>
#include <cstring>

#include "engine/base/checksum.h"
#include "engine/log/undo.h"
#include "engine/tree/walk.h"

namespace potoroo::engine {
namespace {

uint64_t OffsetOf(Page page) { return uint64_t{page.header().number} * kPageSize; }

std::string Named(Page page) { return "page " + std::to_string(page.header().number); }

}  // namespace

void Problems::Add(const char* kind, uint64_t offset, std::string message) {
  if (report_->problem_count++ < CheckReport::kMaxProblems) {
    report_->problems.push_back({kind, offset, std::move(message)});
  }
}

void CheckTree::Run(uint32_t directory) {
  CheckMap unused;
  Tree tree{true, &unused, {}, false};
  Root(directory, &tree);
}

void CheckTree::Root(uint32_t number, Tree* tree) {
  if (number != 0) Visit(number, {-1, true, nullptr, nullptr}, tree);
}

uint64_t CheckTree::Visit(uint32_t number, const Expected& expected, Tree* tree) {
  uint64_t offset = uint64_t{number} * kPageSize;
  if (!Mark(offset, space_->MarkPage(offset), "page " + std::to_string(number))) return kNotKnown;
  alignas(8) char data[kPageSize];
  if (!Load(number, expected.level, data)) return kNotKnown;
  Page page(data);
  report_->pages++;
  tree->map->pages++;
  tree->map->depth = std::max(tree->map->depth, page.level() + 1);
  CheckHeader(page, expected);
  if (page.level() > 0) return Inner(page, expected, tree);
  Leaf(page, expected, tree);
  return page.count();
}

bool CheckTree::Load(uint32_t number, int level, char* data) {
  uint64_t offset = uint64_t{number} * kPageSize;
  std::string name = "page " + std::to_string(number);
  const SealedReader::Found found = reader_.ReadPage(number, data);
  if (found == SealedReader::Found::kUnreadable) {
    problems_.Add("page", offset, name + " cannot be read");
  } else if (found == SealedReader::Found::kNotSealed) {
    problems_.Add("page", offset, name + " is not what was encrypted there");
  } else if (!VerifyPage(data, number)) {
    problems_.Add("page", offset, name + " fails its checksum or its bounds");
  } else if (level >= 0 && Page(data).level() != static_cast<uint32_t>(level)) {
    problems_.Add("page", offset, name + " has another level than its parent says");
  } else {
    return true;
  }
  blind_ = true;
  return false;
}

void CheckTree::CheckHeader(Page page, const Expected& expected) {
  const PageHeader& header = page.header();
  if (header.epoch > report_->epoch) {
    problems_.Add("page", OffsetOf(page), Named(page) + " is younger than the latest commit");
  }
  if ((page.level() == 0 && header.below != 0) || (header.flags & ~kPageHasBlobs) != 0) {
    problems_.Add("page", OffsetOf(page), Named(page) + " has reserved bits that are set");
  }
  if ((header.flags & kPageHasBlobs) && !expected.has_blobs) {
    problems_.Add("page", OffsetOf(page),
                  Named(page) + " refers to values, and its parent does not say so");
  }
  for (uint32_t i = 0; i < page.count(); i++) {
    Bytes suffix = page.entry(i).suffix;
    if (page.heads()[i] == KeyHead(suffix.data(), suffix.size())) continue;
    problems_.Add("order", OffsetOf(page),
                  Named(page) + ": the head of entry " + std::to_string(i) + " is not its key's");
  }
}

// The whole key, as the tree's order has it. False where it cannot be told.
bool CheckTree::Key(Page page, uint32_t index, Tree* tree, std::string* key) {
  PageEntry entry = page.entry(index);
  if (entry.key_blob == nullptr) {
    key->assign(page.prefix());
    key->append(entry.suffix);
    if (key->size() > kMaxInlineKey) {
      problems_.Add("page", OffsetOf(page), Named(page) + " holds a key that is too long for it");
    }
    return true;
  }
  BlobRef ref = BlobRef::Load(entry.key_blob);
  if (!Blob(page, ref, kMaxInlineKey + 1, kMaxKeySize, tree, key)) return false;
  std::string head(page.prefix());
  head.append(entry.suffix);
  if (key->compare(0, kLongKeyHead, head) == 0) return true;
  problems_.Add("order", OffsetOf(page), Named(page) + " has another head of a key than its value");
  return false;
}

void CheckTree::Leaf(Page page, const Expected& expected, Tree* tree) {
  std::string key;
  for (uint32_t i = 0; i < page.count(); i++) {
    PageEntry entry = page.entry(i);
    bool blobs = entry.key_blob != nullptr || (entry.flags & kEntryValueBlob);
    if (blobs && !(page.header().flags & kPageHasBlobs)) {
      problems_.Add("page", OffsetOf(page), Named(page) + " does not say that it refers to values");
    }
    bool known = Key(page, i, tree, &key);
    if (known) LeafKey(page, key, expected, tree);
    if (!tree->directory) {
      tree->map->entries++;
      tree->map->key_bytes += known ? key.size() : 0;
      Value(page, entry, tree);
      if (known && tree->map->name == kUndoMap) Undo(page, entry, key);
    } else if (known) {
      MapRoot(page, entry, key);
    }
  }
}

void CheckTree::LeafKey(Page page, const std::string& key, const Expected& expected, Tree* tree) {
  bool low = (tree->any && key <= tree->last) || (expected.low != nullptr && key < *expected.low);
  bool high = expected.high != nullptr && key >= *expected.high;
  if (low)
    problems_.Add("order", OffsetOf(page), Named(page) + " holds a key that is out of order");
  if (high) problems_.Add("order", OffsetOf(page), Named(page) + " holds a key of its neighbour's");
  tree->last = key;
  tree->any = true;
}

uint64_t CheckTree::Inner(Page page, const Expected& expected, Tree* tree) {
  uint64_t entries = 0;
  bool counted = true;
  std::string low = expected.low == nullptr ? std::string() : *expected.low, high;
  for (uint32_t i = 0; i < page.count(); i++) {
    bool last = i + 1 == page.count();
    bool known = last || Key(page, i + 1, tree, &high);
    bool ordered = last || (known && high > low);
    if (!last && expected.high != nullptr) ordered = ordered && high < *expected.high;
    if (known && !ordered) {
      problems_.Add("order", OffsetOf(page), Named(page) + " has keys that are out of order");
    }
    PageEntry entry = page.entry(i);
    const std::string* end = last ? expected.high : ordered ? &high : nullptr;
    const uint64_t found = Visit(
        entry.child(),
        {static_cast<int>(page.level()) - 1, (entry.flags & kEntryChildHasBlobs) != 0, &low, end},
        tree);
    entries += found;
    counted = counted && found != kNotKnown;
    if (ordered && !last) low = high;
  }
  const uint64_t said = EntriesOf(page.header());
  if (counted && said != kNotKnown && said != entries) {
    problems_.Add("page", OffsetOf(page),
                  Named(page) + " says that there are " + std::to_string(said) +
                      " entries below it, and not " + std::to_string(entries));
  }
  return counted ? entries : kNotKnown;
}

void CheckTree::Value(Page page, const PageEntry& entry, Tree* tree) {
  if (entry.flags & kEntryBuffer) return Buffer(page, entry, tree);
  if (entry.flags & kEntryValueBlob) {
    BlobRef ref = BlobRef::Load(entry.payload.data());
    if (Blob(page, ref, kMaxInlineValue + 1, kMaxValueSize, tree, nullptr)) {
      tree->map->value_bytes += ref.size;
    }
    return;
  }
  tree->map->value_bytes += entry.payload.size();
  if (entry.payload.size() > kMaxInlineValue) {
    problems_.Add("page", OffsetOf(page), Named(page) + " holds a value that is too long for it");
  }
}

// Any bytes will do: they have no checksum.
void CheckTree::Buffer(Page page, const PageEntry& entry, Tree* tree) {
  tree->map->buffers++;
  if (!(entry.flags & kEntryValueBlob)) return;
  BlobRef ref = BlobRef::Load(entry.payload.data());
  std::string what;
  if (!Refer(page, ref, 1, kMaxValueSize, tree, &what)) return;
  tree->map->value_bytes += ref.size;
  buffers_[ref.offset()] = ref.size;
  if (ref.checksum == 0) return;
  problems_.Add("reference", ref.offset(), what + " is a buffer, and has a checksum");
}

// An entry of the map of the undo area.
void CheckTree::Undo(Page page, const PageEntry& entry, const std::string& key) {
  bool buffer = entry.flags & kEntryBuffer, blob = entry.flags & kEntryValueBlob;
  if (key == kUndoArea && buffer && blob) {
    BlobRef ref = BlobRef::Load(entry.payload.data());
    // Nothing of itself is saved in it.
    if (buffers_.erase(ref.offset()) > 0) undo_area_ = ref;
  } else if (key == kUndoCommitted && !buffer && !blob &&
             entry.payload.size() == sizeof undo_committed_) {
    memcpy(&undo_committed_, entry.payload.data(), sizeof undo_committed_);
  } else {
    problems_.Add("undo", OffsetOf(page),
                  Named(page) + " has a part of the undo area that is none");
  }
}

bool CheckTree::InBuffer(uint64_t offset, uint64_t size) const {
  auto buffer = buffers_.upper_bound(offset);
  if (buffer == buffers_.begin()) return false;
  --buffer;
  uint64_t into = offset - buffer->first;
  return into <= buffer->second && size <= buffer->second - into;
}

void CheckTree::MapRoot(Page page, const PageEntry& entry, const std::string& name) {
  DirectoryValue value{};
  bool sound =
      !(entry.flags & (kEntryValueBlob | kEntryBuffer)) && entry.payload.size() == sizeof value;
  if (sound) memcpy(&value, entry.payload.data(), sizeof value);
  if (!sound || value.reserved != 0 || name.empty() || name.size() > 255) {
    problems_.Add("page", OffsetOf(page), Named(page) + " has a map that is none");
    if (!sound) return;
  }
  CheckMap map;
  map.name = name;
  Tree tree{false, &map, {}, false};
  Root(value.root, &tree);
  report_->maps.push_back(std::move(map));
}

bool CheckTree::Mark(uint64_t offset, CheckSpace::Place place, const std::string& what) {
  if (place == CheckSpace::Place::kGood) return true;
  const char* why = place == CheckSpace::Place::kTwice     ? " is used twice"
                    : place == CheckSpace::Place::kOutside ? " lies outside of what the pool has"
                                                           : " lies where there is no such place";
  problems_.Add("reference", offset, what + why);
  blind_ = true;
  return false;
}

bool CheckTree::Refer(Page page, const BlobRef& ref, uint64_t least, uint64_t most, Tree* tree,
                      std::string* what) {
  *what = "a value of " + std::to_string(ref.size) + " bytes of " + Named(page);
  if (ref.size < least || ref.size > most || ref.birth() > report_->epoch) {
    problems_.Add("reference", ref.offset(), *what + " has no such size or age");
    blind_ = true;
    return false;
  }
  const uint64_t size = reader_.StoredSize(ref.size);
  if (!Mark(ref.offset(), space_->MarkBlob(ref.offset(), size), *what)) return false;
  report_->blobs++;
  tree->map->blobs++;
  tree->map->blob_bytes += ref.size;
  return true;
}

// Marks and verifies; `bytes` gets them unless it is nullptr.
bool CheckTree::Blob(Page page, const BlobRef& ref, uint64_t least, uint64_t most, Tree* tree,
                     std::string* bytes) {
  std::string what;
  if (!Refer(page, ref, least, most, tree, &what)) return false;
  if (BlobBytes(ref, bytes)) return true;
  problems_.Add("value", ref.offset(), what + " fails its checksum");
  return false;
}

bool CheckTree::BlobBytes(const BlobRef& ref, std::string* bytes) {
  if (bytes != nullptr) bytes->clear();
  uint32_t checksum;
  if (reader_.cipher() != nullptr) {
    std::string unused;
    return reader_.ReadSealedBlob(ref, bytes == nullptr ? &unused : bytes);
  }
  auto read = [&](uint64_t from, char* to, size_t size) {
    if (!reader_.files().Read(ref.offset() + from, to, size)) return false;
    if (bytes != nullptr) bytes->append(to, size);
    return true;
  };
  return ChecksumOfPieces(ref.size, buffer_.data(), buffer_.size(), read, &checksum) &&
         checksum == ref.checksum;
}

}  // namespace potoroo::engine
