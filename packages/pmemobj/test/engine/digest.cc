#include "digest.h"

#include <cstring>

using namespace potoroo;

namespace {

constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;

uint64_t Mix(uint64_t hash, Bytes bytes) {
  hash = (hash ^ bytes.size()) * kFactor;
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    memcpy(&word, bytes.data() + at, 8);
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 29;
  }
  for (; at < bytes.size(); at++) hash = (hash ^ static_cast<uint8_t>(bytes[at])) * kFactor;
  return hash ^ hash >> 32;
}

Status DigestOfEntries(const Snapshot& snapshot, uint32_t map, Bytes name, Digest* digest) {
  auto cursor = snapshot.NewCursor(map);
  std::string before;
  uint64_t count = 0;
  for (cursor->SeekFirst(); cursor->Valid(); cursor->Next(), count++) {
    if (count > 0 && Bytes(before) >= cursor->key()) return Status(Code::kCorrupt, "out of order");
    before.assign(cursor->key());
    Digest entry = DigestOfEntry(name, cursor->key(), cursor->value());
    *digest += entry;
    if (entry % 8 != 0) continue;
    Bytes value;
    Status status = snapshot.Get(map, before, &value);
    if (!status.ok()) return Status(Code::kCorrupt, "not found, but there: " + status.message());
    if (value != cursor->value()) return Status(Code::kCorrupt, "found otherwise");
  }
  return cursor->status();
}

}  // namespace

Digest DigestOfMap(Bytes name) { return Mix(1, name); }

Digest DigestOfEntry(Bytes map, Bytes key, Bytes value) {
  return Mix(Mix(Mix(2, map), key), value);
}

Status DigestOf(Pool* pool, Digest* digest) {
  std::vector<std::string> names;
  std::vector<uint32_t> maps;
  Status status = pool->ListMaps(&names);
  for (const std::string& name : names) {
    maps.push_back(0);
    if (status.ok()) status = pool->OpenMap(name, &maps.back());
  }
  std::shared_ptr<Snapshot> snapshot;
  if (status.ok()) status = pool->Take(&snapshot);
  *digest = 0;
  for (size_t i = 0; i < names.size() && status.ok(); i++) {
    *digest += DigestOfMap(names[i]);
    status = DigestOfEntries(*snapshot, maps[i], names[i], digest);
  }
  return status;
}

void Maps::Open(const std::string& name) {
  if (maps_.emplace(name, Entries()).second) digest_ += DigestOfMap(name);
}

void Maps::Drop(const std::string& name) {
  if (!Has(name)) return;
  DeleteRange(name, "", "");
  maps_.erase(name);
  digest_ -= DigestOfMap(name);
}

void Maps::Put(const std::string& name, const std::string& key, const std::string& value) {
  Delete(name, key);
  Digest entry = DigestOfEntry(name, key, value);
  digest_ += entry;
  maps_[name][key] = entry;
}

void Maps::Delete(const std::string& name, const std::string& key) {
  Entries& entries = maps_[name];
  auto found = entries.find(key);
  if (found == entries.end()) return;
  digest_ -= found->second;
  entries.erase(found);
}

void Maps::DeleteRange(const std::string& name, const std::string& from, const std::string& to) {
  Entries& entries = maps_[name];
  auto at = entries.lower_bound(from);
  while (at != entries.end() && (to.empty() || at->first < to)) {
    digest_ -= at->second;
    at = entries.erase(at);
  }
}
