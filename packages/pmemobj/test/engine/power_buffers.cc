// Buffers whose power fails while they are changed, with transactions and without.
#include <algorithm>
#include <cstring>

#include "power_run.h"

using namespace potoroo;

namespace {

constexpr int kBuffers = 6;

}  // namespace

std::vector<PowerRun::Memory> PowerRun::Buffers(const std::string& map) {
  uint32_t number;
  EXPECT_OK(pool_->OpenMap(map, &number));
  auto snapshot = Take(pool_.get());
  std::vector<Memory> buffers;
  for (int i = 0; i < kBuffers; i++) {
    Memory memory{"buffer " + std::to_string(i), nullptr, 0};
    Status status = snapshot->GetBuffer(number, memory.key, &memory.at, &memory.size);
    if (status.ok() && memory.size >= 8) buffers.push_back(memory);
  }
  return buffers;
}

// Until they are flushed, each word may arrive or not.
void PowerRun::Poke(const std::string& map) {
  std::vector<Memory> buffers = Buffers(map);
  if (buffers.empty()) return;
  // Stores that were not acknowledged would be there with the new words, too.
  if (acknowledged_ != Acknowledged::kAtOnce) Flush();
  const Memory& buffer = buffers[chance_.Below(buffers.size())];
  size_t room = buffer.size / 8, words = std::min<size_t>(1 + chance_.Below(3), room);
  size_t stride = 1 + chance_.Below(room / words),
         first = chance_.Below(room - (words - 1) * stride);
  uint64_t word = chance_.Below(~uint64_t{0});
  Maps after = maps_;
  {
    std::lock_guard<std::mutex> lock(states_mutex_);
    for (size_t mask = 1; mask < size_t{1} << words; mask++) {
      std::string bytes(buffer.at, buffer.size);
      for (size_t i = 0; i < words; i++) {
        if (mask >> i & 1) memcpy(&bytes[(first + i * stride) * 8], &word, 8);
      }
      after.Put(map, buffer.key, bytes);
      states_.push_back(after.digest());
    }
  }
  for (size_t i = 0; i < words; i++) memcpy(buffer.at + (first + i * stride) * 8, &word, 8);
  EXPECT_OK(pool_->FlushBuffer(buffer.at + first * 8, ((words - 1) * stride + 1) * 8));
  maps_ = after;
  SetDurable(states_.size());
}

void PowerRun::CommitSaved(const std::string& map, const std::vector<Memory>& buffers) {
  uint32_t number;
  EXPECT_OK(pool_->OpenMap(map, &number));
  Maps after = maps_;
  for (const Memory& buffer : buffers) after.Put(map, buffer.key, {buffer.at, buffer.size});
  Change change(&after, map, number);
  if (chance_.Below(4) > 0) change.Put(chance_.Key(100), chance_.Value());
  if (chance_.Below(8) == 0) change.Delete(buffers[0].key);
  if (chance_.Below(8) == 0) change.PutBuffer(buffers.back().key, std::string(300, 'n'));
  Commit(after, true, [&](uint64_t*) {
    std::vector<Operation> operations = change.batch().operations();
    return pool_->WriteSaved(operations.data(), operations.size());
  });
  if (pool_->SavedBuffers() == 0) return SetDurable(states_.size());
  // There was no space for it.
  EXPECT_OK(pool_->RestoreBuffers(0));
}

void PowerRun::Transact(const std::string& map) {
  std::vector<Memory> buffers = Buffers(map);
  if (buffers.empty()) return;
  auto contents = [&] {
    Contents all;
    for (const Memory& buffer : buffers) all.emplace_back(buffer.at, buffer.size);
    return all;
  };
  std::vector<Contents> before;  // each call of SaveBuffer
  for (uint64_t steps = 1 + chance_.Below(8); steps > 0; steps--) {
    uint64_t die = chance_.Below(10);
    if (die == 0) {
      Write(map, [&](Change* c) { c->Put(chance_.Key(100), chance_.Value()); });
    } else if (die == 1 && !before.empty()) {
      size_t count = chance_.Below(before.size());
      EXPECT_OK(pool_->RestoreBuffers(count));
      EXPECT(contents() == before[count]);
      before.resize(count);
    } else {
      const Memory& buffer = buffers[chance_.Below(buffers.size())];
      size_t from = chance_.Below(buffer.size);
      size_t most = chance_.Below(4) == 0 ? buffer.size : 200;
      size_t size = 1 + chance_.Below(std::min(most, buffer.size - from));
      before.push_back(contents());
      Status status = pool_->SaveBuffer(buffer.at + from, size);
      EXPECT(status.ok() || status.code() == Code::kNoSpace);
      if (!status.ok()) {
        before.pop_back();
        break;
      }
      memset(buffer.at + from, static_cast<int>(chance_.Below(256)), size);
    }
    EXPECT(pool_->SavedBuffers() == before.size());
  }
  if (before.empty()) return;
  uint64_t end = chance_.Below(10);
  if (end < 6) return CommitSaved(map, buffers);
  if (end == 9) return CloseAndOpen();
  EXPECT_OK(pool_->RestoreBuffers(0));
  EXPECT(contents() == before[0]);
}
