// Pools that are encrypted: nothing of what is stored is in their files as it is, and nothing
// counts that was not written there with the key.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

#include "engine/base/cipher.h"
#include "engine/base/fault.h"
#include "engine/check/checker.h"
#include "engine/salvage/salvage.h"
#include "engine/space/key_slots.h"
#include "model.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

const std::string kKey(kKeySize, 'k'), kOther(kKeySize, 'o');

PoolOptions With(const std::string& key, uint64_t size = 0) {
  PoolOptions options;
  options.key = key;
  options.size = size;
  return options;
}

std::string Secret(size_t size) {
  std::string secret = "nobody is to read this; ";
  while (secret.size() < size) secret += secret;
  return secret.substr(0, size);
}

const std::string kNeedle = Secret(20);

// Values of all storage classes and a long key; some of it only in the log.
void Fill(Pool* pool) {
  uint32_t map;
  EXPECT_OK(pool->OpenMap(kNeedle + "map", &map));
  auto put = [&](const std::string& key, size_t size) {
    Batch batch;
    batch.Put(map, key, Secret(size));
    EXPECT_OK(batch.WriteTo(pool));
  };
  for (size_t size : {30, 300, 5000, 40000, 1 << 20, (3 << 20) - 20, 4 << 20}) {
    put("key of " + std::to_string(size), size);
  }
  for (int i = 0; i < 300; i++) put(kNeedle + std::to_string(i), 24 + static_cast<size_t>(i));
  put(Secret(1000), 50);
  EXPECT_OK(pool->Checkpoint());
  for (int i = 0; i < 20; i++) put("later " + kNeedle + std::to_string(i), 100);
}

// Copies the file as a crash now would leave it.
void Crash(const std::string& from, const std::string& to) { WriteFile(to, ReadFile(from)); }

bool Shows(const std::string& path) { return ReadFile(path).find(kNeedle) != std::string::npos; }

void ExpectFilled(const std::string& path, const std::string& key) {
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(path, With(key), &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap(kNeedle + "map", &map));
  auto snapshot = Take(pool.get());
  Bytes value;
  for (size_t size : {30, 300, 5000, 40000, 1 << 20, (3 << 20) - 20, 4 << 20}) {
    EXPECT_OK(snapshot->Get(map, "key of " + std::to_string(size), &value));
    EXPECT(value == Secret(size));
  }
  EXPECT_OK(snapshot->Get(map, Secret(1000), &value));
  EXPECT(value == Secret(50));
  EXPECT_OK(snapshot->Get(map, "later " + kNeedle + "7", &value));
  EXPECT(value == Secret(100));
}

struct Filled {
  Folder folder;
  std::string path = folder / "pool";
  explicit Filled(const std::string& key = kKey) {
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Create(path, With(key, 32 << 20), &pool));
    Fill(pool.get());
    Crash(path, folder / "crashed");
  }
};

bool FilledShows() {
  Filled filled;
  return Shows(filled.path) || Shows(filled.folder / "crashed");
}

TEST("an encrypted pool shows nothing of keys, values and the log, nor after a crash") {
  EXPECT(!FilledShows());
  Filled plain("");
  EXPECT(Shows(plain.path) && Shows(plain.folder / "crashed"));
}

TEST("an encrypted pool has it all when it is opened again, and after a crash") {
  Filled filled;
  ExpectFilled(filled.path, kKey);
  ExpectFilled(filled.folder / "crashed", kKey);
}

TEST("readers of an encrypted pool decrypt it at the same time, while one writes") {
  Filled filled;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(filled.path, With(kKey), &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap(kNeedle + "map", &map));
  auto read = [&] {
    auto snapshot = Take(pool.get());
    auto cursor = snapshot->NewCursor(map);
    size_t count = 0;
    for (cursor->SeekFirst(); cursor->Valid(); cursor->Next(), count++) {
      EXPECT(cursor->value() == Secret(cursor->value().size()));
    }
    EXPECT_OK(cursor->status());
    EXPECT(count == 328);
  };
  std::thread first(read), second(read);
  for (int i = 0; i < 300; i++) {
    Batch batch;
    batch.Put(map, kNeedle + std::to_string(i), Secret(24 + static_cast<size_t>(i) * 10));
    EXPECT_OK(batch.WriteTo(pool.get()));
  }
  first.join();
  second.join();
}

