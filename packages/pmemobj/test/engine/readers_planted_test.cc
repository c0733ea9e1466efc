// Faults that are planted in readers, and in writers beside them: the tests of readers have to
// find them.
#include "engine/base/fault.h"
#include "engine/medium/reader_locks.h"
#include "readers.h"

using namespace potoroo;
using engine::Fault;
using engine::planted_fault;

namespace {

Pool* racing = nullptr;

// Returns options of a pool so small that space which is given up is soon written over.
PoolOptions Small() {
  PoolOptions options;
  options.size = 12 * kMiB;
  return options;
}

// Whether what a reader of a new pool sees is the same after a writer has written everything over;
// before the reader's lock, `race` is called with the pool.
bool StaysTheSame(Fault fault, void (*race)()) {
  Folder folder;
  std::unique_ptr<Pool> pool, reader;
  EXPECT_OK(Pool::Create(folder / "pool", Small(), &pool));
  WriteOver(pool.get(), 2);
  racing = pool.get();
  planted_fault = fault;
  engine::before_reader_lock = race;
  Status status = Pool::Open(folder / "pool", Reading(), &reader);
  Digest before = 0, after = 0;
  if (status.ok()) status = DigestOf(reader.get(), &before);
  WriteOver(pool.get(), 20);
  if (status.ok()) status = DigestOf(reader.get(), &after);
  planted_fault = Fault::kNone;
  return status.ok() && before == after;
}

void WriteOnce() {
  engine::before_reader_lock = nullptr;
  WriteOver(racing, 1);
}

TEST("planted: a writer that does not ask for readers") {
  EXPECT(StaysTheSame(Fault::kNone, nullptr));
  EXPECT(!StaysTheSame(Fault::kUnasked, nullptr));
}

TEST("planted: a reader that does not look again") {
  EXPECT(StaysTheSame(Fault::kNone, WriteOnce));
  EXPECT(!StaysTheSame(Fault::kUnlooked, WriteOnce));
}

// Tries the same with the pool opened to write by another process, after the reader's.
bool StaysTheSameThen(Fault fault) {
  Folder folder;
  const std::string path = folder / "pool";
  std::unique_ptr<Pool> pool;
  EXPECT_OK(Pool::Create(path, Small(), &pool));
  WriteOver(pool.get(), 2);
  auto reader = OpenReader(path);
  const Digest before = Read(reader.get());
  WriteOver(pool.get(), 1);
  EXPECT_OK(pool->Close());
  planted_fault = fault;
  EXPECT_OK(Pool::Open(path, {}, &pool));
  planted_fault = Fault::kNone;
  // Without other space.
  for (int i = 0; i < 200; i++) {
    uint32_t map;
    EXPECT_OK(pool->OpenMap("map", &map));
    Batch batch;
    batch.Put(map, "over " + std::to_string(i % 20), std::string(100000, 'z'));
    (void)batch.WriteTo(pool.get());
  }
  Digest after;
  return DigestOf(reader.get(), &after).ok() && before == after;
}

TEST("planted: an opening that takes what others may read") {
  EXPECT(StaysTheSameThen(Fault::kNone));
  EXPECT(!StaysTheSameThen(Fault::kUnmerged));
}

}  // namespace
