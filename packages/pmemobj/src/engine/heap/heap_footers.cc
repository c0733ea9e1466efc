#include "engine/heap/heap_footers.h"

#include <cstring>

#include "engine/heap/heap_layout.h"

namespace potoroo::engine {
namespace {

// The chunk headers were checked, except for a last one that opening may have added.
void WriteZoneFooters(Chunk* chunks, uint32_t count) {
  for (uint32_t i = 0; i < count && chunks[i].count > 0; i += chunks[i].count) {
    const Chunk& chunk = chunks[i];
    if (chunk.count > count - i) return;
    if (chunk.type != kFree || chunk.count == 1) continue;
    Chunk* last = &chunks[i + chunk.count - 1];
    *last = {kFooter, chunk.flags, chunk.count};
  }
}

}  // namespace

void WriteFooters(char* pool, uint64_t size) {
  uint64_t heap;
  memcpy(&heap, pool + kOffsetsAt + 16, sizeof heap);
  for (uint64_t zone = heap + kHeapHeader; zone + kChunksAt < size; zone += kZoneSize) {
    uint32_t header[2];
    memcpy(header, pool + zone, sizeof header);
    if (header[0] != kZoneMagic || header[1] > kMaxChunks) continue;
    WriteZoneFooters(reinterpret_cast<Chunk*>(pool + zone + kZoneHeader), header[1]);
  }
}

}  // namespace potoroo::engine