TEST("an encrypted pool asks for its key") {
  Filled filled;
  std::unique_ptr<Pool> pool;
  CheckReport report;
  SalvageReport salvaged;
  EXPECT_CODE(kKeyNeeded, Pool::Open(filled.path, {}, &pool));
  EXPECT_CODE(kWrongKey, Pool::Open(filled.path, With(kOther), &pool));
  EXPECT_CODE(kInvalid, Pool::Open(filled.path, With("short"), &pool));
  EXPECT_CODE(kInvalid, Pool::Create(filled.folder / "new", With("short"), &pool));
  EXPECT_CODE(kKeyNeeded, Check(filled.path, &report));
  EXPECT_CODE(kWrongKey, Check(filled.path, &report, kOther));
  EXPECT_CODE(kKeyNeeded, Salvage(filled.path, filled.folder / "to", {}, &salvaged));
  EXPECT_CODE(kWrongKey, Salvage(filled.path, filled.folder / "to", With(kOther), &salvaged));
  Filled plain("");
  EXPECT_CODE(kNotEncrypted, Pool::Open(plain.path, With(kKey), &pool));
  EXPECT_CODE(kNotEncrypted, Check(plain.path, &report, kKey));
  EXPECT_OK(Pool::Open(plain.path, {}, &pool));
  EXPECT_CODE(kNotEncrypted, pool->RotateKey(kKey));
}

TEST("an encrypted pool has no buffers") {
  Folder folder;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(folder / "pool", With(kKey), &pool));
  uint32_t map;
  EXPECT_OK(pool->OpenMap("map", &map));
  Operation put{Operation::Kind::kPutBuffer, map, "buffer", "bytes"};
  EXPECT_CODE(kEncrypted, pool->Write(&put, 1));
}

TEST("the checker and salvage read an encrypted pool with its key") {
  Filled filled;
  for (const std::string& path : {filled.path, filled.folder / "crashed"}) {
    CheckReport report;
    EXPECT_OK(Check(path, &report, kKey));
    EXPECT(report.sound() && report.maps.size() == 1);
  }
  EXPECT(!FilledShows());
  SalvageReport report;
  const std::string to = filled.folder / "salvaged";
  EXPECT_OK(Salvage(filled.folder / "crashed", to, With(kKey, 32 << 20), &report));
  EXPECT(!report.lost && !Shows(to));
  ExpectFilled(to, kKey);
}

TEST("salvage finds pages of an encrypted pool that nothing leads to") {
  Filled filled;
  std::string bytes = ReadFile(filled.path);
  // Both root slots.
  size_t place = 0;
  for (size_t at = kBlockSize; at < bytes.size() && place == 0; at += kBlockSize) {
    if (bytes.compare(at, 8, std::string("Potoroo\0", 8)) == 0) place = at;
  }
  EXPECT(place != 0);
  for (uint64_t i = 0; i < 2; i++) bytes.replace(RootSlotAt(place, i), 256, 256, 'x');
  WriteFile(filled.path, bytes);
  SalvageReport report;
  EXPECT_OK(Salvage(filled.path, filled.folder / "salvaged", With(kKey, 32 << 20), &report));
  uint64_t entries = 0;
  for (const SalvageMap& map : report.maps) entries += map.entries;
  EXPECT(entries > 300);
}

