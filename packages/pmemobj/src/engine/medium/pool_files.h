// A pool in the file system: one file, or a folder that grows.
//
// The folder holds `pool.set` (see pool_set.h), and the parts that libpmemobj makes beside it:
// 000000.pmem, ... Opening a pool to write, making and destroying one holds a lock on the folder.
#ifndef POTOROO_ENGINE_MEDIUM_POOL_FILES_H_
#define POTOROO_ENGINE_MEDIUM_POOL_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

class PoolReader;

inline constexpr char kLayoutName[] = "potoroo";
inline constexpr uint64_t kPartSize = uint64_t{8} << 20;     // of the first part, at least
inline constexpr uint64_t kMaxPoolSize = uint64_t{4} << 40;  // 2^32 pages of 1 KiB
inline constexpr uint64_t kPartAlign = uint64_t{2} << 20;    // all have a multiple of this

Status StatusFromErrno(int error, const std::string& what);

// A name for what is open, by which this process opens it again.
std::string DescriptorPath(int fd);
std::string PartPath(const std::string& folder, size_t number);
// The paths of the parts, in order. A failed attempt to grow leaves a gap in their numbers. Other
// files are left out, also those with ".pmem" behind their name.
Status ListParts(const std::string& folder, std::vector<std::string>* parts);
Status PartsSize(const std::string& folder, uint64_t* size);
// libpmemobj takes every "*.pmem" for a part, and would write to it. kNotAPool where one is none.
Status RefuseStrays(const std::string& folder);
// Removes the parts of a pool that was never finished.
Status RemoveParts(const std::string& folder);
std::string FolderOf(const std::string& path);
Status SyncFolderOf(const std::string& path);
Status SyncFolder(const std::string& folder);
// Opens the folder, and locks it. kInUse; kNotFound where it has gone meanwhile.
Status LockFolder(const std::string& folder, int* fd);
// Makes the folder, which is locked, one without a pool: removes what a crash has left of one that
// was being made, or destroyed. kExists where there is one, or parts of one.
Status ClearRemains(const std::string& folder);
// Opens a new file beside `path`, which has no name yet where the file system can do that;
// otherwise `draft` is its name.
Status OpenDraft(const std::string& path, int* fd, std::string* draft);
// Gives it its name, never in the place of something else, which gives kExists.
Status PublishDraft(int fd, std::string* draft, const std::string& path);

// Whether libpmemobj can be trusted with the file or folder: signature, layout name, and those
// of its structures that it follows without checking. Also clears away what a failed or interrupted
// attempt to grow has left.
Status CheckFiles(const std::string& path, bool folder);
// The first of these: signature, least size and layout name. kNotAPool, kCorrupt.
Status CheckSignature(const PoolReader& reader, const std::string& path);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_POOL_FILES_H_
