// Tells whether libpmemobj can follow its own headers while a pool is open: it ends the process if
// they lead nowhere. A process that writes to the files may have changed them since the opening
// checked them.
#ifndef POTOROO_ENGINE_MEDIUM_HEAP_HEADERS_H_
#define POTOROO_ENGINE_MEDIUM_HEAP_HEADERS_H_

#include <cstdint>

namespace potoroo::engine {

// The headers of zones, chunks and runs in the mapping of a pool, which libpmemobj follows whenever
// it allocates, frees or grows. Takes a step for each extent and each object. They may lead to
// places below `limit`; nothing from `size` on is looked at.
bool HeapHeadersLead(const char* pool, uint64_t size, uint64_t limit);

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_MEDIUM_HEAP_HEADERS_H_
