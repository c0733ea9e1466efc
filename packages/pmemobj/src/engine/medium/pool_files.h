// What a pool looks like in the file system: one file, or a folder with a pool set that grows.
//
// The folder holds `pool.set`, which names the folder itself by its absolute path (libpmemobj
// allows no relative one), and the parts that libpmemobj makes beside it: 000000.pmem, ...
// The set is written anew at each open, so a folder may be moved or copied. A set's text allows
// no white space in a path: a folder that has some is named by a descriptor of this process.
#ifndef POTOROO_ENGINE_MEDIUM_POOL_FILES_H_
#define POTOROO_ENGINE_MEDIUM_POOL_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

class PoolReader;

inline constexpr char kLayoutName[] = "potoroo";
inline constexpr uint64_t kPartSize = uint64_t{8} << 20;   // of the first part, at least
inline constexpr uint64_t kMaxPoolSize = uint64_t{4} << 40;  // 2^32 pages of 1 KiB
inline constexpr uint64_t kPartAlign = uint64_t{2} << 20;  // all have a multiple of this

Status StatusFromErrno(int error, const std::string& what);

std::string SetPath(const std::string& folder);
std::string PartPath(const std::string& folder, size_t number);
// The paths of the parts, in order. A failed attempt to grow leaves a gap in their numbers.
std::vector<std::string> Parts(const std::string& folder);
// Bytes of all parts.
uint64_t PartsSize(const std::string& folder);

std::string SetText(const std::string& absolute_folder, uint64_t max_size);
// A path without white space. Where that needs a descriptor, `fd` is it, to be kept open as long as
// the pool is; otherwise `fd` is left alone.
Status AbsoluteFolder(const std::string& folder, std::string* absolute, int* fd);
// Removes the parts of a pool that was never finished.
void RemoveParts(const std::string& folder);
std::string FolderOf(const std::string& path);
Status SyncFolderOf(const std::string& path);
Status SyncFolder(const std::string& folder);
// Held while a pool is made, so that two processes do not make the same one. (libpmemobj takes
// its locks on the files.)
Status LockFolder(const std::string& folder, int* fd);
// Removes a file unless somebody holds libpmemobj's lock on it, which gives kInUse.
Status RemoveUnlocked(const std::string& path);
// Writes a file anew, durably.
Status WriteText(const std::string& path, const std::string& text);

// Writes `folder`/pool.set where its text is not what it has to be; `fd` as AbsoluteFolder's.
Status WriteSet(const std::string& folder, uint64_t max_size, int* fd);
// The reservation that `folder`/pool.set names.
Status ReadSet(const std::string& folder, uint64_t* max_size);

// Whether libpmemobj can be trusted with the file or folder: signature, layout name, and those
// of its structures that it follows without checking. Also clears away what a failed or interrupted
// attempt to grow has left.
Status CheckFiles(const std::string& path, bool folder);
// The first of these: signature, least size and layout name. kNotAPool, kCorrupt.
Status CheckSignature(const PoolReader& reader, const std::string& path);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_POOL_FILES_H_
