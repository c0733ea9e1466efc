// Makes the files that a power cut leaves.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "media.h"
#include "media_file.h"

namespace {

constexpr size_t kPage = 4096;

void WriteText(const std::string& path, const std::string& text) {
  FILE* file = fopen(path.c_str(), "w");
  EXPECT(file != nullptr && fwrite(text.data(), 1, text.size(), file) == text.size());
  fclose(file);
}

bool Happens(double share, Chance* chance) {
  return share >= 1 || (share > 0 && static_cast<double>(chance->Below(1000)) < share * 1000);
}

void WriteAt(int fd, uint64_t offset, const char* bytes, size_t size) {
  EXPECT(pwrite(fd, bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size));
}

}  // namespace

// Visits stores that were not flushed. Pages differ in their luck, so that one part may have
// arrived as a whole and another one not at all.
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

// Returns a file that is written, not mapped, as it was last synced, or as it was written since.
std::string Media::TextAfterCut(int fd, uint64_t inode, Chance* chance) {
  std::string now = ReadAll(fd);
  auto synced = texts_.find(inode);
  bool same = synced != texts_.end() && synced->second == now;
  if (same || now.size() > kTextSize) return now;
  if (chance->Below(3) == 0) return now;
  return synced == texts_.end() ? std::string() : synced->second;
}

void Media::CutShadow(File* file, const std::string& to, const Mood& mood, Chance* chance) {
  int image = open(to.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  EXPECT(image >= 0);
  WriteAt(image, 0, file->shadow.data(), file->shadow.size());
  EXPECT(ftruncate(image, static_cast<off_t>(file->shadow.size())) == 0);
  auto arrive = [&](uint64_t offset, const char* bytes, size_t size) {
    WriteAt(image, offset, bytes, size);
  };
  EachFlushed(file, mood, chance, arrive);
  EachStored(file, mood.stored, chance, arrive);
  close(image);
}

void Media::CutFile(const std::string& from, const std::string& to, const Mood& mood,
                    Chance* chance) {
  int source = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT(source >= 0);
  if (files_.count(InodeOf(source)) != 0) {
    CutShadow(FileOf(source), to, mood, chance);
  } else {
    int image = open(to.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    EXPECT(image >= 0);
    std::string text = TextAfterCut(source, InodeOf(source), chance);
    WriteAt(image, 0, text.data(), text.size());
    EXPECT(ftruncate(image, static_cast<off_t>(text.size())) == 0);
    close(image);
  }
  close(source);
}

// A file has its name of now or, by chance, the one that was last synced; and what has no name any
// more may still have that one. A name that was never synced may be none at all.
Media::Names Media::NamesAfterCut(const Names& now, const Mood& mood, Chance* chance) {
  Names after;
  std::map<uint64_t, std::string> old;  // that were synced, and have not become others for good
  for (const auto& name : names_) old[name.second] = name.first;
  for (const auto& name : now) {
    auto was = names_.find(name.first);
    bool arrived = was != names_.end() && was->second == name.second;
    if (!arrived && !Happens(mood.stored, chance)) continue;
    after[name.first] = name.second;
    old.erase(name.second);
  }
  std::map<uint64_t, std::string> live;
  for (const auto& name : now) live[name.second] = name.first;
  for (const auto& name : old) {
    bool known = live.count(name.first) != 0 || files_.count(name.first) != 0 ||
                 texts_.count(name.first) != 0;
    // Another file's name: that one has it in the same moment as this one loses it.
    bool gone = live.count(name.first) == 0 && now.count(name.second) == 0;
    if (!known || (gone && Happens(mood.stored, chance))) continue;
    after.insert({name.second, name.first});
  }
  return after;
}

void Media::Cut(const Mood& mood, Chance* chance, const std::string& to) {
  namespace fs = std::filesystem;
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::error_code error;
  fs::create_directory(to, error);
  for (const auto& entry : fs::directory_iterator(to, error)) fs::remove_all(entry.path(), error);
  const Names now = ListNames();
  std::map<uint64_t, std::string> live;
  for (const auto& name : now) live[name.second] = name.first;
  for (const auto& name : NamesAfterCut(now, mood, chance)) {
    fs::path target = fs::path(to) / name.first;
    if (!fs::exists(target.parent_path(), error)) continue;
    auto source = live.find(name.second);
    if (source == live.end()) {
      auto mapped = files_.find(name.second);
      if (mapped != files_.end()) {
        CutShadow(mapped->second.get(), target, mood, chance);
      } else {
        WriteText(target, texts_[name.second]);
      }
    } else if (fs::is_directory(folder_ + source->second, error)) {
      fs::create_directory(target, error);
    } else {
      CutFile(folder_ + source->second, target, mood, chance);
    }
  }
}
