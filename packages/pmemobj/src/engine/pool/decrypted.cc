// Gives back the memory of what was decrypted.
//
// All who read hold pointers into it: snapshots, as long as they live; the writing thread, scrubs,
// and the walk of an opening, while they are at it. So it is given back while there is none of
// them, and none can begin.
#include "engine/pool/pool_impl.h"

namespace potoroo {

// Call it without the write_mutex. A thread that is writing does it in our place.
void Pool::Impl::GiveBackDecrypted() {
  std::unique_lock<std::mutex> lock(core.write_mutex, std::try_to_lock);
  if (lock.owns_lock() && !core.closed) GiveBackDecryptedNow();
}

// By the writing thread, between commits.
void Pool::Impl::GiveBackDecryptedNow() {
  if (finder.is_walking()) return;
  // Commits that could not be made durable exist only decrypted.
  if (!core.syncer.status().ok()) return;
  std::unique_lock<std::shared_mutex> scrubs(scrub_mutex, std::try_to_lock);
  if (!scrubs.owns_lock()) return;
  const engine::States::Lock lock = core.states.Hold();
  if (core.states.snapshots(lock) == 0) core.store->GiveBackDecrypted();
}

}  // namespace potoroo
