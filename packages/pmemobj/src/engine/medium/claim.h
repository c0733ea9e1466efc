// The files of a pool that cannot be opened, held so that it may be destroyed: nobody opens it,
// makes one in its place, or destroys it meanwhile. (Who can open a pool holds them by that.)
#ifndef POTOROO_ENGINE_MEDIUM_CLAIM_H_
#define POTOROO_ENGINE_MEDIUM_CLAIM_H_

#include <string>
#include <vector>

#include "engine/engine.h"

namespace potoroo::engine {

// Opens and locks them. Whoever has the descriptors has the locks, until they are closed. kInUse.
// `remains`: kNotAPool unless the folder holds what was left of a pool alone: a set without parts,
// or parts without a set beside its draft.
Status ClaimFiles(const std::string& path, bool remains, std::vector<int>* descriptors);

// Gives a name to a file that was opened without one: O_TMPFILE in open(2). kExists.
Status LinkFile(int fd, const std::string& path);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_CLAIM_H_
