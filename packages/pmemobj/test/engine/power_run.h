// One pool, written to on media whose power fails again and again: each cut has to leave what is
// allowed at that moment.
#ifndef POTOROO_TEST_POWER_RUN_H_
#define POTOROO_TEST_POWER_RUN_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "media.h"
#include "verifier.h"

// Which points of a run are cut.
struct Cuts {
  uint64_t fences;   // one fence in so many
  uint64_t flushes;  // one flush in so many; 0: none
  bool moods;        // each fence in several ways that the adversary has, not in one of them
};

// One batch for a map, and what it does to the maps.
class Change {
 public:
  Change(Maps* maps, const std::string& name, uint32_t map) : maps_(maps), name_(name), map_(map) {}
  void Put(const std::string& key, const std::string& value);
  void PutBuffer(const std::string& key, const std::string& value);
  void Delete(const std::string& key);
  void DeleteRange(const std::string& from, const std::string& to);
  const Batch& batch() const { return batch_; }

 private:
  Maps* maps_;
  std::string name_;
  uint32_t map_;
  Batch batch_;
};

// The remains of one cut, and the verifier that looks at them.
struct Image {
  std::string folder;
  Verifier verifier;
  bool busy = false;
  Mood mood{};
  uint64_t point = 0;
  std::vector<Digest> allowed;
};

// When a commit has to survive a power cut.
enum class Acknowledged {
  kAtOnce,  // when it returns
  kSynced,  // when another thread's Sync has returned: Durability::kStrict with group commit
  kFlushed  // when Flush, Checkpoint or closing has: Durability::kRelaxed
};

class PowerRun {
 public:
  // `name` and `seed` say in a message which run it was.
  PowerRun(const std::string& name, Media::Kind kind, Acknowledged acknowledged, uint64_t seed,
           const Cuts& cuts);
  ~PowerRun();

  potoroo::Status Create(const potoroo::PoolOptions& options);
  void CloseAndOpen();
  // Lets power fail from now on. The contents of the pool before are taken as arrived.
  void Begin();

  // Each is one commit that has to arrive whole or not at all, and does once it is acknowledged.
  // One for which there is no space changes nothing.
  void Write(const std::string& map, const std::function<void(Change*)>& make);
  void OpenMap(const std::string& name);
  void DropMap(const std::string& name);
  // Buffers of a map, under the keys "buffer 0" to "buffer 5", as far as there are any (see
  // power_buffers.cc). Stores to some words of one of them, and flushes it.
  void Poke(const std::string& map);
  // Saves and changes ranges of them while maps are written to, and takes some of it back; in the
  // end all of it is committed, or taken back, or left to the next opening.
  void Transact(const std::string& map);
  // All so far.
  void Flush();
  void Checkpoint();
  void Compact();
  // Makes the pool, which is encrypted, open with another key from now on.
  void RotateKey();
  // The latest commit. From any thread.
  void Sync();

  potoroo::Pool* pool() { return pool_.get(); }
  const Maps& maps() const { return maps_; }
  Chance* chance() { return &chance_; }
  // The remains of a cut that are not allowed, in words; empty as long as there are none. Cuts are
  // verified beside the run: Finish waits for them.
  void Finish();
  const std::string& violation() const { return violation_; }
  bool failed() const { return failed_; }
  uint64_t cuts() const { return cut_count_; }
  uint64_t points() const { return points_; }
  static uint64_t all_cuts, all_cuts_while_opening;

 private:
  struct Memory {
    std::string key;
    char* at;
    size_t size;
  };
  using Contents = std::vector<std::string>;
  std::vector<Memory> Buffers(const std::string& map);
  void CommitSaved(const std::string& map, const std::vector<Memory>& buffers);
  void AtPoint(bool fence);
  void Cut(const Mood& mood);
  void Judge(Image* image);
  void Commit(const Maps& after, bool waits,
              const std::function<potoroo::Status(uint64_t*)>& commit);
  void SetDurable(size_t states);
  std::vector<Digest> StatesFrom(size_t first);

  const std::string name_;
  const Media::Kind kind_;
  const uint64_t seed_;
  const Cuts plan_;
  const Acknowledged acknowledged_;
  Folder folder_;
  std::string path_;
  std::unique_ptr<Media> media_;
  std::unique_ptr<potoroo::Pool> pool_;
  Image images_[2];
  size_t next_image_ = 0;
  Chance chance_, luck_;  // what is written, and what arrives: one does not depend on the other
  Maps maps_;
  potoroo::PoolOptions options_;
  std::string next_key_;  // while the key is changed
  std::string past_key_;
  bool created_ = false;
  std::mutex states_mutex_;
  std::vector<Digest> states_{0};  // that each commit made, the one under way too
  size_t durable_ = 0;             // the first of them that a cut may leave
  uint64_t latest_ = 0;            // commit, and the number of its state
  size_t latest_state_ = 0;
  uint64_t points_ = 0, cut_count_ = 0;
  std::atomic<bool> failed_{false};
  std::string violation_;
};

#endif  // POTOROO_TEST_POWER_RUN_H_
