// The checker beside a process that has the pool open, and a root slot that is damaged under it.
#include <fcntl.h>
#include <unistd.h>

#include "engine/check/checker.h"
#include "forge.h"
#include "model.h"
#include "subject.h"

using namespace potoroo;
using namespace potoroo::engine;

namespace {

// A pool that somebody has open, with a latest checkpoint and the one before.
class Open {
 public:
  Open() {
    EXPECT_OK(Pool::Create(path_, {}, &pool_));
    EXPECT_OK(pool_->OpenMap("map", &map_));
    EXPECT_OK(pool_->Close());
    place_ = static_cast<uint64_t>(FindSuperblock(path_));
    EXPECT_OK(Pool::Open(path_, {}, &pool_));
    for (char round = 'a'; round < 'd'; round++) {
      WriteAll(round);
      EXPECT_OK(pool_->Checkpoint());
    }
  }

  // Small commits, which take up what the checkpoint before the latest has needed.
  void WriteAll(char byte) {
    for (int i = 0; i < 400; i++) {
      Batch batch;
      batch.Put(map_, "key " + std::to_string(i * 7919 % 400), std::string(300, byte));
      EXPECT_OK(batch.WriteTo(pool_.get()));
    }
  }
  void Checkpoint() {
    WriteAll('e');
    EXPECT_OK(pool_->Checkpoint());
  }

  // The slot of the latest checkpoint, or of the one before.
  void Damage(bool latest) {
    RootSlot slots[2];
    const int file = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    for (uint64_t i = 0; i < 2; i++) {
      EXPECT(pread(file, &slots[i], sizeof slots[i], At(i)) == sizeof slots[i]);
    }
    damaged_ = (slots[1].number > slots[0].number) == latest ? 1 : 0;
    EXPECT(pwrite(file, "damage", 6, At(damaged_) + 100) == 6);
    close(file);
  }

  CheckReport Check() const {
    CheckReport report;
    EXPECT_OK(potoroo::Check(path_, &report));
    return report;
  }
  bool IsDamaged(const CheckProblem& problem) const {
    return problem.kind == "root" && problem.offset == RootSlotAt(place_, damaged_);
  }

 private:
  off_t At(uint64_t index) const { return static_cast<off_t>(RootSlotAt(place_, index)); }

  Folder folder_;
  const std::string path_ = folder_ / "pool";
  std::unique_ptr<Pool> pool_;
  uint32_t map_ = 0;
  uint64_t place_ = 0, damaged_ = 0;
};

TEST("check beside a writer: the slot of the checkpoint before is damaged") {
  Open open;
  open.Damage(false);
  open.WriteAll('d');
  CheckReport report = open.Check();
  EXPECT(report.sound() && report.maps.size() == 1 && report.log_records == 400);
  EXPECT(report.notes.size() == 2 && open.IsDamaged(report.notes[1]));
  open.Checkpoint();
  report = open.Check();
  EXPECT(report.sound() && report.notes.size() == 1);
}

// The pages that the other slot leads to hold something else by now: each of them was reported.
TEST("check beside a writer: the slot of the latest checkpoint is damaged") {
  Open open;
  open.Damage(true);
  open.WriteAll('d');
  CheckReport report = open.Check();
  EXPECT(report.problem_count == 1 && report.problems.size() == 1);
  EXPECT(open.IsDamaged(report.problems[0]) && report.maps.empty());
  // The damaged slot is that of the checkpoint before, and is written again.
  open.Checkpoint();
  report = open.Check();
  EXPECT(report.sound() && report.notes.size() == 2 && open.IsDamaged(report.notes[1]));
  open.Checkpoint();
  report = open.Check();
  EXPECT(report.sound() && report.notes.size() == 1);
}

}  // namespace
