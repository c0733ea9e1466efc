// What must hold of the files before libpmemobj may have them.
#include <cstring>
#include <memory>

#include "heap_check.h"
#include "pool_files.h"

namespace potoroo::engine {
namespace {

constexpr char kSignature[8] = {'P', 'M', 'E', 'M', 'O', 'B', 'J', 0};
constexpr uint64_t kLayoutAt = 4096;

}  // namespace

Status CheckSignature(const PoolReader& reader, const std::string& path) {
  char bytes[8];
  if (!reader.Read(0, bytes, sizeof bytes) || memcmp(bytes, kSignature, sizeof bytes) != 0) {
    return Status(Code::kNotAPool, path + " is not a pool of libpmemobj");
  }
  if (reader.size() < kPartSize) return Status(Code::kCorrupt, path + " is cut short");
  static_assert(sizeof kLayoutName == 8, "as long as `bytes`");
  if (!reader.Read(kLayoutAt, bytes, sizeof bytes) ||
      memcmp(bytes, kLayoutName, sizeof bytes) != 0) {
    return Status(Code::kNotAPool, path + " is a pool of another program");
  }
  return Status::Ok();
}

Status CheckFiles(const std::string& path, bool folder) {
  PoolReader reader;
  Status status = reader.Open(path, folder, PoolReader::For::kRepair);
  if (status.ok()) status = CheckSignature(reader, path);
  if (!status.ok()) return status;
  HeapCheck heap(
      reader,
      [&](uint64_t offset, const std::string& what) {
        if (status.ok()) {
          status =
              Status(Code::kCorrupt, path + ", offset " + std::to_string(offset) + ": " + what);
        }
      },
      [](const HeapObject&) {});
  heap.Run();
  return status.ok() && folder ? reader.Tidy(path) : status;
}

}  // namespace potoroo::engine
