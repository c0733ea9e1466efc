// What a power cut leaves of the files.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <set>

#include "media.h"
#include "media_file.h"

namespace {

constexpr size_t kPage = 4096;

bool Happens(double share, Chance* chance) {
  return share >= 1 || (share > 0 && static_cast<double>(chance->Below(1000)) < share * 1000);
}

void WriteAt(int fd, uint64_t offset, const char* bytes, size_t size) {
  EXPECT(pwrite(fd, bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size));
}

}  // namespace

// What was stored and not flushed. Pages differ in their luck, so that one part may have arrived
// as a whole and another one not at all.
void Media::EachStored(File* file, double share, Chance* chance, const Arrive& arrive) {
  if (share <= 0) return;
  size_t grain = kind_ == Kind::kDisk ? kSector : kLine;
  for (uint64_t page = 0; page + kPage <= file->shadow.size(); page += kPage) {
    const char* now = file->memory + page;
    if (memcmp(now, &file->shadow[page], kPage) == 0) continue;
    uint64_t luck = share >= 1 ? 0 : chance->Below(3);
    double here = luck == 0 ? 1 : luck == 1 ? 0 : share;
    for (size_t at = 0; at < kPage; at += grain) {
      if (memcmp(now + at, &file->shadow[page + at], grain) == 0 || !Happens(here, chance))
        continue;
      arrive(page + at, now + at, grain);
    }
  }
}

void Media::EachFlushed(File* file, const Mood& mood, Chance* chance, const Arrive& arrive) {
  for (const auto& thread : flushed_) {
    for (const auto& entry : thread.second) {
      const Line& line = entry.second;
      if (line.file != file || line.offset + kLine > file->shadow.size()) continue;
      if (!mood.torn) {
        if (Happens(mood.flushed, chance)) arrive(line.offset, line.bytes, kLine);
        continue;
      }
      for (size_t word = 0; word < kLine; word += 8) {
        if (Happens(mood.flushed, chance)) arrive(line.offset + word, line.bytes + word, 8);
      }
    }
  }
}

void Media::Evict(double share, Chance* chance) {
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  for (auto& entry : files_) {
    File* file = entry.second.get();
    EachStored(file, share, chance, [&](uint64_t offset, const char* bytes, size_t size) {
      memcpy(&file->shadow[offset], bytes, size);
    });
  }
}

// Of a file that is written, not mapped: what was last synced, or what was written since.
std::string Media::TextAfterCut(int fd, uint64_t inode, Chance* chance) {
  std::string now = ReadAll(fd);
  auto synced = texts_.find(inode);
  bool same = synced != texts_.end() && synced->second == now;
  if (same || now.size() > kTextSize) return now;
  if (chance->Below(3) == 0) return now;
  return synced == texts_.end() ? std::string() : synced->second;
}

void Media::CutFile(const std::string& from, const std::string& to, const Mood& mood,
                    Chance* chance) {
  int source = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  int image = open(to.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  EXPECT(source >= 0 && image >= 0);
  auto found = files_.find(InodeOf(source));
  if (found == files_.end()) {
    std::string text = TextAfterCut(source, InodeOf(source), chance);
    WriteAt(image, 0, text.data(), text.size());
    EXPECT(ftruncate(image, static_cast<off_t>(text.size())) == 0);
  } else {
    File* file = FileOf(source);
    WriteAt(image, 0, file->shadow.data(), file->shadow.size());
    EXPECT(ftruncate(image, static_cast<off_t>(file->shadow.size())) == 0);
    auto arrive = [&](uint64_t offset, const char* bytes, size_t size) {
      WriteAt(image, offset, bytes, size);
    };
    EachFlushed(file, mood, chance, arrive);
    EachStored(file, mood.stored, chance, arrive);
  }
  close(source);
  close(image);
}

void Media::Cut(const Mood& mood, Chance* chance, const std::string& to) {
  namespace fs = std::filesystem;
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::set<fs::path> kept;
  std::error_code error;
  fs::create_directory(to, error);
  for (const auto& entry : fs::recursive_directory_iterator(folder_, error)) {
    fs::path name = entry.path().lexically_relative(folder_), target = to / name;
    kept.insert(target);
    if (entry.is_directory(error)) {
      fs::create_directory(target, error);
    } else {
      CutFile(entry.path(), target, mood, chance);
    }
  }
  std::vector<fs::path> surplus;
  for (const auto& entry : fs::recursive_directory_iterator(to, error)) {
    if (kept.count(entry.path()) == 0) surplus.push_back(entry.path());
  }
  for (const fs::path& path : surplus) fs::remove_all(path, error);
}
