#include "media.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <filesystem>

#include "media_file.h"

namespace {

constexpr size_t kPage = 4096;
std::atomic<Media*> current{nullptr};

}  // namespace

Media* Media::Current() { return current.load(std::memory_order_acquire); }

Media::Media(const std::string& folder, Kind kind) : kind_(kind) {
  char path[PATH_MAX];
  EXPECT(realpath(folder.c_str(), path) != nullptr);
  folder_ = std::string(path) + "/";
  // As the engine asks, which decides without libpmem.
  setenv("PMEM_IS_PMEM_FORCE", kind == Kind::kPersistentMemory ? "1" : "0", 1);
  // Contents that are there already have arrived.
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_, error)) {
    if (!entry.is_regular_file(error) || entry.file_size(error) > kTextSize) continue;
    int fd = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    texts_[InodeOf(fd)] = ReadAll(fd);
    close(fd);
  }
  names_ = ListNames();
  EXPECT(current.exchange(this) == nullptr);
}

Media::~Media() { current = nullptr; }

bool Media::Holds(int fd) const {
  char path[PATH_MAX];
  ssize_t size = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
  return size > static_cast<ssize_t>(folder_.size()) &&
         memcmp(path, folder_.data(), folder_.size()) == 0;
}

Media::File* Media::FileOf(int fd) {
  std::unique_ptr<File>& file = files_[InodeOf(fd)];
  struct stat info;
  EXPECT(fstat(fd, &info) == 0);
  if (file == nullptr) file.reset(new File(fd, files_.size()));
  file->Resize(static_cast<size_t>(info.st_size));
  return file.get();
}

void Media::Map(const void* address, size_t size, int fd, off_t offset) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (!Holds(fd)) return;
  uintptr_t start = reinterpret_cast<uintptr_t>(address);
  regions_.push_back({start, start + size, FileOf(fd), static_cast<uint64_t>(offset)});
}

void Media::Unmap(const void* address, size_t size) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  uintptr_t from = reinterpret_cast<uintptr_t>(address), to = from + size;
  std::vector<Region> left;
  for (const Region& region : regions_) {
    Region before = region, after = region;
    before.end = std::min(region.end, from);
    after.start = std::max(region.start, to);
    after.offset += after.start - region.start;
    if (before.start < before.end) left.push_back(before);
    if (after.start < after.end) left.push_back(after);
  }
  regions_ = std::move(left);
}

void Media::EachPiece(const void* address, size_t size, size_t align,
                      const std::function<void(File*, uint64_t, uint64_t)>& visit) {
  uintptr_t from = reinterpret_cast<uintptr_t>(address), to = (from + size + align - 1) & -align;
  from &= -align;
  for (const Region& region : regions_) {
    uintptr_t start = std::max(from, region.start), end = std::min(to, region.end);
    if (start >= end) continue;
    uint64_t offset = region.offset + (start - region.start);
    uint64_t whole = region.file->shadow.size();
    if (offset < whole) visit(region.file, offset, std::min<uint64_t>(end - start, whole - offset));
  }
}

void Media::Point(bool fence) {
  if (at_point) at_point(fence);
}

void Media::Flush(const void* address, size_t size) {
  if (size == 0) return;
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  Point(false);
  Lines& lines = flushed_[std::this_thread::get_id()];
  EachPiece(address, size, kLine, [&](File* file, uint64_t offset, uint64_t length) {
    for (uint64_t at = offset; at < offset + length; at += kLine) {
      Line& line = lines[file->index << 32 | at / kLine];
      line.file = file;
      line.offset = at;
      line.when = ++when_;
      memcpy(line.bytes, file->memory + at, kLine);
    }
  });
}

// A later flush of the same line by a thread that has passed its fence counts.
void Media::DropOlder(uint64_t key, uint64_t when) {
  for (auto& thread : flushed_) {
    auto line = thread.second.find(key);
    if (line != thread.second.end() && line->second.when < when) thread.second.erase(line);
  }
}

void Media::Fence() {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  auto mine = flushed_.find(std::this_thread::get_id());
  if (mine == flushed_.end()) return;
  Point(true);
  Lines lines = std::move(mine->second);
  flushed_.erase(mine);
  for (const auto& entry : lines) {
    const Line& line = entry.second;
    if (line.offset + kLine > line.file->shadow.size()) continue;
    memcpy(&line.file->shadow[line.offset], line.bytes, kLine);
    if (!flushed_.empty()) DropOlder(entry.first, line.when);
  }
}

void Media::Sync(const void* address, size_t size) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  Point(true);
  EachPiece(address, size, kPage, [this](File* file, uint64_t offset, uint64_t length) {
    memcpy(&file->shadow[offset], file->memory + offset, length);
    if (!file->named) SyncName(file->fd);
    file->named = true;
  });
}

void Media::SyncRange(int fd, uint64_t offset, uint64_t size) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  if (!Holds(fd) || files_.count(InodeOf(fd)) == 0) return;
  Point(true);
  File* file = FileOf(fd);
  memcpy(&file->shadow[offset], file->memory + offset, size);
}

Media::Names Media::ListNames() const {
  Names names;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_, error)) {
    struct stat info;
    if (stat(entry.path().c_str(), &info) != 0) continue;
    names[entry.path().lexically_relative(folder_)] = info.st_ino;
  }
  return names;
}

// The name that the file has now.
void Media::SyncName(int fd) {
  char path[PATH_MAX + 1] = {};
  if (readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, PATH_MAX) < 0) return;
  struct stat info;
  if (stat(path, &info) != 0 || info.st_ino != InodeOf(fd)) return;  // it has none any more
  for (auto name = names_.begin(); name != names_.end();) {
    name = name->second == info.st_ino ? names_.erase(name) : std::next(name);
  }
  names_[std::string(path).substr(folder_.size())] = info.st_ino;
}

// All names in a folder; "" is the one that holds everything.
void Media::SyncNames(const std::string& folder) {
  auto in_it = [&](const std::string& name) {
    return std::filesystem::path(name).parent_path() == folder;
  };
  for (auto name = names_.begin(); name != names_.end();) {
    name = in_it(name->first) ? names_.erase(name) : std::next(name);
  }
  for (const auto& name : ListNames()) {
    if (in_it(name.first)) names_.insert(name);
  }
}

void Media::SyncFile(int fd) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  struct stat info;
  if (fstat(fd, &info) != 0) return;
  if (S_ISDIR(info.st_mode)) {
    char path[PATH_MAX + 1] = {};
    ssize_t size = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, PATH_MAX);
    if (!Holds(fd) && folder_ != std::string(path, static_cast<size_t>(size)) + "/") return;
    Point(true);
    bool whole = static_cast<size_t>(size) < folder_.size();
    return SyncNames(whole ? std::string() : std::string(path).substr(folder_.size()));
  }
  if (!Holds(fd) || !S_ISREG(info.st_mode)) return;
  Point(true);
  SyncName(fd);
  auto file = files_.find(info.st_ino);
  if (file == files_.end()) {
    int reader = OpenAgain(fd);
    texts_[info.st_ino] = ReadAll(reader);
    close(reader);
  } else {
    FileOf(fd)->shadow.assign(file->second->memory, file->second->shadow.size());
  }
}
