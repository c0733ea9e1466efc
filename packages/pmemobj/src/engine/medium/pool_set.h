// pool.set: the text by which libpmemobj's own tools know a folder's pool.
//
//   PMEMPOOLSET
//   OPTION SINGLEHDR
//   <bytes that the pool may grow to> <absolute path of the folder>
//
// libpmemobj itself gets such a text from memory when we open a pool, see SetInMemory. So the file
// counts for its number alone, and one that is empty, damaged or missing keeps nobody from the
// pool.
#ifndef POTOROO_ENGINE_MEDIUM_POOL_SET_H_
#define POTOROO_ENGINE_MEDIUM_POOL_SET_H_

#include <cstdint>
#include <string>

#include "engine/engine.h"

namespace potoroo::engine {

// A damaged set counts for this.
inline constexpr uint64_t kUsualMaxSize = uint64_t{64} << 30;

std::string SetPath(const std::string& folder);
// While the pool is made, or destroyed: without a set, parts beside it are remains. It is there,
// durably, as long as such parts are.
std::string DraftSetPath(const std::string& folder);

// The reservation that `folder`/pool.set names, or kUsualMaxSize. kNotAPool where it is missing and
// there are no parts, or only remains.
Status ReadSet(const std::string& folder, uint64_t* max_size);
// Whether the set is one of ours, or empty. Without parts, it may be replaced then.
bool IsOwnSet(const std::string& folder);
// Replaces a file, durably.
Status WriteText(const std::string& path, const std::string& text);
// Writes `path`, a set of the folder, durably, where its text is not what it has to be. A crash
// leaves the old text or the new one. Under the folder's lock.
Status WriteSet(const std::string& path, const std::string& folder, uint64_t max_size);

// A set that only this process sees: nothing on disk has to be written, and no other process
// changes it. It names the folder by a descriptor: a set's text allows no white space in a path,
// and growth finds the folder where it was moved meanwhile.
class SetInMemory {
 public:
  SetInMemory() = default;
  ~SetInMemory();
  SetInMemory(const SetInMemory&) = delete;
  SetInMemory& operator=(const SetInMemory&) = delete;

  // `folder` has to be open as long as the pool is.
  Status Make(int folder, uint64_t max_size);
  std::string path() const;

 private:
  int fd_ = -1;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_POOL_SET_H_
