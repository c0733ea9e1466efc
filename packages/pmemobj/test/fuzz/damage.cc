#include "damage.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "engine/base/checksum.h"
#include "engine/base/page.h"
#include "engine/check/heap_check.h"
#include "engine/log/log.h"
#include "engine/log/undo.h"
#include "engine/space/key_slots.h"
#include "engine/space/space.h"
#include "engine/space/superblock.h"
#include "engine/tree/store.h"
#include "engine/tree/walk.h"
#include "hostile.h"

using namespace potoroo;
using namespace potoroo::engine;

const Template& Template::Get() {
  static Template made;
  return made;
}

Template::Template() {
  Folder folder;
  std::string path = folder / "template";
  Fill(path);
  image_.Write(path);
  FindHeap(path);
}

// Two maps, the second small; values of all kinds, some of which look like what the engine has on
// media; trees of three levels.
void Template::Fill(const std::string& path) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, WithSecret(uint64_t{12} << 20), &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("0", &map));
  EXPECT_OK(pool->OpenMap("1", &map));
  Chance chance(7);
  Batch batch;
  for (int i = 0; i < 300; i++) {
    std::string key = chance.Key(5000).substr(0, 2000);
    batch.Put(0, key, std::string(i % 7 == 0 ? 100 + 5 * static_cast<size_t>(i) : 30, 'v'));
  }
  for (int i = 0; i < 40; i++) batch.Put(0, std::string(230, 'l') + std::to_string(i), "long");
  batch.Put(0, "run", std::string(40000, 'r'));
  batch.Put(0, "object", std::string((3 << 20) + 4096, '\0'));
  const Hostile hostile([] { return uint64_t{3}; });
  for (size_t i = 0; i < 40; i++) {
    batch.Put(0, "hostile " + std::to_string(i), hostile.Make(&chance, 900 * i));
  }
  std::string buffer(3000, 'b');
  for (size_t i = 0; i < 4; i++) buffer.replace(i * 500, 6, "undone");
  if (kSecret.empty()) batch.PutBuffer(0, "buffer", buffer);
  EXPECT_OK(batch.WriteTo(pool.get()));
  std::vector<Model> models(2);
  batch.ApplyTo(&models);
  EXPECT_OK(pool->Checkpoint());
  if (kSecret.empty()) LeaveTransaction(pool.get());
  WriteLog(pool.get(), models);
  // As a crash leaves it.
  image_.Load(path);
}

// Ranges that are saved, and changed, and not committed.
void Template::LeaveTransaction(Pool* pool) {
  char* at;
  size_t size;
  EXPECT_OK(Take(pool)->GetBuffer(0, "buffer", &at, &size));
  for (size_t i = 0; i < 4; i++) {
    EXPECT_OK(pool->SaveBuffer(at + i * 500, 300));
    memset(at + i * 500, 'n', 300);
  }
}

// One record each.
void Template::WriteLog(Pool* pool, std::vector<Model> models) {
  states_.push_back(models);
  for (size_t i = 0; i < 6; i++) {
    Batch batch;
    batch.Put(1, "a" + std::to_string(i % 4), std::string(i * 30, 'a'));
    batch.Delete(0, std::string(230, 'l') + std::to_string(i));
    if (i == 3) batch.DeleteRange(0, "!documents!2", "!documents!3");
    if (i == 4) batch.Put(0, "logged", std::string(9000, 'g'));
    EXPECT_OK(batch.WriteTo(pool));
    batch.ApplyTo(&models);
    states_.push_back(models);
  }
}

