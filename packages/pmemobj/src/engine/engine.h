// The engine: durable ordered maps in a pool of libpmemobj.
//
// Knows libpmemobj and no Node-API. Nothing here throws or aborts the process, whatever the
// pool file holds: everything that can fail returns a Status. Any call that takes memory may give
// kNoMemory; then all is as it was before it.
//
// One thread writes at a time (Pool serialises writers itself); any number of threads may
// read through snapshots while it does.
#ifndef POTOROO_ENGINE_ENGINE_H_
#define POTOROO_ENGINE_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace potoroo {

enum class [[nodiscard]] Code{
    kOk,
    kNotFound,       // no such pool, or no such map
    kExists,         // create: something is there already
    kNotAPool,       // the file is not a pool of libpmemobj, or not one of ours
    kLayoutVersion,  // a pool of ours in a layout version that this engine does not read
    kOlderLayout,    // a pool in a former layout version, which opening to write brings up
    kInUse,          // another process, or another Pool of this one, has it open
    kNoSpace,        // the file system, or the pool at its greatest size, is full
    kCorrupt,        // a header, page or value fails its checksum or its bounds
    kPermission,     // the operating system refuses access
    kInvalid,        // an argument out of range (key too long, closed pool, ...)
    kKeyNeeded,      // the pool is encrypted, and no key was given
    kWrongKey,       // the pool is encrypted with another key
    kNotEncrypted,   // a key was given, and the pool is not encrypted
    kEncrypted,      // not to be had in a pool that is encrypted: buffers
    kIo,             // anything else that the operating system said
    kNoMemory,       // the system refused memory, or a thread: nothing was done
    kReadOnly,       // the pool was opened to be read only
};

// Cheap to pass on: every commit does so a dozen times. Copies share the message, so that to copy
// takes no memory.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message)
      : code_(code), message_(std::make_shared<const std::string>(std::move(message))) {}
  // For places without memory: the text is one that is always there.
  Status(Code code, const std::string* text) noexcept
      : code_(code), message_(std::shared_ptr<void>(), text) {}
  static Status Ok() { return Status(); }
  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_ == nullptr ? NoText() : *message_; }

 private:
  static const std::string& NoText() {
    static const std::string none;
    return none;
  }

  Code code_ = Code::kOk;
  std::shared_ptr<const std::string> message_;
};

// 32 KiB: above it a write gives kInvalid.
inline constexpr size_t kMaxKeySize = 32 * 1024;
inline constexpr size_t kMaxValueSize = size_t{1} << 30;

using Bytes = std::string_view;

// Bytes of the key of an encrypted pool.
inline constexpr size_t kKeySize = 32;

// Events that an acknowledged write survives if the pool is not on persistent memory. (On
// persistent memory it always survives all of them.)
enum class Durability : uint8_t {
  kStrict,   // process crash and power cut: a write waits for a flush of the file
  kRelaxed,  // process crash; a power cut loses the last second of writes, and nothing before it
};

struct PoolOptions {
  // Bytes to begin with, 0 for the smallest that is useful (8 MiB). Create only.
  uint64_t size = 0;
  // 0: the pool is one file of `size` bytes that cannot grow.
  // Otherwise `path` is a folder that holds a pool set which grows part by part up to this.
  // Opening a pool set with a higher one than it has raises it.
  uint64_t max_size = 0;
  Durability durability = Durability::kStrict;
  // 32 bytes: the pool is encrypted with AES-256-GCM, or is made so. Empty: it is not. Buffers (see
  // Operation) are memory of the pool, so an encrypted one has none (kEncrypted).
  std::string key;
  // Bytes of memory that what was decrypted may take, 0 for a quarter of the machine's. Above it,
  // some is given back each time that no snapshot is open: so it takes more while some are, or
  // where one commit or snapshot needs more.
  uint64_t decrypted = 0;
  // Open only: the pool shows the state of the moment of opening, with every commit acknowledged
  // before, for as long as it is open; another process may write meanwhile. All calls that write,
  // and those for buffers, give kReadOnly. Nothing of the pool is changed, so that a descriptor for
  // reading is enough. Space that writers give up meanwhile stays as it is until the last reader of
  // an older state has closed.
  bool read_only = false;
};

struct PoolStats {
  uint64_t size;      // bytes of the pool now
  uint64_t max_size;  // bytes it may grow to
  // Bytes in pages and values that a commit or a snapshot needs. Right after a big pool was opened,
  // all that its extents have, until it is known how much of that is free (Checkpoint waits for
  // that). A reader does not know: `used` is `size` for it, and the next two are 0.
  uint64_t used;
  uint64_t free;       // bytes that writes may still take, with what the pool may grow by
  uint64_t largest;    // bytes of a value that fits now
  bool is_pmem;        // flushed by cache line (DAX, or forced); otherwise by msync
  uint64_t snapshots;  // open ones
  uint64_t epoch;      // counts commits
  uint64_t decrypted;  // bytes of memory that what was decrypted takes
};

