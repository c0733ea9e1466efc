// Mistakes that the tests plant in the engine, to see whether they would find them. Only the tests'
// build (POTOROO_FAULT) has them; everywhere else Planted is false when it is compiled.
#ifndef POTOROO_ENGINE_BASE_FAULT_H_
#define POTOROO_ENGINE_BASE_FAULT_H_

namespace potoroo::engine {

enum class Fault {
  kNone,
  kLogFence,         // a record counts as durable before a fence
  kLogSync,          // ... or before the file was synced
  kCheckpointFence,  // a root may arrive before what it leads to
  kCheckpointFlush,  // something that a root leads to is never flushed
  kReuse,            // what the last checkpoint leads to is written over
  kReplaySync,       // what opening has found in the log counts as durable as it is
  kStaleLog,         // a record counts whatever its salt and epoch
  kValueChecksum,    // a record's checksum leaves out the values
  kUndoFence,        // a saved range may be changed before it is durable
  kUndoFlush,        // what is in the saved ranges is not durable before the commit
  kUndoMarker,       // a commit does not say that its transaction is over
  kUndoStale,        // an entry of the undo area counts whatever its transaction
  kSealNothing,      // what is sealed is not encrypted
  kSealNonce,        // an opening begins with the nonces of the one before
  kSealPlace,        // a seal does not say where the bytes are
  kSealTag,          // what has another seal counts
  kKeySlots,         // a rotation of the key writes over both slots at once
  kKeysUnsettled,    // ... one that was cut off is left as it is
  kUnasked,          // a writer does not ask whether somebody reads
  kUnlooked,         // a reader does not look whether what it has locked is still the latest
  kUnmerged,         // an opening takes free space before it is known that nobody reads there
  kShowRefused,      // what a failed log has refused can still be read
  kLogMove,          // the log's place is given to others while a thread still writes there
};

#ifdef POTOROO_FAULT
inline Fault planted_fault = Fault::kNone;
inline bool Planted(Fault fault) { return planted_fault == fault; }
// Called between a reader's first look at the latest checkpoint and its lock.
inline void (*before_reader_lock)() = nullptr;
inline void PauseReader() {
  if (before_reader_lock != nullptr) before_reader_lock();
}
// The moment when the log has a new place, and the old one is about to be free.
inline void (*before_log_move)() = nullptr;
inline void PauseLogMove() {
  if (before_log_move != nullptr) before_log_move();
}
#else
inline void PauseReader() {}
inline void PauseLogMove() {}
constexpr bool Planted(Fault) { return false; }
#endif

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_BASE_FAULT_H_
