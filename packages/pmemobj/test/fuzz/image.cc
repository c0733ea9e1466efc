#include "image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "check.h"

void Image::Load(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  EXPECT(fd >= 0 && fstat(fd, &info) == 0);
  bytes_.resize(static_cast<size_t>(info.st_size));
  EXPECT(pread(fd, &bytes_[0], bytes_.size(), 0) == info.st_size);
  close(fd);
  constexpr uint64_t kBlock = 4096;
  static const char kZeros[kBlock] = {};
  ranges_.clear();
  for (uint64_t at = 0; at < bytes_.size(); at += kBlock) {
    if (memcmp(&bytes_[at], kZeros, kBlock) == 0) continue;
    if (ranges_.empty() || ranges_.back().first + ranges_.back().second != at) {
      ranges_.emplace_back(at, 0);
    }
    ranges_.back().second += kBlock;
  }
}

void Image::Write(const std::string& path) const {
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  EXPECT(fd >= 0 && ftruncate(fd, static_cast<off_t>(bytes_.size())) == 0);
  for (const auto& range : ranges_) {
    EXPECT(pwrite(fd, &bytes_[range.first], range.second, static_cast<off_t>(range.first)) ==
           static_cast<ssize_t>(range.second));
  }
  close(fd);
}
