#include "model.h"

using potoroo::Bytes;
using potoroo::Operation;

std::string Chance::Key(uint64_t spread) {
  if (maker_ != nullptr && Below(8) == 0)
    return maker_(this, 20 + Below(Below(4) == 0 ? 3000 : 180));
  uint64_t number = Below(spread);
  std::string digits = std::to_string(number * 7919 % spread);
  switch (number % 16) {
    case 0:
      return std::string(1 + number % 5, '\0') + digits;
    case 1:
      return std::string(300, 'x') + digits;
    case 2:
      return std::string(250 + number % 7, 'y') + digits + std::string(200, 'z');
    case 3:
      return number % 64 == 3 ? std::string(32 * 1024 - 1 - digits.size(), 'k') + digits : digits;
    case 4:
      return std::string("\xff\xff") + digits;
    case 5:
      return std::string(190 + number % 20, 'w') + digits;
    default:
      return "!documents!" + digits;
  }
}

std::string Chance::Value() {
  static const size_t kSizes[] = {0, 10, 60, 100, 200, 700, 2000, 5000, 17000, 70000, 300000};
  uint64_t die = Below(1000);
  size_t size_class = die < 900   ? die % 5
                      : die < 980 ? 5 + die % 2
                      : die < 998 ? 7 + die % 2
                                  : 9 + die % 2;
  size_t size = kSizes[size_class];
  if (size > 0) size += Below(size);
  if (die == 999 && Below(20) == 0) size += 3 << 20;
  return Bytes(size);
}

std::string Chance::Bytes(size_t size) {
  if (maker_ != nullptr) return maker_(this, size);
  std::string value(size, static_cast<char>(Below(256)));
  for (size_t i = 0; i < size; i += 97) value[i] = static_cast<char>(Below(256));
  return value;
}

void Batch::Put(uint32_t map, std::string key, std::string value) {
  owned_.push_back({Operation::Kind::kPut, map, std::move(key), std::move(value)});
}
void Batch::PutBuffer(uint32_t map, std::string key, std::string value) {
  owned_.push_back({Operation::Kind::kPutBuffer, map, std::move(key), std::move(value)});
}
void Batch::Delete(uint32_t map, std::string key) {
  owned_.push_back({Operation::Kind::kDelete, map, std::move(key), ""});
}
void Batch::DeleteRange(uint32_t map, std::string from, std::string to) {
  owned_.push_back({Operation::Kind::kDeleteRange, map, std::move(from), std::move(to)});
}

void Batch::ApplyTo(std::vector<Model>* models) const {
  for (const Owned& op : owned_) {
    Model& model = (*models)[op.map];
    if (op.kind == Operation::Kind::kPut || op.kind == Operation::Kind::kPutBuffer) {
      model[op.key] = op.value;
    } else if (op.kind == Operation::Kind::kDelete) {
      model.erase(op.key);
    } else if (op.value.empty() || op.key < op.value) {
      model.erase(model.lower_bound(op.key),
                  op.value.empty() ? model.end() : model.lower_bound(op.value));
    }
  }
}

std::vector<Operation> Batch::operations() const {
  std::vector<Operation> operations;
  for (const Owned& op : owned_) operations.push_back({op.kind, op.map, op.key, op.value});
  return operations;
}

potoroo::Status Batch::WriteTo(potoroo::Pool* pool) const {
  std::vector<Operation> all = operations();
  return pool->Write(all.data(), all.size());
}

void ExpectSame(const potoroo::Snapshot& snapshot, uint32_t map, const Model& model) {
  auto cursor = snapshot.NewCursor(map);
  cursor->SeekFirst();
  for (const auto& entry : model) {
    EXPECT_OK(cursor->status());
    EXPECT(cursor->Valid());
    EXPECT(cursor->key() == entry.first);
    EXPECT(cursor->value() == entry.second);
    Bytes value;
    EXPECT_OK(snapshot.Get(map, entry.first, &value));
    EXPECT(value == entry.second);
    cursor->Next();
  }
  EXPECT(!cursor->Valid());
  cursor->SeekLast();
  for (auto entry = model.rbegin(); entry != model.rend(); ++entry) {
    EXPECT(cursor->Valid());
    EXPECT(cursor->key() == entry->first);
    cursor->Prev();
  }
  EXPECT(!cursor->Valid());
}

std::shared_ptr<potoroo::Snapshot> Take(potoroo::Pool* pool) {
  std::shared_ptr<potoroo::Snapshot> snapshot;
  EXPECT_OK(pool->Take(&snapshot));
  return snapshot;
}
