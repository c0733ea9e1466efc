// What must hold of the files before libpmemobj may have them: it follows some of its own
// structures without checking them, and would crash or loop where they are damaged.
//
// The layout is that of libpmemobj 1.x (major version 6 of the format), all little endian:
//
//       0  pool header, 4096 bytes: begins with "PMEMOBJ" and a zero byte
//    4096  descriptor: 1024 bytes of layout name, then 8-byte offset of the lanes, number of
//          lanes, offset of the heap; at 6144 offset and size of the root object
//   lanes  3072 bytes each: three logs, with headers at 0, 256 and 960
//    heap  header of 1024 bytes, then zones of at most 65528 chunks of 256 KiB
//    zone  64 bytes: 4-byte magic, 4-byte number of chunks; 8 bytes for each of 65528 chunks:
//          type, flags, number of chunks that it stands for; then the chunks
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "pool_files.h"

namespace potoroo::engine {
namespace {

constexpr char kSignature[8] = {'P', 'M', 'E', 'M', 'O', 'B', 'J', 0};
constexpr uint64_t kLayoutAt = 4096;
constexpr uint64_t kOffsetsAt = 5120;
constexpr uint64_t kRootAt = 6144;
constexpr uint64_t kFrontSize = 8192;

constexpr uint64_t kLaneSize = 3072;
constexpr uint64_t kMaxLanes = 4096;
struct Log {
  uint64_t at;        // in the lane
  uint64_t capacity;  // that it has, or 0 while unused
};
constexpr Log kLogs[] = {{0, 192}, {256, 640}, {960, 2048}};

constexpr uint64_t kHeapHeader = 1024;
constexpr uint64_t kZoneHeader = 64;
constexpr uint32_t kZoneMagic = 0xC3F0A2D2;
constexpr uint64_t kMaxChunks = 65528;
constexpr uint64_t kChunkSize = 256 * 1024;
constexpr uint64_t kChunksAt = kZoneHeader + kMaxChunks * 8;
constexpr uint64_t kZoneSize = kChunksAt + kMaxChunks * kChunkSize;

enum ChunkType : uint16_t { kFree = 2, kUsed = 3, kRun = 4 };
struct Chunk {
  uint16_t type;
  uint16_t flags;
  uint32_t count;
};
static_assert(sizeof(Chunk) == 8, "as libpmemobj has it");

// The files of a pool, one after the other.
class Files {
 public:
  ~Files() {
    for (const File& file : files_) close(file.fd);
  }

  Status Open(const std::string& path, bool folder) {
    std::vector<std::string> names{path};
    if (folder) names = Parts(path);
    if (names.empty()) return Status(Code::kNotAPool, path + " holds no pool");
    for (const std::string& name : names) {
      int fd = open(name.c_str(), O_RDWR | O_CLOEXEC);
      if (fd < 0) return StatusFromErrno(errno, name);
      struct stat info;
      if (fstat(fd, &info) != 0) info.st_size = 0;
      files_.push_back({name, fd, size_, static_cast<uint64_t>(info.st_size)});
      // As libpmemobj locks it while the pool is open. Let go when this object goes.
      if (files_.size() == 1 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        return StatusFromErrno(errno, path);
      }
      size_ += static_cast<uint64_t>(info.st_size);
    }
    // A crash while the pool grows leaves a last part that is not whole. Where the heap needs it,
    // it is missed below.
    while (files_.size() > 1 && (files_.back().size == 0 || files_.back().size % kPartAlign != 0)) {
      size_ -= files_.back().size;
      unfinished_.push_back(files_.back().name);
      close(files_.back().fd);
      files_.pop_back();
    }
    return Status::Ok();
  }

  // Removes unfinished parts, and closes gaps in the numbers of the others, which a failed attempt
  // to grow leaves and with which libpmemobj would not open the pool.
  Status Tidy(const std::string& folder) {
    for (const std::string& name : unfinished_) {
      if (unlink(name.c_str()) != 0) return StatusFromErrno(errno, name);
    }
    for (size_t i = 0; i < files_.size(); i++) {
      std::string want = PartPath(folder, i);
      if (files_[i].name != want && rename(files_[i].name.c_str(), want.c_str()) != 0) {
        return StatusFromErrno(errno, want);
      }
    }
    return Status::Ok();
  }

  uint64_t size() const { return size_; }

  // All of it, from one file.
  bool Read(uint64_t offset, void* to, size_t size) const {
    for (const File& file : files_) {
      if (offset < file.start || offset - file.start > file.size) continue;
      ssize_t got = pread(file.fd, to, size, static_cast<off_t>(offset - file.start));
      if (got == static_cast<ssize_t>(size)) return true;
    }
    return false;
  }