// Something that a scrub found damaged.
struct ScrubFault {
  const char* kind;  // "page", "key" or "value"
  uint64_t offset;   // in the pool
  std::string map;   // empty: of the directory of maps
  std::string key;   // of the value, or the first of the page; of a key what is known of it
};

// Position of a scrub, and what its last step has read and found.
struct ScrubStep {
  // The map and the key at which the next step begins; both are empty at the start of a pass, and
  // when it is `done`.
  std::string map;
  std::string key;
  bool done = false;
  uint64_t bytes = 0;
  uint64_t pages = 0;
  uint64_t values = 0;
  std::vector<ScrubFault> faults;
};

// An atomic, durable group of operations on any of a pool's maps. Keys and values are
// referred to, not copied: they must outlive Pool::Write.
//
// kPutBuffer is a put whose value is a buffer: memory of the pool's for the caller to change (see
// Snapshot::GetBuffer). Its bytes lie at one place for as long as the entry is there, or a snapshot
// that has it; they have no checksum, and no snapshot keeps them as they were. A value without data
// (nullptr) makes zeros. A write that has one goes without the log: it is a checkpoint.
//
// Some of a pool is kept for deleting, and taken by no other write: deletions take all of it, a put
// takes as much as its `room` says. A write of several operations takes what the least of them may.
struct Operation {
  enum class Kind : uint8_t { kPut, kDelete, kDeleteRange, kPutBuffer };
  enum class Room : uint8_t { kOrdinary, kHalfOfKept, kKept };
  Kind kind;
  uint32_t map;  // from Pool::OpenMap
  Bytes key;     // kDeleteRange: the first key that goes
  Bytes value;   // kDeleteRange: the first key that stays; empty: to the end of the map
  Room room = Room::kOrdinary;  // of kPut
};

// A map, and the number that calls take for it.
struct NamedMap {
  std::string name;
  uint32_t map;
};

class Snapshot;
class Cursor;

class Pool {
 public:
  // `path`: the pool's file, or its folder where options.max_size is not 0.
  static Status Create(const std::string& path, const PoolOptions& options,
                       std::unique_ptr<Pool>* pool);
  // Finds out by itself whether `path` is a file or a folder.
  static Status Open(const std::string& path, const PoolOptions& options,
                     std::unique_ptr<Pool>* pool);
  // Snapshots and cursors that are still open become invalid (their calls give kInvalid).
  ~Pool();
  // The same, and then all other calls give kInvalid too. kIo: the file could not be written, now
  // or earlier. Commits acknowledged as durable are safe; Durability::kRelaxed may have lost
  // others.
  Status Close();

  // Finds the map, or makes it (durably). Names have 1 to 255 bytes. The number stays valid
  // while the pool is open, until the map is dropped; then it gives kNotFound. A pool that is read
  // only makes none: kNotFound.
  Status OpenMap(Bytes name, uint32_t* map);
  // The same, of a map that is there: kNotFound.
  Status FindMap(Bytes name, uint32_t* map);
  Status DropMap(Bytes name);
  Status ListMaps(std::vector<std::string>* names) const;

  // All of it or nothing, durable when it returns. Later operations win over earlier ones.
  Status Write(const Operation* operations, size_t count);
  // The same, but off persistent memory it is durable only once Sync(*commit) has returned: for
  // group commit, and to wait on a thread of one's own. Readers see it at once.
  Status Write(const Operation* operations, size_t count, uint64_t* commit);
  // Waits until that commit is durable. From any thread; many may wait for one flush. Under
  // kRelaxed it returns at once.
  Status Sync(uint64_t commit);
  // Whether Sync(commit) would return at once.
  bool IsDurable(uint64_t commit) const;
  // Makes all commits so far durable, under kRelaxed too.
  Status Flush();

  // Changes of buffers. A direct store is durable when FlushBuffer returns; a crash before that may
  // keep any part of it. To change buffers all or nothing, and together with maps, SaveBuffer each
  // range before it is changed, then WriteSaved: after a crash, all is as it was before the first
  // SaveBuffer, or all is there. One thread at a time may be at this; others may write meanwhile,
  // but not delete or replace a buffer that has saved ranges (kInvalid). Kept strictly under
  // kRelaxed too. `from` points into a buffer, kInvalid outside of the pool.

  // Makes what was stored there durable.
  Status FlushBuffer(const char* from, size_t size);
  // Keeps what is there, durably, to bring it back after a crash or by RestoreBuffers. kNoSpace.
  Status SaveBuffer(const char* from, size_t size);
  // Lets a program change any part of a buffer, all or nothing too, without saying which: until
  // KeepDrafts or DropDrafts, what is stored there may be in memory of the process alone, and all
  // threads see it. It is SaveBuffer for small buffers, and for the ends of big ones.
  Status DraftBuffer(char* from, size_t size);
  // Saves, as SaveBuffer does, what pages with changes have in the pool, and puts the changes
  // there. If it fails, saved ranges have to be restored.
  Status KeepDrafts();
  // Takes the changes back, except for those in saved ranges.
  Status DropDrafts();
  // How many calls of SaveBuffer are kept, since the last WriteSaved.
  size_t SavedBuffers() const;
  // Brings back, durably, what all calls but the first `count` kept, the latest first.
  Status RestoreBuffers(size_t count);
  // Makes what is in the saved ranges durable, and commits the operations (there need not be any)
  // together with that. Nothing is saved then. If it fails with another code than kIo, all is still
  // saved.
  Status WriteSaved(const Operation* operations, size_t count);

