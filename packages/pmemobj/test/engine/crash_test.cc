// Killed at any moment, thousands of times: while writing, growing, opening, closing, creating. The
// next process opens what the last one left, finds every acknowledged step in it and at most the
// one after, whole, and goes on from there. KILL_SECONDS says how long, KILL_SEED how it begins.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>

#include "digest.h"
#include "engine/check/checker.h"

using namespace potoroo;

namespace {

using Clock = std::chrono::steady_clock;

enum Phase : uint32_t { kStart, kCreate, kOpen, kRead, kWrite, kClose, kPhases };
const char* const kPhaseNames[] = {"starting", "creating", "opening",
                                   "reading",  "writing",  "closing"};

// Memory in which a process tells its parent how far it came.
struct Shared {
  std::atomic<uint64_t> acknowledged;  // the last step that is in the pool for certain
  std::atomic<bool> created;
  std::atomic<uint32_t> phase;
  std::atomic<bool> wrote;  // it got as far as that
};

uint64_t Setting(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr || *text == 0 ? otherwise : strtoull(text, nullptr, 10);
}

// Each step is one commit, and follows from the seed, its number, and what the steps before made.
class Step {
 public:
  Step(uint64_t seed, uint64_t number, const Maps& maps) : chance_(seed * 1000003 + number) {
    name_ = "map " + std::to_string(chance_.Below(3));
    uint64_t die = chance_.Below(100);
    drop_ = maps.Has(name_) && die < 3;
    open_ = !maps.Has(name_);
    if (drop_ || open_) return;
    if (die < 50) {
      Put(chance_.Value());
    } else if (die < 80) {
      for (uint64_t i = 1 + chance_.Below(30); i > 0; i--) Put(chance_.Value());
    } else if (die < 84) {
      // Above what goes through a log.
      for (uint64_t i = 30 + chance_.Below(60); i > 0; i--) Put(std::string(8000, Letter()));
    } else if (die < 86) {
      // Gets an object of its own, so that the pool grows.
      std::string value((size_t{3} << 20) + chance_.Below(1 << 20), Letter());
      Add(Operation::Kind::kPut, "object " + std::to_string(chance_.Below(2)), std::move(value));
    } else if (die < 95) {
      Add(Operation::Kind::kDelete, chance_.Key(kSpread), "");
    } else {
      std::string from = chance_.Key(kSpread);
      Add(Operation::Kind::kDeleteRange, from, chance_.Below(2) == 0 ? "" : from + "5");
    }
  }

  void ApplyTo(Maps* maps) const {
    if (drop_) return maps->Drop(name_);
    if (open_) return maps->Open(name_);
    for (const Owned& op : operations_) {
      if (op.kind == Operation::Kind::kPut) maps->Put(name_, op.key, op.value);
      if (op.kind == Operation::Kind::kDelete) maps->Delete(name_, op.key);
      if (op.kind == Operation::Kind::kDeleteRange) maps->DeleteRange(name_, op.key, op.value);
    }
  }

  Status WriteTo(Pool* pool) const {
    uint32_t map;
    if (drop_) return pool->DropMap(name_);
    Status status = pool->OpenMap(name_, &map);
    if (open_ || !status.ok()) return status;
    std::vector<Operation> operations;
    for (const Owned& op : operations_) operations.push_back({op.kind, map, op.key, op.value});
    return pool->Write(operations.data(), operations.size());
  }

 private:
  static constexpr uint64_t kSpread = 80;
  struct Owned {
    Operation::Kind kind;
    std::string key, value;
  };
  char Letter() { return static_cast<char>('a' + chance_.Below(26)); }
  void Add(Operation::Kind kind, std::string key, std::string value) {
    operations_.push_back({kind, std::move(key), std::move(value)});
  }
  void Put(std::string value) {
    Add(Operation::Kind::kPut, chance_.Key(kSpread), std::move(value));
  }

  Chance chance_;
  std::string name_;
  bool drop_, open_;
  std::vector<Owned> operations_;
};

// One pool and the processes that have it, one after the other.
class Life {
 public:
  Life(const std::string& path, uint64_t seed, Shared* shared)
      : path_(path), seed_(seed), shared_(shared) {
    shared->acknowledged = 0;
    shared->created = false;
  }

  // Called by the parent, after a kill.
  void Advance() {
    for (uint64_t to = shared_->acknowledged; done_ < to;)
      Step(seed_, ++done_, maps_).ApplyTo(&maps_);
  }