 private:
  struct File {
    std::string name;
    int fd;
    uint64_t start;
    uint64_t size;
  };
  std::vector<File> files_;
  std::vector<std::string> unfinished_;
  uint64_t size_ = 0;
};

// The engine makes no transactions large enough for a log to go on elsewhere.
bool CheckLanes(const Files& files, uint64_t at, uint64_t count) {
  constexpr uint64_t kAtOnce = 64;
  std::vector<char> lanes(kLaneSize * kAtOnce);
  for (uint64_t lane = 0; lane < count; lane += kAtOnce) {
    uint64_t now = std::min(kAtOnce, count - lane);
    if (!files.Read(at + lane * kLaneSize, lanes.data(), now * kLaneSize)) return false;
    for (uint64_t i = 0; i < now; i++) {
      for (const Log& log : kLogs) {
        uint64_t next, capacity;
        memcpy(&next, lanes.data() + i * kLaneSize + log.at + 8, 8);
        memcpy(&capacity, lanes.data() + i * kLaneSize + log.at + 16, 8);
        if (next != 0 || (capacity != 0 && capacity != log.capacity)) return false;
      }
    }
  }
  return true;
}

// A chunk that is cut into small blocks begins with their size and alignment.
bool CheckRun(const Files& files, uint64_t at, uint32_t count) {
  uint64_t run[2];
  if (!files.Read(at, run, sizeof run)) return false;
  bool aligned = run[1] <= kChunkSize && (run[1] & (run[1] - 1)) == 0;
  return run[0] >= 8 && run[0] % 8 == 0 && run[0] < count * kChunkSize && aligned;
}

bool CheckZone(const Files& files, uint64_t at) {
  uint32_t header[2];
  if (!files.Read(at, header, sizeof header)) return false;
  if (header[0] == 0 && header[1] == 0) return true;  // not used yet
  uint64_t room = at + kChunksAt < files.size() ? (files.size() - at - kChunksAt) / kChunkSize : 0;
  if (header[0] != kZoneMagic || header[1] > std::min(kMaxChunks, room)) return false;
  std::vector<Chunk> chunks(header[1]);
  if (!files.Read(at + kZoneHeader, chunks.data(), chunks.size() * sizeof(Chunk))) return false;
  for (uint64_t i = 0; i < chunks.size(); i += chunks[i].count) {
    const Chunk& chunk = chunks[i];
    if (chunk.count == 0 || chunk.count > chunks.size() - i) return false;
    if (chunk.type < kFree || chunk.type > kRun || chunk.flags > 15) return false;
    uint64_t start = at + kChunksAt + i * kChunkSize;
    if (chunk.type == kRun && !CheckRun(files, start, chunk.count)) return false;
  }
  return true;
}

bool CheckStructures(const Files& files, const char* front) {
  uint64_t lanes_at, lanes, heap, root[2];
  memcpy(&lanes_at, front + kOffsetsAt, 8);
  memcpy(&lanes, front + kOffsetsAt + 8, 8);
  memcpy(&heap, front + kOffsetsAt + 16, 8);
  memcpy(root, front + kRootAt, 16);
  if (lanes_at < kFrontSize || lanes_at > kPartSize || lanes == 0 || lanes > kMaxLanes)
    return false;
  if (heap < lanes_at + lanes * kLaneSize || heap > files.size() - kHeapHeader) return false;
  if (root[0] > files.size() || root[1] > files.size() - root[0]) return false;
  if (root[1] > 0 && root[0] < heap) return false;
  if (!CheckLanes(files, lanes_at, lanes)) return false;
  for (uint64_t zone = heap + kHeapHeader; zone + kChunksAt < files.size(); zone += kZoneSize) {
    if (!CheckZone(files, zone)) return false;
  }
  return true;
}

}  // namespace

Status CheckFiles(const std::string& path, bool folder) {
  Files files;
  Status status = files.Open(path, folder);
  if (!status.ok()) return status;
  std::vector<char> front(kFrontSize);
  if (!files.Read(0, front.data(), sizeof kSignature) ||
      memcmp(front.data(), kSignature, sizeof kSignature) != 0) {
    return Status(Code::kNotAPool, path + " is not a pool of libpmemobj");
  }
  if (files.size() < kPartSize || !files.Read(0, front.data(), kFrontSize)) {
    return Status(Code::kCorrupt, path + " is cut short");
  }
  if (memcmp(front.data() + kLayoutAt, kLayoutName, sizeof kLayoutName) != 0) {
    return Status(Code::kNotAPool, path + " is a pool of another program");
  }
  if (!CheckStructures(files, front.data())) {
    return Status(Code::kCorrupt, path + ": the structures of libpmemobj are damaged");
  }
  return folder ? files.Tidy(path) : status;
}

}  // namespace potoroo::engine