void Template::FindHeap(const std::string& path) {
  PoolReader reader;
  EXPECT_OK(reader.Open(path, false, PoolReader::For::kReading));
  HeapCheck heap(
      reader, [](uint64_t, const std::string& what) { EXPECT(what.empty()); },
      [&](const HeapObject& object) {
        places_[kHeap].push_back({object.offset - 16, 16});
        bool extent = object.type == static_cast<uint64_t>(ObjectType::kExtent);
        if (extent) places_[kExtent].push_back({object.offset, sizeof(ExtentHeader)});
      });
  heap.Run();
  uint64_t front[3];  // the lanes' offset and number, the heap's offset
  memcpy(front, image_.data() + 5120, sizeof front);
  places_[kHeader] = {{0, 256}, {3840, 256}, {4096, 16}, {5120, 32}, {6136, 56}};
  places_[kLanes] = {{front[0], 3072}, {front[0] + 3072, 3072}};
  // The heap's header, its zone's, and the headers of all chunks; the header of a run.
  uint64_t zone = front[2] + 1024;
  places_[kHeap].insert(places_[kHeap].end(),
                        {{front[2], 64}, {front[2] + 1016, 8}, {zone, 64 + 8 * 32}});
  for (uint64_t chunk = 0; chunk < 32; chunk++) {
    uint16_t type;
    memcpy(&type, image_.data() + zone + 64 + chunk * 8, 2);
    if (type == 4) places_[kHeap].push_back({zone + 64 + 65528 * 8 + chunk * 256 * 1024, 400});
  }
  const ReadBytes read = [this](uint64_t offset, void* to, uint64_t size) {
    memcpy(to, image_.data() + offset, size);
    return true;
  };
  const RootView view = ViewRoot(heap.root(), heap.root_size(), read);
  const RootSlot& root = view.latest;
  for (uint64_t at : kPointersAt) {
    places_[kSuperblock].push_back({heap.root() + at, sizeof(RootPointer)});
  }
  places_[kSuperblock].push_back({view.place, sizeof(Superblock)});
  for (uint64_t place : view.places) places_[kRootSlot].push_back({place, sizeof(RootSlot)});
  FindLog(root.log + uint64_t{root.segment} * root.segment_size);
  EXPECT_OK(FindCipher(view.block, view.place, kSecret, read, &cipher_));
  for (uint64_t i = 0; i < kKeySlots && cipher_ != nullptr; i++) {
    places_[kKeySlot].push_back({KeySlotAt(view.place, i), sizeof(KeySlot)});
  }
  FindPages(root.directory, true);
  if (cipher_ == nullptr) FindUndo();
}

void Template::FindLog(uint64_t offset) {
  for (size_t i = 1; i < states_.size(); i++) {
    LogRecord record;
    memcpy(&record, image_.data() + offset, sizeof record);
    EXPECT(record.size > sizeof record && record.size < 10000);
    places_[kLog].push_back({offset, record.size});
    offset = (offset + record.size + 63) / 64 * 64;
  }
}

void Template::FindUndo() {
  constexpr size_t kHeader = sizeof(UndoEntry);
  std::string bytes(image_.data(), image_.size());
  for (size_t at = bytes.find("undonebb"); at != std::string::npos;
       at = bytes.find("undonebb", at + 1)) {
    places_[kUndo].push_back({at - kHeader, kHeader + 300});
  }
  EXPECT(places_[kUndo].size() == 4);
}

void Template::FindPages(uint32_t number, bool directory) {
  if (number == 0) return;
  uint64_t offset = uint64_t{number} * kPageSize;
  alignas(8) char plain[kPageSize];
  memcpy(plain, image_.data() + offset, kPageSize);
  if (cipher_ != nullptr) EXPECT(OpenPage(*cipher_, image_.data() + offset, offset, plain));
  Page page(plain);
  places_[kPage].push_back({offset, cipher_ == nullptr ? page.header().size : kPageSize});
  for (uint32_t i = 0; i < page.count(); i++) {
    PageEntry entry = page.entry(i);
    const char* refs[2] = {entry.key_blob, nullptr};
    if (entry.flags & kEntryValueBlob) refs[1] = entry.payload.data();
    for (const char* ref : refs) {
      if (ref == nullptr) continue;
      const uint64_t seal = cipher_ == nullptr ? 0 : kSealSize;
      places_[kBlob].push_back({BlobRef::Load(ref).offset(), BlobRef::Load(ref).size + seal});
    }
    if (page.level() > 0) {
      FindPages(entry.child(), directory);
    } else if (directory) {
      DirectoryValue value;
      memcpy(&value, entry.payload.data(), sizeof value);
      FindPages(value.root, false);
    }
  }
}

