// Conditions that the files must meet before libpmemobj may have them.
#include <cstring>
#include <memory>

#include "engine/check/heap_check.h"
#include "engine/medium/medium.h"
#include "engine/medium/pool_files.h"

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
  PoolReader::Extents extents;
  HeapCheck heap(
      reader,
      [&](uint64_t offset, const std::string& what) {
        if (status.ok()) {
          status =
              Status(Code::kCorrupt, path + ", offset " + std::to_string(offset) + ": " + what);
        }
      },
      [&](const HeapObject& object) {
        bool extent = object.type == static_cast<uint64_t>(ObjectType::kExtent);
        if (extent && !object.internal) extents[object.offset] = object.size;
      });
  heap.Run();
  if (status.ok()) status = reader.FillHoles(extents);
  if (status.ok() && folder) status = reader.Tidy(path);
  return status.ok() ? reader.ClearShutdownState() : status;
}

}  // namespace potoroo::engine