  void Check() const {
    CheckReport report;
    Status status = potoroo::Check(path_, &report);
    if (!shared_->created && !status.ok()) return;
    EXPECT_OK(status);
    for (const CheckProblem& problem : report.problems) {
      // The commit that was under way may have torn its root slot.
      if (problem.kind == "root" && report.problem_count == 1) return;
      fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed_),
              problem.message.c_str());
    }
    EXPECT(report.sound());
  }

  [[noreturn]] void RunUntilKilled(uint64_t seed) {
    Chance chance(seed);
    setenv("PMEM_IS_PMEM_FORCE", chance.Below(3) == 0 ? "0" : "1", 1);
    for (;;) {
      OpenOrCreate();
      Verify();
      shared_->phase = kWrite;
      shared_->wrote = true;
      for (uint64_t i = chance.Below(60); i > 0; i--) {
        Step step(seed_, done_ + 1, maps_);
        EXPECT_OK(step.WriteTo(pool_.get()));
        step.ApplyTo(&maps_);
        shared_->acknowledged = ++done_;
      }
      shared_->phase = kClose;
      pool_.reset();
    }
  }

 private:
  void OpenOrCreate() {
    shared_->phase = kOpen;
    Status status = Pool::Open(path_, {}, &pool_);
    bool none = status.code() == Code::kNotFound || status.code() == Code::kNotAPool;
    if (!none || shared_->created) {
      EXPECT_OK(status);
    } else {
      shared_->phase = kCreate;
      bool folder = seed_ % 2 == 0;
      uint64_t size = uint64_t{folder ? 0u : 64u} << 20;
      EXPECT_OK(Pool::Create(path_, {size, folder ? uint64_t{1} << 30 : 0}, &pool_));
    }
    shared_->created = true;
  }

  void Verify() {
    shared_->phase = kRead;
    Digest found;
    EXPECT_OK(DigestOf(pool_.get(), &found));
    if (found == maps_.digest()) return;
    Step(seed_, ++done_, maps_).ApplyTo(&maps_);
    if (found != maps_.digest()) {
      fprintf(stderr, "seed %llu: neither step %llu nor the one before is what is there\n",
              static_cast<unsigned long long>(seed_), static_cast<unsigned long long>(done_));
      abort();
    }
    shared_->acknowledged = done_;
  }

  const std::string path_;
  const uint64_t seed_;
  Shared* shared_;
  uint64_t done_ = 0;  // steps that maps_ holds
  Maps maps_;
  std::unique_ptr<Pool> pool_;
};

// A process that is to be killed, and its successors.
class Lane {
 public:
  Lane(const std::string& path, uint64_t seed) : path_(path), chance_(seed) {
    void* shared =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT(shared != MAP_FAILED);
    shared_ = new (shared) Shared{};
    Start();
  }
  ~Lane() {
    Kill();
    munmap(shared_, sizeof(Shared));
  }

  Clock::time_point when() const { return when_; }
  void KillAndStart() {
    Kill();
    Start();
  }
  uint64_t rounds() const { return rounds_; }
  uint64_t killed(size_t phase) const { return killed_[phase]; }

 private:
  void Start() {
    if (rounds_ % 150 == 0) {
      if (life_ != nullptr) life_->Check();
      std::error_code error;
      std::filesystem::remove_all(path_, error);
      std::filesystem::remove_all(path_ + ".new", error);
      life_.reset(new Life(path_, chance_.Below(1u << 30), shared_));
    }
    shared_->phase = kStart;
    shared_->wrote = false;
    uint64_t seed = chance_.Below(1u << 30);
    process_ = fork();
    EXPECT(process_ >= 0);
    if (process_ == 0) life_->RunUntilKilled(seed);
    uint64_t longest = shared_->created ? patience_ : 3 * patience_;
    when_ = Clock::now() + std::chrono::microseconds(chance_.Below(longest));
  }

  void Kill() {
    EXPECT(kill(process_, SIGKILL) == 0);
    int result;
    EXPECT(waitpid(process_, &result, 0) == process_);
    EXPECT(WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL);
    killed_[shared_->phase]++;
    // On a busy machine all takes longer. Half of the processes come to write on any machine.
    patience_ = shared_->wrote ? patience_ * 9 / 10 : patience_ * 11 / 10;
    patience_ = std::clamp<uint64_t>(patience_, 5000, 1000000);
    life_->Advance();
    if (rounds_++ % 16 == 0) life_->Check();
  }

  const std::string path_;
  Chance chance_;
  Shared* shared_;
  std::unique_ptr<Life> life_;
  pid_t process_ = 0;
  Clock::time_point when_;
  uint64_t patience_ = 30000;  // microseconds, at most so long until a kill
  uint64_t rounds_ = 0;
  uint64_t killed_[kPhases] = {};
};

TEST("killed again and again") {
  Folder folder;
  uint64_t seed = Setting("KILL_SEED", 1);
  auto until = Clock::now() + std::chrono::seconds(Setting("KILL_SECONDS", 45));
  // Two at once: while one is killed, the other works.
  Lane lanes[] = {{folder / "first", seed}, {folder / "second", seed + 1}};
  auto killed = [&](size_t phase) { return lanes[0].killed(phase) + lanes[1].killed(phase); };
  while (Clock::now() < until || killed(kOpen) == 0 || killed(kWrite) == 0) {
    Lane& next = lanes[0].when() < lanes[1].when() ? lanes[0] : lanes[1];
    auto left = std::chrono::duration_cast<std::chrono::microseconds>(next.when() - Clock::now());
    if (left.count() > 0) usleep(static_cast<useconds_t>(left.count()));
    next.KillAndStart();
  }
  printf(" %llu times", static_cast<unsigned long long>(lanes[0].rounds() + lanes[1].rounds()));
  for (size_t phase = 0; phase < kPhases; phase++) {
    uint64_t count = killed(phase);
    printf("%s %llu %s", phase == 0 ? ":" : ",", static_cast<unsigned long long>(count),
           kPhaseNames[phase]);
  }
}

}  // namespace
