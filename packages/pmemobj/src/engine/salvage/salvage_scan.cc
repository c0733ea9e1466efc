#include "engine/salvage/salvage_scan.h"

#include <algorithm>
#include <map>

#include "engine/medium/pool_files.h"
#include "engine/space/space.h"
#include "engine/tree/store.h"

namespace potoroo::engine {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 20;

// Calls for each place in a file that may hold a page.
void EachPlace(const PoolReader& reader, size_t file,
               const std::function<void(uint64_t offset, const char* data)>& each) {
  const uint64_t start = reader.FileStart(file), size = reader.FileSize(file);
  std::vector<char> piece(kPiece);
  for (uint64_t at = 0; at < size; at += kPiece) {
    uint64_t now = std::min(kPiece, size - at);
    bool whole = reader.Read(start + at, piece.data(), now);
    for (uint64_t i = 0; i + kPageSize <= now; i += kPageSize) {
      // A disk that cannot give all may still give some.
      if (!whole && !reader.Read(start + at + i, &piece[i], kPageSize)) continue;
      each(start + at + i, &piece[i]);
    }
  }
}

const PageHeader& HeaderOf(const char* data) { return *reinterpret_cast<const PageHeader*>(data); }

// How many pages say that the file begins there.
std::map<uint64_t, size_t> CountStarts(const PoolReader& reader, size_t file) {
  std::map<uint64_t, size_t> starts;
  EachPlace(reader, file, [&](uint64_t offset, const char* data) {
    uint64_t within = offset - reader.FileStart(file);
    uint64_t says = uint64_t{HeaderOf(data).number} * kPageSize;
    if (says < within || (says - within) % kPartAlign != 0) return;
    if (VerifyPage(data, HeaderOf(data).number)) starts[says - within]++;
  });
  return starts;
}

bool Overlaps(const std::vector<std::pair<uint64_t, uint64_t>>& taken, uint64_t from, uint64_t to) {
  return std::any_of(taken.begin(), taken.end(),
                     [&](const auto& span) { return from < span.second && span.first < to; });
}

}  // namespace

std::vector<uint64_t> FindFileStarts(const PoolReader& reader) {
  std::vector<uint64_t> starts;
  std::vector<std::pair<uint64_t, uint64_t>> taken;
  uint64_t next = 0;
  for (size_t i = 0; i < reader.files(); i++) {
    const uint64_t size = reader.FileSize(i);
    std::map<uint64_t, size_t> counts = CountStarts(reader, i);
    // Believes a file's name if a single page agrees: users who store pages as values may make up
    // any others.
    uint64_t start = next;
    size_t most = counts.count(start) > 0 ? SIZE_MAX : 0;
    for (const auto& [says, count] : counts) {
      if (count <= most || Overlaps(taken, says, says + size)) continue;
      start = says;
      most = count;
    }
    while (Overlaps(taken, start, start + size)) start += kPartAlign;
    starts.push_back(start);
    taken.emplace_back(start, start + size);
    next = start + (size + kPartAlign - 1) / kPartAlign * kPartAlign;
  }
  return starts;
}

void SalvageScan::References(uint32_t number, const EachReference& each) const {
  PageCopy copy;
  if (!pages_.Load(number, &copy)) return;
  Page page = copy.page();
  for (uint32_t i = 0; i < page.count(); i++) {
    PageEntry entry = page.entry(i);
    if (entry.key_blob != nullptr) each(BlobRef::Load(entry.key_blob), false);
    if (!(entry.flags & kEntryValueBlob)) continue;
    each(BlobRef::Load(entry.payload.data()), entry.flags & kEntryBuffer);
  }
}

SalvageScan::SalvageScan(const SalvagePages& pages)
    : pages_(pages),
      value_blocks_(pages.reader().size() / kBlockSize + 1),
      page_blocks_(value_blocks_.size()) {}

