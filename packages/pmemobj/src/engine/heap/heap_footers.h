// Footers of the heap that libpmemobj keeps in memory alone, and does not rebuild when it opens a
// pool.
#ifndef POTOROO_ENGINE_MEDIUM_HEAP_FOOTERS_H_
#define POTOROO_ENGINE_MEDIUM_HEAP_FOOTERS_H_

#include <cstdint>

namespace potoroo::engine {

// Writes the footers of free chunks. libpmemobj finds the free space before a chunk by the footer
// there. It never flushes one. It rebuilds those of used chunks but, up to 2.1.2, not those of free
// ones: after a power cut it would follow whatever an earlier footer left, out of the heap or into
// an object. `pool`: mapped and checked (see heap_check.h), of `size` bytes; before the first
// allocation.
void WriteFooters(char* pool, uint64_t size);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_HEAP_FOOTERS_H_