  // Makes everything durable where it is, so that opening has nothing to replay. Gives back the
  // space that older states needed, and the rest of maps that were cleared or dropped. The engine
  // does so by itself from time to time.
  Status Checkpoint();
  // Begins to give back the space that only a crash would need, and returns: a thread makes the
  // checkpoint durable where that takes long. Not `*begun`: somebody writes, or a checkpoint is
  // under way, so try again.
  Status GiveBack(bool* begun);

  // Does one small step of a compaction, which moves used space together and punches holes in the
  // files where space is free. Call it until `*done`, or until it fails; others may read and write
  // between the steps. Pages of snapshots, buffers, and values above 3 MiB stay where they are.
  Status Compact(bool* done);
  // Reads on from where `step` says, about `bytes` bytes (a value is read whole), and verifies the
  // checksum of each page and each value of the last checkpoint again, whatever was found before.
  // It blocks no other call. Buffers have no checksum, and the log has been verified when it is
  // gone. The bytes in the files of an encrypted pool are decrypted again. kInvalid.
  Status Scrub(uint64_t bytes, ScrubStep* step) const;
  // From now on the pool opens with that key (32 bytes) instead of the one before, which keeps
  // opening it until this returns. If that is cut off, either opens it, and the one that opens it
  // first to be written is then the only one. Only what encrypts the pool's data is encrypted
  // again, not the data: see docs/format.md. kNotEncrypted; kInvalid: not 32 bytes.
  Status RotateKey(Bytes key);
  // `when_full` is called over and over while what is decrypted takes more memory than it may, by
  // any thread that reads or writes: so that snapshots that are kept for later are given up. It may
  // take no lock. To be set once.
  void SetWhenFull(std::function<void()> when_full);

  // Bytes that the files take on their disk.
  uint64_t BytesOnDisk() const;

  // The latest commit, pinned.
  Status Take(std::shared_ptr<Snapshot>* snapshot);

  PoolStats Stats() const;
  // Number of the latest commit. Once it differs, earlier reads are out of date.
  uint64_t epoch() const;

 private:
  friend class Snapshot;
  friend class Cursor;
  struct Impl;
  explicit Pool(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

// A state of the whole pool that no later write changes. Released when the last pointer goes.
class Snapshot {
 public:
  ~Snapshot();
  // Points `value` at the pool's own memory: valid while the snapshot lives. kNotFound.
  Status Get(uint32_t map, Bytes key, Bytes* value) const;
  // The buffer that is the entry's value, to be read and changed while the snapshot lives, or the
  // entry does. kNotFound; kInvalid: an ordinary value. Not of a pool that is read only, where Get
  // has the bytes: as they are at any time, whatever the state.
  Status GetBuffer(uint32_t map, Bytes key, char** memory, size_t* size) const;
  // Counts the entries with keys from `from` on and below `to`, in logarithmic time; nullptr: no
  // bound. A map that the snapshot does not have is an empty one. `known` is false, and `count` 0,
  // where pages do not tell, as an earlier engine wrote them: then entries have to be read.
  // kCorrupt.
  Status Count(uint32_t map, const Bytes* from, const Bytes* to, uint64_t* count,
               bool* known) const;
  // nullptr: there is no memory for one.
  std::unique_ptr<Cursor> NewCursor(uint32_t map) const;
  // The maps there were, sorted by the bytes of their names; those dropped since too.
  Status ListMaps(std::vector<NamedMap>* maps) const;

 private:
  friend class Pool;
  friend class Cursor;
  struct Impl;
  explicit Snapshot(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A place in a map of a snapshot, which it keeps alive. key() and value() point at the pool's
// memory (or at a buffer of the cursor's own, until it moves); valid only while Valid().
class Cursor {
 public:
  ~Cursor();
  bool Valid() const;
  Status status() const;
  void SeekFirst();
  void SeekLast();
  void SeekAtLeast(Bytes key);  // the first entry with a key >= key
  void SeekAtMost(Bytes key);   // the last entry with a key <= key
  void Next();
  void Prev();
  // The same as that many calls of Next, or of Prev, in logarithmic time. False where pages do not
  // tell (see Snapshot::Count): then it stays where it is.
  bool Skip(uint64_t count, bool forward);
  Bytes key() const;
  Bytes value() const;

 private:
  friend class Snapshot;
  struct Impl;
  explicit Cursor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace potoroo

#endif  // POTOROO_ENGINE_ENGINE_H_