// Each byte in a stretch that is in use is covered: an error, or what was there; never something
// else.
TEST("damage to an encrypted pool is an error") {
  Filled filled;
  const std::string sound = ReadFile(filled.path), path = filled.folder / "damaged";
  Chance chance(7);
  int refused = 0;
  for (int round = 0; round < 60; round++) {
    std::string bytes = sound;
    for (int i = 0; i < 40; i++) {
      size_t at = (2 << 20) + chance.Below(bytes.size() - (2 << 20));
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << chance.Below(8)));
    }
    WriteFile(path, bytes);
    std::unique_ptr<Pool> pool;
    if (!Pool::Open(path, With(kKey), &pool).ok()) {
      refused++;
      continue;
    }
    uint32_t map;
    EXPECT_OK(pool->OpenMap(kNeedle + "map", &map));
    auto snapshot = Take(pool.get());
    Bytes value;
    for (size_t size : {30, 300, 5000, 40000, 1 << 20, (3 << 20) - 20, 4 << 20}) {
      Status status = snapshot->Get(map, "key of " + std::to_string(size), &value);
      if (status.ok()) EXPECT(value == Secret(size));
      if (!status.ok()) refused++;
    }
  }
  EXPECT(refused > 20);
}

// Copies what is sealed at one place to another: the key alone does not make it count.
bool CountsElsewhere() {
  std::unique_ptr<Cipher> cipher;
  EXPECT_OK(Cipher::Create(kKey, &cipher));
  char seal[kSealSize], bytes[64], plain[64];
  const std::string text(sizeof bytes, 't');
  EXPECT(cipher->Seal({Sealed::kPage, 4096, 0, {}}, text.data(), sizeof bytes, bytes, seal));
  EXPECT(cipher->Open({Sealed::kPage, 4096, 0, {}}, bytes, sizeof bytes, seal, plain));
  EXPECT(memcmp(plain, text.data(), sizeof plain) == 0);
  return cipher->Open({Sealed::kPage, 8192, 0, {}}, bytes, sizeof bytes, seal, plain);
}

bool CountsDamaged() {
  std::unique_ptr<Cipher> cipher;
  EXPECT_OK(Cipher::Create(kKey, &cipher));
  char seal[kSealSize], bytes[64], plain[64];
  const std::string text(sizeof bytes, 't');
  EXPECT(cipher->Seal({Sealed::kBlob, 128, 5, {}}, text.data(), sizeof bytes, bytes, seal));
  bytes[5]++;
  return cipher->Open({Sealed::kBlob, 128, 5, {}}, bytes, sizeof bytes, seal, plain);
}

// The nonces of all seals of pages in a file, with the page each: where two are the same, so are
// the pages.
using Nonces = std::set<std::pair<std::string, std::string>>;
void CollectNonces(const std::string& path, Nonces* nonces) {
  const std::string bytes = ReadFile(path);
  for (size_t at = 2 << 20; at + kPageSize <= bytes.size(); at += kPageSize) {
    const std::string page = bytes.substr(at, kPageSize);
    uint16_t size, reserved;
    memcpy(&size, &page[1020], 2);
    memcpy(&reserved, &page[1022], 2);
    if (size < 32 || size > 992 || reserved != 0) continue;
    nonces->insert({page.substr(992, kNonceSize), page});
  }
}

// Writes to two copies of what a crash left, as if another crash had taken what one of them wrote.
bool NoncesRepeat() {
  Filled filled;
  Nonces nonces;
  Crash(filled.folder / "crashed", filled.folder / "other");
  for (const char* name : {"crashed", "other"}) {
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Open(filled.folder / name, With(kKey), &pool));
    uint32_t map;
    EXPECT_OK(pool->OpenMap("another", &map));
    for (int i = 0; i < 100; i++) {
      Batch batch;
      batch.Put(map, std::to_string(i), std::string(50, name[0]));
      EXPECT_OK(batch.WriteTo(pool.get()));
    }
    pool.reset();
    CollectNonces(filled.folder / name, &nonces);
  }
  EXPECT(nonces.size() > 20);
  return std::adjacent_find(nonces.begin(), nonces.end(), [](const auto& a, const auto& b) {
           return a.first == b.first;
         }) != nonces.end();
}

TEST("what is sealed counts at its place only, as it is, and with a nonce of its own") {
  EXPECT(!CountsElsewhere());
  EXPECT(!CountsDamaged());
  EXPECT(!NoncesRepeat());
}

