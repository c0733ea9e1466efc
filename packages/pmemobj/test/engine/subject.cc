#include "subject.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "engine/base/checksum.h"
#include "engine/check/heap_check.h"
#include "engine/space/superblock.h"
#include "engine/tree/walk.h"
#include "model.h"

using namespace potoroo;
using namespace potoroo::engine;

void Subject::Seal(uint64_t offset) {
  PageHeader* header = reinterpret_cast<PageHeader*>(At(offset));
  header->checksum = Checksum(At(offset) + 4, header->size - 4u);
}

char* Subject::FirstReference() {
  for (uint64_t leaf : leaves) {
    for (uint32_t i = 0; i < PageAt(leaf).count(); i++) {
      PageEntry entry = PageAt(leaf).entry(i);
      if (entry.flags & kEntryValueBlob) return const_cast<char*>(entry.payload.data());
    }
  }
  abort();
}

namespace {

void FindPages(Subject* subject, uint64_t offset) {
  Page page = subject->PageAt(offset);
  for (uint32_t i = 0; i < page.count() && page.level() > 0; i++) {
    FindPages(subject, uint64_t{page.child(i)} * kPageSize);
  }
  if (page.level() == 0) subject->leaves.push_back(offset);
}

}  // namespace

Subject MakeSubject(const std::string& path) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, {uint64_t{20} << 20, 0}, &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Batch batch;
  for (int i = 100000; i < 103000; i++) {
    batch.Put(map, "key " + std::to_string(i), std::string(i % 10 == 0 ? 300 : 30, 'v'));
  }
  batch.Put(map, "object", std::string(4 << 20, 'o'));
  EXPECT_OK(batch.WriteTo(pool.get()));
  pool.reset();

  Subject subject;
  subject.bytes.resize(20 << 20);
  int fd = open(path.c_str(), O_RDONLY);
  EXPECT(read(fd, &subject.bytes[0], subject.bytes.size()) == 20 << 20);
  close(fd);
  PoolReader reader;
  EXPECT_OK(reader.Open(path, false, PoolReader::For::kReading));
  HeapCheck heap(
      reader, [](uint64_t, const std::string& what) { EXPECT(what.empty()); },
      [&](const HeapObject& object) {
        subject.objects.push_back(object.offset - 16);
        if (!object.internal && object.type == 1) subject.extents.push_back(object.offset);
      });
  heap.Run();
  subject.root_object = heap.root();
  subject.superblock = ViewOf(subject.At(0), heap.root()).place;
  const RootSlot slot = ViewOf(subject.At(0), heap.root()).latest;
  subject.directory = uint64_t{slot.directory} * kPageSize;
  DirectoryValue value;
  memcpy(&value, subject.PageAt(subject.directory).entry(0).payload.data(), sizeof value);
  subject.root = uint64_t{value.root} * kPageSize;
  EXPECT(subject.PageAt(subject.root).level() == 2);
  FindPages(&subject, subject.root);
  return subject;
}

RootView ViewOf(const char* bytes, uint64_t root) {
  return ViewRoot(root, kRootSize, [=](uint64_t offset, void* to, uint64_t size) {
    memcpy(to, bytes + offset, size);
    return true;
  });
}

std::string ReadFile(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY);
  off_t size = lseek(fd, 0, SEEK_END);
  std::string bytes(static_cast<size_t>(size), '\0');
  EXPECT(pread(fd, &bytes[0], bytes.size(), 0) == size);
  close(fd);
  return bytes;
}

void WriteFile(const std::string& path, const std::string& bytes) {
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  EXPECT(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  close(fd);
}
