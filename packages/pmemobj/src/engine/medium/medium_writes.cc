// Bytes that are brought into a pool, and made durable there.
#include <libpmemobj.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "engine/base/fault.h"
#include "engine/medium/medium.h"

namespace potoroo::engine {
namespace {

// Up to here copies use ordinary stores and a flush, above it non-temporal stores. If the
// processor's clwb evicts the line (Skylake), the latter are faster from 256 bytes on (1 KiB: 475
// ns against 924 on emulated persistent memory); on Sapphire Rapids the former, up to 2 KiB.
constexpr size_t kTemporalSize = 128;

// Each msync costs the same for one page as for many, and only what was written is dirty: so ranges
// are synced together. But not the many files of a big pool that may lie between them.
constexpr ptrdiff_t kMaxGap = ptrdiff_t{32} << 20;

}  // namespace

void Medium::Copy(void* to, const void* from, size_t size) {
  if (is_pmem_) {
    unsigned flags = PMEMOBJ_F_MEM_NODRAIN;
    if (size <= kTemporalSize) flags |= PMEMOBJ_F_MEM_TEMPORAL;
    pmemobj_memcpy(pool_, to, from, size, flags);
    return;
  }
  memcpy(to, from, size);
  Flush(to, size);
}

void Medium::Clear(void* to, size_t size) {
  if (is_pmem_) {
    pmemobj_memset(pool_, to, 0, size, PMEMOBJ_F_MEM_NODRAIN);
    return;
  }
  memset(to, 0, size);
  Flush(to, size);
}

void Medium::Flush(const void* address, size_t size) {
  if (is_pmem_) {
    pmemobj_flush(pool_, address, size);
    return;
  }
  if (read_only()) return;
  const char* start = static_cast<const char*>(address);
  try {
    pending_.emplace_back(start, start + size);
  } catch (const std::bad_alloc&) {
    // At once, then. A failure is kept for Fence.
    SyncForLibpmemobj(start, size);
  }
}

Status Medium::Fence() {
  if (is_pmem_) {
    pmemobj_drain(pool_);
    return status();
  }
  std::vector<Range> ranges;
  ranges.swap(pending_);
  return ranges.empty() || failed() ? status() : SyncAll(&ranges);
}

void Medium::Append(void* to, const void* from, size_t size) {
  if (!is_pmem_) {
    memcpy(to, from, size);
    return;
  }
  Copy(to, from, size);
  if (!Planted(Fault::kLogFence)) pmemobj_drain(pool_);
}

Status Medium::WriteDurably(void* to, const void* from, size_t size) {
  if (!is_pmem_) return WriteThrough(OffsetOf(to), static_cast<const char*>(from), size);
  Append(to, from, size);
  return status();
}

Status Medium::Persist(const char* from, size_t size) {
  if (!is_pmem_) return Sync(from, from + size);
  pmemobj_flush(pool_, from, size);
  pmemobj_drain(pool_);
  return status();
}

Status Medium::Sync(const char* from, const char* to) {
  SyncForLibpmemobj(from, static_cast<size_t>(to - from));
  return Mapping::StatusAt(from);
}

Status Medium::SyncAll(std::vector<Range>* ranges) {
  std::sort(ranges->begin(), ranges->end());
  for (size_t i = 0; i < ranges->size();) {
    const char* from = (*ranges)[i].first;
    const char* to = (*ranges)[i].second;
    for (i++; i < ranges->size() && (*ranges)[i].first - to < kMaxGap; i++) {
      to = std::max(to, (*ranges)[i].second);
    }
    Status status = Sync(from, to);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace potoroo::engine