namespace {

// The file, which may end before what is asked for.
class Copy {
 public:
  explicit Copy(const std::string& path) : fd_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {}
  ~Copy() { close(fd_); }
  std::string Read(const Span& span) const {
    std::string bytes(span.size, '\0');
    EXPECT(pread(fd_, &bytes[0], span.size, static_cast<off_t>(span.offset)) >= 0);
    return bytes;
  }
  void Write(uint64_t offset, const std::string& bytes) const {
    EXPECT(pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(bytes.size()));
  }
  void Truncate(uint64_t size) const { EXPECT(ftruncate(fd_, static_cast<off_t>(size)) == 0); }

 private:
  int fd_;
};

template <typename T>
void PutChecksum(std::string* bytes) {
  T value;
  memcpy(&value, bytes->data(), sizeof value);
  value.checksum = Checksum(&value, offsetof(T, checksum));
  memcpy(&(*bytes)[0], &value, sizeof value);
}

// Our own records get a checksum that holds; those of libpmemobj stay as they are.
void Forge(const Copy& copy, PlaceKind kind, const Span& span) {
  std::string bytes = copy.Read(span);
  if (kind == kSuperblock) {
    span.size == sizeof(RootPointer) ? PutChecksum<RootPointer>(&bytes)
                                     : PutChecksum<Superblock>(&bytes);
  } else if (kind == kRootSlot) {
    PutChecksum<RootSlot>(&bytes);
  } else if (kind == kExtent) {
    PutChecksum<ExtentHeader>(&bytes);
  } else if (kind == kKeySlot) {
    PutChecksum<KeySlot>(&bytes);
  } else if (kind == kPage && kSecret.empty()) {
    PageHeader header;
    bytes = copy.Read({span.offset, kPageSize});
    memcpy(&header, bytes.data(), sizeof header);
    if (header.size < sizeof header || header.size > kPageSize) return;
    header.checksum = Checksum(bytes.data() + 4, header.size - 4u);
    memcpy(&bytes[0], &header, sizeof header);
  } else if (kind == kUndo) {
    UndoEntry entry;
    memcpy(&entry, bytes.data(), sizeof entry);
    if (entry.size > bytes.size() - sizeof entry) return;
    entry.checksum = Checksum(bytes.data() + 4, sizeof entry + entry.size - 4);
    memcpy(&bytes[0], &entry, sizeof entry);
  } else if (kind == kLog) {
    LogRecord record;
    memcpy(&record, bytes.data(), sizeof record);
    if (record.size < sizeof record || record.size > bytes.size()) return;
    record.checksum = Checksum(bytes.data() + 4, record.size - 4);
    memcpy(&bytes[0], &record, sizeof record);
  }
  copy.Write(span.offset, bytes);
}

void Change(Input* input, const Copy& copy, const Span& span, const Span& other) {
  std::string bytes = copy.Read(span);
  size_t at = input->Below(span.size);
  uint8_t how = input->Byte() % 6;
  if (how < 2) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << input->Below(8));
  } else if (how == 2) {
    uint64_t word = input->Number(8);
    memcpy(&bytes[at], &word, std::min<size_t>(span.size - at, 1u << (word % 4)));
  } else if (how == 3) {
    memset(&bytes[at], 0, std::min<size_t>(span.size - at, size_t{1} << input->Below(12)));
  } else {
    std::string theirs = copy.Read({other.offset, std::min(span.size, other.size)});
    if (how == 5) copy.Write(other.offset, bytes.substr(0, theirs.size()));
    bytes.replace(0, theirs.size(), theirs);
  }
  copy.Write(span.offset, bytes);
}

}  // namespace

void Damage(Input* input, const std::string& path, bool* forged) {
  const Template& pool = Template::Get();
  Copy copy(path);
  bool truncate = input->Chance(16);
  uint64_t length = truncate ? input->Number(3) % pool.image().size() : 0;
  for (int edits = 0; edits < 12 && !input->empty(); edits++) {
    PlaceKind kind =
        static_cast<PlaceKind>(input->Byte() % (kSecret.empty() ? kKeySlot : kPlaceKinds));
    const std::vector<Span>& places = pool.places(kind);
    if (places.empty()) continue;
    const Span& span = places[input->Below(places.size())];
    Change(input, copy, span, places[input->Below(places.size())]);
    bool forge = input->Chance(2);
    if (forge) Forge(copy, kind, span);
    *forged = *forged || forge;
  }
  if (truncate) copy.Truncate(length);
}
