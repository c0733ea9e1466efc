#include "engine/heap/heap_headers.h"

#include <algorithm>
#include <cstring>

#include "engine/heap/heap_layout.h"

namespace potoroo::engine {
namespace {

// A run's blocks have to fit it: libpmemobj divides by their size.
bool RunLeads(const Chunk* chunk, const char* run) {
  uint64_t header[2];
  memcpy(header, run, sizeof header);
  const uint64_t room = chunk->count * kChunkSize - kRunHeader;
  if ((chunk->flags & ~kFlexibleBitmap) != kCompactHeader) return false;
  if (header[0] < 8 || header[0] % 8 != 0 || header[0] > room || header[1] != 0) return false;
  for (uint32_t i = 1; i < chunk->count; i++) {
    if (chunk[i].type != kRunData || chunk[i].count != i) return false;
  }
  return true;
}

// `seen`: chunks that may be looked at, of `room`.
bool ZoneLeads(const char* zone, uint64_t seen, uint64_t room, bool used) {
  uint32_t header[2];
  memcpy(header, zone, sizeof header);
  const auto* chunks = reinterpret_cast<const Chunk*>(zone + kZoneHeader);
  if (header[0] == 0 && header[1] == 0) return !used && chunks[0].type == 0;
  const uint32_t count = header[1];
  if (header[0] != kZoneMagic || count == 0 || count > std::min(kMaxChunks, room)) return false;
  for (uint32_t i = 0; i < count;) {
    const Chunk chunk = chunks[i];
    if (chunk.count == 0 || chunk.count > count - i || chunk.flags > 15) return false;
    if (chunk.type < kFree || chunk.type > kRun) return false;
    if (chunk.type == kRun) {
      if (i >= seen || !RunLeads(&chunks[i], zone + kChunksAt + i * kChunkSize)) return false;
    }
    i += chunk.count;
  }
  return true;
}

}  // namespace

bool HeapHeadersLead(const char* pool, uint64_t size, uint64_t limit) {
  uint64_t heap, root;
  memcpy(&heap, pool + kOffsetsAt + 16, sizeof heap);
  memcpy(&root, pool + kVariableAt, sizeof root);
  const uint64_t first = heap + kHeapHeader;
  if (heap > size || size - heap < kHeapHeader + kChunksAt) return false;
  for (uint64_t zone = first; zone + kChunksAt < size; zone += kZoneSize) {
    const uint64_t chunks = zone + kChunksAt;
    if (!ZoneLeads(pool + zone, (size - chunks) / kChunkSize, (limit - chunks) / kChunkSize,
                   zone == first && root != 0)) {
      return false;
    }
  }
  return true;
}

}  // namespace potoroo::engine
