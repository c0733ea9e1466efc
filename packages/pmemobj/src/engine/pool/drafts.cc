#include "engine/pool/drafts.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/memory.h"
#include "engine/medium/mapping.h"

namespace potoroo::engine {
namespace {

constexpr size_t kPage = 4096;
// Each change is saved by itself, durably, which takes longer than to save some pages more.
constexpr size_t kGap = 16 * kPage;

// An entry of /proc/self/pagemap: see the kernel's admin-guide/mm/pagemap.rst.
constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62;
constexpr uint64_t kOfFile = uint64_t{1} << 61;

bool IsOwn(uint64_t entry) { return (entry & (kPresent | kSwapped)) != 0 && !(entry & kOfFile); }

}  // namespace

Drafts::~Drafts() {
  if (pagemap_ >= 0) close(pagemap_);
}

// Whether the system can say which pages there are.
bool Drafts::CanFind() {
  if (sysconf(_SC_PAGESIZE) != static_cast<long>(kPage)) return false;
  if (pagemap_ < 0) pagemap_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  return pagemap_ >= 0;
}

bool Drafts::Begin(char* from, char* to) {
  for (const Draft& draft : drafts_) {
    if (draft.from == from) return true;
  }
  // It may lie in several files.
  std::vector<Draft> pieces;
  for (char* at = from; at < to; at = pieces.back().to) {
    Draft piece{at, to, -1, 0};
    if (!Place(&piece)) return false;
    pieces.push_back(piece);
  }
  ReserveMore(&drafts_, pieces.size());
  for (const Draft& piece : pieces) {
    // As little is changed mostly, without a promise of memory for all of it.
    const void* made =
        mmap(piece.from, static_cast<size_t>(piece.to - piece.from), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, piece.fd, static_cast<off_t>(piece.within));
    // The others stay drafts, and are saved besides.
    if (made == MAP_FAILED) return false;
    drafts_.push_back(piece);
  }
  return true;
}

// Finds the file that has the first byte, and how much of the rest.
bool Drafts::Place(Draft* piece) {
  const uint64_t offset = medium_->OffsetOf(piece->from);
  const Part part = medium_->PartOf(offset);
  if (part.fd < 0 || !CanFind()) return false;
  piece->fd = part.fd;
  piece->within = offset - part.start;
  const uint64_t size =
      std::min<uint64_t>(static_cast<size_t>(piece->to - piece->from), part.size - piece->within);
  piece->to = piece->from + size;
  const bool may_write = (fcntl(part.fd, F_GETFL) & O_ACCMODE) == O_RDWR;
  return may_write && piece->within % kPage == 0 && size % kPage == 0;
}

// Whether a page holds something else than the file. The kernel does
// not tell its own pages from those of files that are persistent memory themselves.
bool Drafts::IsChanged(const Draft& draft, const char* page, uint64_t entry) const {
  if (!IsOwn(entry)) return false;
  if (!medium_->is_pmem()) return true;
  char before[kPage];
  const off_t at = static_cast<off_t>(draft.within + static_cast<size_t>(page - draft.from));
  return pread(draft.fd, before, kPage, at) != static_cast<ssize_t>(kPage) ||
         memcmp(before, page, kPage) != 0;
}

void Drafts::FindIn(const Draft& draft, std::vector<Change>* changes) const {
  constexpr size_t kEntries = 512;
  uint64_t entries[kEntries];
  char* end = nullptr;  // of the latest change
  for (char* at = draft.from; at < draft.to; at += kEntries * kPage) {
    const size_t count = std::min<size_t>(kEntries, static_cast<size_t>(draft.to - at) / kPage);
    const size_t size = count * sizeof entries[0];
    const off_t where =
        static_cast<off_t>(reinterpret_cast<uintptr_t>(at) / kPage * sizeof entries[0]);
    // All may have changed that nothing is known of.
    if (pread(pagemap_, entries, size, where) != static_cast<ssize_t>(size)) {
      std::fill(entries, entries + count, kPresent);
    }
    for (size_t i = 0; i < count; i++) {
      char* page = at + i * kPage;
      if (!IsChanged(draft, page, entries[i])) continue;
      if (end == nullptr || page - end > static_cast<ptrdiff_t>(kGap)) {
        changes->push_back({page, {}});
        end = page;
      }
      changes->back().bytes.append(end, static_cast<size_t>(page + kPage - end));
      end = page + kPage;
    }
  }
}

void Drafts::Find(std::vector<Change>* changes) const {
  for (const Draft& draft : drafts_) FindIn(draft, changes);
}

// Puts the pool's memory back, as libpmem has mapped it.
bool Drafts::MapShared(const Draft& draft) const {
  const size_t size = static_cast<size_t>(draft.to - draft.from);
  const off_t within = static_cast<off_t>(draft.within);
  constexpr int kAccess = PROT_READ | PROT_WRITE;
#if defined(MAP_SYNC) && defined(MAP_SHARED_VALIDATE)
  if (medium_->is_pmem() &&
      mmap(draft.from, size, kAccess, MAP_SHARED_VALIDATE | MAP_SYNC | MAP_FIXED, draft.fd,
           within) != MAP_FAILED) {
    return true;
  }
#endif
  return mmap(draft.from, size, kAccess, MAP_SHARED | MAP_FIXED, draft.fd, within) != MAP_FAILED;
}

Status Drafts::End() {
  Status status;
  for (const Draft& draft : drafts_) {
    if (MapShared(draft)) continue;
    Mapping::FailAt(draft.from, errno);
    status = Mapping::StatusAt(draft.from);
  }
  drafts_.clear();
  return status;
}

}  // namespace potoroo::engine