TEST("planted: faults of encryption are found") {
  auto found = [](Fault fault, bool (*finds)()) {
    planted_fault = fault;
    const bool is = finds();
    planted_fault = Fault::kNone;
    return is;
  };
  EXPECT(found(Fault::kSealPlace, CountsElsewhere));
  EXPECT(found(Fault::kSealTag, CountsDamaged));
  EXPECT(found(Fault::kSealNothing, FilledShows));
  EXPECT(found(Fault::kSealNonce, NoncesRepeat));
}

TEST("a key that is changed opens the pool, and the one before no longer does") {
  Filled filled;
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Open(filled.path, With(kKey), &pool));
  EXPECT_CODE(kInvalid, pool->RotateKey("short"));
  EXPECT_OK(pool->RotateKey(kOther));
  pool.reset();
  EXPECT_CODE(kWrongKey, Pool::Open(filled.path, With(kKey), &pool));
  ExpectFilled(filled.path, kOther);
  const std::string bytes = ReadFile(filled.path);
  EXPECT(bytes.find(kKey) == std::string::npos && bytes.find(kOther) == std::string::npos);
}

// A rotation that was cut off after it has written `torn` bytes of its first slot.
struct CutOff : Filled {
  CutOff(size_t torn = sizeof(KeySlot)) {
    const std::string before = ReadFile(path), magic = "PotooKey";
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Open(path, With(kKey), &pool));
    EXPECT_OK(pool->RotateKey(kOther));
    pool.reset();
    std::string bytes = ReadFile(path);
    const size_t first = bytes.find(magic), second = bytes.find(magic, first + 1);
    bytes.replace(first, sizeof(KeySlot), before, first, sizeof(KeySlot));
    bytes.replace(second + torn, sizeof(KeySlot) - torn, before, second + torn,
                  sizeof(KeySlot) - torn);
    WriteFile(path, bytes);
  }
  // Expects it also if one slot, whichever, is lost later.
  void ExpectOnly(const std::string& key, const std::string& none) {
    const std::string sound = ReadFile(path), magic = "PotooKey";
    const size_t first = sound.find(magic), second = sound.find(magic, first + 1);
    for (size_t lost : {size_t{0}, first, second}) {
      std::string bytes = sound;
      if (lost != 0) bytes[lost + 50]++;
      WriteFile(path, bytes);
      std::unique_ptr<Pool> pool;
      EXPECT_CODE(kWrongKey, Pool::Open(path, With(none), &pool));
      ExpectFilled(path, key);
    }
  }
};

TEST("a change of the key that was cut off ends with the key that opens the pool first") {
  for (const auto& [key, none] : {std::pair{kKey, kOther}, std::pair{kOther, kKey}}) {
    CutOff cut;
    ExpectFilled(cut.path, key);
    cut.ExpectOnly(key, none);
  }
  CutOff torn(100);
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kWrongKey, Pool::Open(torn.path, With(kOther), &pool));
  ExpectFilled(torn.path, kKey);
  torn.ExpectOnly(kKey, kOther);
}

TEST("who only reads a pool does not end a change of its key") {
  CutOff cut;
  const std::string bytes = ReadFile(cut.path);
  for (const std::string& key : {kKey, kOther}) {
    PoolOptions options = With(key);
    options.read_only = true;
    std::unique_ptr<Pool> pool;
    EXPECT_OK(Pool::Open(cut.path, options, &pool));
  }
  EXPECT(ReadFile(cut.path) == bytes);
}

TEST("one key slot is enough") {
  Filled filled;
  const std::string sound = ReadFile(filled.path), magic = "PotooKey";
  size_t first = sound.find(magic), second = sound.find(magic, first + 1);
  EXPECT(second == first + kSuperblockPage / 2);
  for (size_t at : {first, second}) {
    std::string bytes = sound;
    bytes[at + 50]++;
    WriteFile(filled.path, bytes);
    ExpectFilled(filled.path, kKey);
  }
  std::string bytes = sound;
  bytes[first + 50]++;
  bytes[second + 50]++;
  WriteFile(filled.path, bytes);
  std::unique_ptr<Pool> pool;
  EXPECT_CODE(kCorrupt, Pool::Open(filled.path, With(kKey), &pool));
}

}  // namespace