void SalvageScan::AddReachable(const std::unordered_set<uint32_t>& numbers) {
  for (uint32_t number : numbers) {
    reachable_.insert(number);
    page_blocks_[uint64_t{number} * kPageSize / kBlockSize] = true;
    References(number, [&](const BlobRef& ref, bool) { MarkValue(ref); });
  }
}

void SalvageScan::MarkBlocks(uint64_t from, uint64_t to) {
  for (uint64_t block = from / kBlockSize; block <= (to - 1) / kBlockSize; block++) {
    value_blocks_[block] = true;
  }
}

void SalvageScan::MarkValue(const BlobRef& ref) {
  const uint64_t size = pages_.cipher() == nullptr ? ref.size : ref.size + kSealSize;
  const uint64_t from = ref.offset(), to = from + size;
  if (ref.size == 0 || to > pages_.reader().size()) return;
  if (size > kMaxRunSize) {
    objects_.emplace_back(from, to);
  } else {
    MarkBlocks(from, to);
  }
}

void SalvageScan::AddLog(uint64_t offset, uint64_t size) {
  const uint64_t all = pages_.reader().size();
  if (size > 0 && offset < all && size <= all - offset) MarkBlocks(offset, offset + size);
}

bool SalvageScan::IsValue(uint64_t offset) const {
  return value_blocks_[offset / kBlockSize] || Overlaps(objects_, offset, offset + kPageSize);
}

void SalvageScan::ScanFile(size_t file, uint64_t epoch, FoundPages* found) const {
  EachPlace(pages_.reader(), file, [&](uint64_t offset, const char* data) {
    alignas(8) char plain[kPageSize];
    if (pages_.cipher() != nullptr) {
      if (!OpenPage(*pages_.cipher(), data, offset, plain)) return;
      data = plain;
    }
    const PageHeader& header = HeaderOf(data);
    if (uint64_t{header.number} * kPageSize != offset || header.epoch > epoch) return;
    if (reachable_.count(header.number) > 0 || IsValue(offset)) return;
    if (!VerifyPage(data, header.number)) return;
    (*found)[header.number] = {header.epoch, header.level, page_blocks_[offset / kBlockSize]};
  });
}

FoundPages SalvageScan::Run(uint64_t epoch) {
  FoundPages found;
  for (size_t i = 0; i < pages_.reader().files(); i++) ScanFile(i, epoch, &found);
  DropForged(&found);
  return found;
}

// A page lies in a value if a page that does not says so. Pages that say so of each other, in a
// ring, count as little as those that do.
void SalvageScan::DropForged(FoundPages* found) const {
  std::vector<uint32_t> numbers;
  for (const auto& [number, page] : *found) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  std::unordered_map<uint32_t, std::vector<uint32_t>> covers;  // by the page that refers
  std::unordered_map<uint32_t, size_t> claims;                 // undecided ones, on a page
  std::string bytes;
  for (uint32_t number : numbers) {
    References(number, [&](const BlobRef& ref, bool buffer) {
      auto first = std::lower_bound(numbers.begin(), numbers.end(), ref.offset() / kPageSize);
      if (first == numbers.end() || uint64_t{*first} * kPageSize >= ref.offset() + ref.size) return;
      if (buffer || !pages_.Blob(ref, false, &bytes)) return;
      for (; first != numbers.end() && uint64_t{*first} * kPageSize < ref.offset() + ref.size;
           ++first) {
        covers[number].push_back(*first);
        claims[*first]++;
      }
    });
  }
  std::vector<uint32_t> sound;
  for (uint32_t number : numbers) {
    if (claims.count(number) == 0) sound.push_back(number);
  }
  for (size_t i = 0; i < sound.size(); i++) {
    for (uint32_t forged : covers[sound[i]]) {
      // Its own statements no longer count.
      if (found->erase(forged) == 0) continue;
      for (uint32_t freed : covers[forged]) {
        if (--claims[freed] == 0 && found->count(freed) > 0) sound.push_back(freed);
      }
    }
  }
  for (uint32_t number : numbers) {
    if (claims.count(number) > 0 && claims[number] > 0) found->erase(number);
  }
}

}  // namespace potoroo::engine
