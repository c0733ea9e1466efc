#include "encrypted_subject.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "engine/check/heap_check.h"
#include "engine/space/key_slots.h"
#include "engine/tree/store.h"
#include "engine/tree/walk.h"
#include "model.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

const std::string EncryptedSubject::kKey(kKeySize, 'k');

// Values lie in the page, in a slot, in a run of blocks, and in an object of their own.
std::string EncryptedSubject::ValueOf(int key, int round) {
  const size_t size = key == 5 ? 3500000 : key % 300 == 7 ? 40000 : key % 20 == 0 ? 400 : 40;
  std::string value = "round " + std::to_string(round) + " of " + NameOf(key) + ";";
  value.resize(size, static_cast<char>('a' + round));
  return value;
}

EncryptedSubject::EncryptedSubject(bool is_folder) : in_folder(is_folder) {
  const std::string path = folder / "master";
  PoolOptions options;
  options.key = kKey;
  options.size = in_folder ? 16 << 20 : 24 << 20;
  options.max_size = in_folder ? 1 << 30 : 0;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, options, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  for (int round = 0; round < kRounds; round++) {
    for (int key = 0; key < kKeys; key += 60) {
      Batch batch;
      for (int i = key; i < key + 60; i++) batch.Put(map, NameOf(i), ValueOf(i, round));
      EXPECT_OK(batch.WriteTo(pool.get()));
    }
    EXPECT_OK(pool->Checkpoint());
    if (in_folder || round < kRounds - 4 || round == kRounds - 1) continue;
    older.emplace_back();
    CopyTo(folder / "now", {});
    Read(folder / "now", &older.back());
  }
  for (int i = 0; i < kLater; i++) {
    Batch batch;
    batch.Put(map, "later " + std::to_string(i), LaterOf(i));
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  CopyTo(folder / "now", {});  // what a crash leaves
  pool.reset();
  EXPECT(system(("rm -rf " + path + " && mv " + (folder / "now") + " " + path).c_str()) == 0);
  Read(path, &bytes);
  FindPlaces(path);
}

void EncryptedSubject::CopyTo(const std::string& to, const std::vector<Patch>& patches) const {
  const std::string command =
      "rm -rf " + to + " && cp -r --sparse=always " + (folder / "master") + " " + to;
  EXPECT(system(command.c_str()) == 0);
  for (const Patch& patch : patches) {
    auto file = std::find_if(files_.begin(), files_.end(), [&](const File& f) {
      return patch.offset >= f.start && patch.offset < f.start + f.size;
    });
    EXPECT(file != files_.end());
    int fd = open((in_folder ? to + "/" + file->name : to).c_str(), O_RDWR | O_CLOEXEC);
    const uint64_t size = std::min(patch.bytes.size(), file->start + file->size - patch.offset);
    EXPECT(pwrite(fd, patch.bytes.data(), size, static_cast<off_t>(patch.offset - file->start)) ==
           static_cast<ssize_t>(size));
    close(fd);
  }
}

void EncryptedSubject::Read(const std::string& path, std::string* to) {
  PoolReader reader;
  EXPECT_OK(reader.Open(path, in_folder, PoolReader::For::kReading));
  to->resize(reader.size());
  EXPECT(reader.Read(0, &(*to)[0], to->size()));
  files_.clear();
  for (size_t i = 0; i < reader.files(); i++) {
    const std::string name = reader.FileName(i);
    files_.push_back({name.substr(name.rfind('/') + 1), reader.FileStart(i), reader.FileSize(i)});
  }
}

void EncryptedSubject::FindPlaces(const std::string& path) {
  PoolReader reader;
  EXPECT_OK(reader.Open(path, in_folder, PoolReader::For::kReading));
  HeapCheck heap(
      reader, [](uint64_t, const std::string& what) { EXPECT(what.empty()); },
      [&](const HeapObject& object) {
        if (!object.internal && object.type == 1) extents.push_back(object.offset);
      });
  heap.Run();
  const RootView view = ViewOf(bytes.data(), heap.root());
  root = view.latest;
  superblock = view.place;
  auto read = [&](uint64_t offset, void* to, uint64_t size) {
    return reader.Read(offset, to, size);
  };
  EXPECT_OK(FindCipher(view.block, superblock, kKey, read, &cipher_));
  FindPages(root.directory, true);
}

void EncryptedSubject::FindPages(uint32_t number, bool directory) {
  const uint64_t offset = uint64_t{number} * kPageSize;
  alignas(8) char plain[kPageSize];
  EXPECT(OpenPage(*cipher_, &bytes[offset], offset, plain) && VerifyPage(plain, number));
  Page page(plain);
  (directory || page.level() > 0 ? inner : leaves).push_back(offset);
  for (uint32_t i = 0; i < page.count(); i++) {
    if (page.level() > 0) {
      FindPages(page.child(i), directory);
    } else if (directory) {
      DirectoryValue value;
      memcpy(&value, page.entry(i).payload.data(), sizeof value);
      if (value.root != 0) FindPages(value.root, false);
    } else if (page.entry(i).flags & kEntryValueBlob) {
      blobs.push_back(BlobRef::Load(page.entry(i).payload.data()));
    }
  }
}
