#include "engine/check/heap_check.h"

#include <algorithm>
#include <cstring>

#include "engine/check/lane_check.h"
#include "engine/heap/heap_layout.h"
#include "engine/medium/pool_files.h"

namespace potoroo::engine {
namespace {

uint32_t HalfWord(const char* at) {
  uint32_t word;
  memcpy(&word, at, 4);
  return word;
}

bool ChecksumHolds(const char* data, size_t size, size_t at, size_t skip) {
  return FletcherSum(data, size, at, skip) == Word(data + at);
}

// How the compiler aligns types, 4 bits for each, as libpmemobj notes it in a pool.
uint64_t Alignments() {
  constexpr uint64_t kOf[] = {alignof(char),        alignof(short),     alignof(int),
                              alignof(long),        alignof(long long), alignof(size_t),
                              alignof(off_t),       alignof(float),     alignof(double),
                              alignof(long double), alignof(void*)};
  uint64_t all = 0;
  for (size_t i = 0; i < sizeof kOf / sizeof kOf[0]; i++) all |= (kOf[i] - 1) << (4 * i);
  return all;
}

// ELF's number of this machine, 0 where it is none of these.
constexpr uint16_t Machine() {
#if defined(__x86_64__)
  return 62;
#elif defined(__aarch64__)
  return 183;
#else
  return 0;
#endif
}

bool IsOfThisMachine(const char* header) {
  constexpr char kLittleEndian64[6] = {2, 1, 0, 0, 0, 0};
  uint16_t machine;
  memcpy(&machine, header + kArchitectureAt + 14, sizeof machine);
  return Word(header + kArchitectureAt) == Alignments() &&
         memcmp(header + kArchitectureAt + 8, kLittleEndian64, sizeof kLittleEndian64) == 0 &&
         (Machine() == 0 || machine == Machine());
}

// Our pools have one header each, so all of its neighbours are itself.
bool NamesItself(const char* header) {
  const char* id = header + kIdAt;
  for (int i = 1; i <= 4; i++) {
    if (memcmp(id, id + i * kIdSize, kIdSize) != 0) return false;
  }
  return true;
}

}  // namespace

void HeapCheck::Run() {
  if (!CheckFront()) return;
  CheckLanes();
  if (!CheckHeap()) return;
  for (uint64_t zone = heap_ + kHeapHeader; zone + kChunksAt < reader_.size(); zone += kZoneSize) {
    CheckZone(zone);
  }
  if (!root_seen_ && root_ != 0) problem_(root_, "the root object is not in use");
}

bool HeapCheck::CheckFront() {
  std::vector<char> front(kFrontSize);
  if (!reader_.Read(0, front.data(), kFrontSize)) {
    problem_(0, "the first 8 KiB cannot be read");
    return false;
  }
  if (!ChecksumHolds(front.data(), 4096, 4088, 2048)) {
    problem_(0, "libpmemobj's header fails its checksum");
  }
  CheckHeader(front.data());
  if (!ChecksumHolds(front.data() + kDescriptorAt, 2048, 2040, 2048)) {
    problem_(kDescriptorAt, "libpmemobj's descriptor fails its checksum");
  }
  if (CheckOffsets(front.data())) return true;
  problem_(kOffsetsAt, "libpmemobj's descriptor refers to places that there are not");
  return false;
}

// Names what libpmemobj refuses to open though its checksum holds.
void HeapCheck::CheckHeader(const char* front) {
  const uint32_t features = kShortChecksum | (reader_.folder() ? kSingleHeader : 0);
  if (HalfWord(front + kFormatAt) != kFormat) {
    problem_(kFormatAt, "libpmemobj's header names another version of its format");
  }
  if ((HalfWord(front + kFeaturesAt) & ~kShutdownState) != features ||
      HalfWord(front + kFeaturesAt + 4) != 0) {
    problem_(kFeaturesAt, "libpmemobj's header names features that such a pool does not have");
  }
  if (!NamesItself(front)) {
    problem_(kIdAt, "libpmemobj's header names parts or replicas that there are not");
  }
  if (!IsOfThisMachine(front)) {
    problem_(kArchitectureAt, "libpmemobj's header is damaged, or of another kind of machine");
  }
  if (Word(front + kRunNumberAt) % 2 != 0) {
    problem_(kRunNumberAt, "libpmemobj's run number is damaged");
  }
}

bool HeapCheck::CheckOffsets(const char* front) {
  lanes_at_ = Word(front + kOffsetsAt);
  lanes_ = Word(front + kOffsetsAt + 8);
  heap_ = Word(front + kOffsetsAt + 16);
  root_ = Word(front + kVariableAt);
  root_size_ = Word(front + kVariableAt + 16);
  uint64_t heap_size = Word(front + kVariableAt + 32), size = reader_.size();
  if (lanes_at_ < kFrontSize || lanes_at_ > kPartSize) return false;
  if (lanes_ == 0 || lanes_ > kMaxLanes) return false;
  if (heap_ < lanes_at_ + lanes_ * kLaneSize || heap_ > size - kHeapHeader) return false;
  if (root_ > size || root_size_ > size - root_ || (root_ != 0 && root_ < heap_)) return false;
  if (Word(front + kVariableAt + 24) != 0) return false;
  if (heap_size > size - heap_) {
    problem_(kVariableAt + 32, "libpmemobj's heap ends where there is no file: it is cut short");
  }
  // 0 is what a crash while the pool was made leaves.
  heap_end_ = heap_size == 0 || heap_size > size - heap_ ? size : heap_ + heap_size;
  return true;
}

void HeapCheck::CheckLanes() {
  constexpr uint64_t kAtOnce = 64;
  const Changeable changeable{kVariableAt, kVariableEnd, heap_, heap_end_};
  std::vector<char> lanes(kLaneSize * kAtOnce);
  for (uint64_t lane = 0; lane < lanes_; lane += kAtOnce) {
    uint64_t now = std::min(kAtOnce, lanes_ - lane), start = lanes_at_ + lane * kLaneSize;
    if (!reader_.Read(start, lanes.data(), now * kLaneSize)) {
      problem_(start, "libpmemobj's lanes cannot be read");
      return;
    }
    for (uint64_t i = 0; i < now; i++) {
      if (CheckLane(lanes.data() + i * kLaneSize, changeable)) continue;
      problem_(start + i * kLaneSize, "a log of one of libpmemobj's lanes is damaged");
    }
  }
}

bool HeapCheck::CheckHeap() {
  char header[kHeapHeader];
  if (!reader_.Read(heap_, header, sizeof header) || memcmp(header, "MEMORY_HEAP_HDR", 16) != 0 ||
      !ChecksumHolds(header, 1024, 1016, 1024)) {
    problem_(heap_, "the header of libpmemobj's heap is damaged");
    return false;
  }
  return true;
}

bool HeapCheck::CheckZone(uint64_t at) {
  uint32_t header[2];
  if (!reader_.Read(at, header, sizeof header)) {
    problem_(at, "a zone of libpmemobj's heap cannot be read");
    return false;
  }
  if (header[0] == 0 && header[1] == 0) return true;  // not used yet
  uint64_t end = std::min(reader_.size(), heap_end_);
  uint64_t room = at + kChunksAt < end ? (end - at - kChunksAt) / kChunkSize : 0;
  if (header[0] != kZoneMagic || header[1] == 0 || header[1] > std::min(kMaxChunks, room)) {
    problem_(at, "a zone of libpmemobj's heap is damaged, or cut short");
    return false;
  }
  std::vector<Chunk> chunks(header[1]);
  if (!reader_.Read(at + kZoneHeader, chunks.data(), chunks.size() * sizeof(Chunk))) {
    problem_(at, "a zone of libpmemobj's heap cannot be read");
    return false;
  }
  for (uint64_t i = 0; i < chunks.size(); i += chunks[i].count) {
    const Chunk& chunk = chunks[i];
    if (chunk.count == 0 || chunk.count > chunks.size() - i || chunk.type < kFree ||
        chunk.type > kRun || chunk.flags > 15) {
      problem_(at + kZoneHeader + i * sizeof(Chunk), "the header of a chunk is damaged");
      return false;
    }
    CheckChunk(at + kChunksAt + i * kChunkSize, &chunks[i]);
  }
  return true;
}

void HeapCheck::CheckChunk(uint64_t at, const Chunk* chunk) {
  uint64_t size = chunk->count * kChunkSize, taken;
  if (chunk->type == kFree) {
    free_ += size;
  } else if (at + size > reader_.size() - reader_.missing()) {
    problem_(at, "something lies where there is no file: the pool is cut short");
  } else if (chunk->type == kRun) {
    CheckRun(at, chunk);
  } else if (!CheckObject(at, chunk->flags, size, &taken)) {
    problem_(at, "the header of an object is damaged");
  }
}

// All chunks of a run but the first say how far they are from it.
void HeapCheck::CheckRun(uint64_t at, const Chunk* chunk) {
  for (uint32_t i = 1; i < chunk->count; i++) {
    if (chunk[i].type == kRunData && chunk[i].count == i) continue;
    problem_(at, "the header of a chunk in a run is damaged");
    return;
  }
  Blocks blocks;
  if (!FindBlocks(at, *chunk, &blocks)) {
    problem_(at, "the header of a run is damaged");
    return;
  }
  CheckBlocks(blocks);
}

bool HeapCheck::FindBlocks(uint64_t at, const Chunk& chunk, Blocks* blocks) {
  uint64_t header[2];
  uint64_t room = chunk.count * kChunkSize - kRunHeader;
  if ((chunk.flags & ~kFlexibleBitmap) != kCompactHeader) return false;
  if (!reader_.Read(at, header, sizeof header)) return false;
  blocks->flags = chunk.flags;
  blocks->size = header[0];
  if (header[0] < 8 || header[0] % 8 != 0 || header[0] > room || header[1] != 0) return false;
  uint64_t words = kFixedBitmap;
  if (chunk.flags & kFlexibleBitmap) {
    words = (room / blocks->size + 63) / 64;
    // So that the blocks begin with a cache line.
    words = (words + 2 + 7) / 8 * 8 - 2;
  }
  if (words * 8 >= room) return false;
  blocks->at = at + kRunHeader + words * 8;
  blocks->count = std::min((room - words * 8) / blocks->size, words * 64);
  blocks->used.resize(words);
  return reader_.Read(at + kRunHeader, blocks->used.data(), words * 8);
}

void HeapCheck::CheckBlocks(const Blocks& blocks) {
  auto used = [&](uint64_t i) { return (blocks.used[i / 64] >> (i % 64) & 1) != 0; };
  for (uint64_t i = 0; i < blocks.count;) {
    if (!used(i)) {
      i++;
      continue;
    }
    uint64_t at = blocks.at + i * blocks.size, size;
    if (!CheckObject(at, blocks.flags, (blocks.count - i) * blocks.size, &size)) {
      problem_(at, "the header of an object in a run is damaged");
      return;
    }
    uint64_t count = (size + blocks.size - 1) / blocks.size;
    for (uint64_t end = i + count; i < end; i++) {
      if (used(i)) continue;
      problem_(at, "an object in a run lies in blocks that are free");
      return;
    }
  }
}

// `room`: the most that the object may have, with its header; `size`: what it has.
bool HeapCheck::CheckObject(uint64_t at, uint16_t flags, uint64_t room, uint64_t* size) {
  uint64_t header[2];
  if (!(flags & kCompactHeader) || !reader_.Read(at, header, sizeof header)) return false;
  *size = header[0] & ((uint64_t{1} << kObjectFlagsShift) - 1);
  if (*size < kObjectHeader || *size > room) return false;
  HeapObject object{header[1], at + kObjectHeader, *size - kObjectHeader,
                    (header[0] >> kObjectFlagsShift & kInternalObject) != 0};
  if (object.offset == root_) root_seen_ = object.internal && object.size >= root_size_;
  visit_(object);
  return true;
}

}  // namespace potoroo::engine
