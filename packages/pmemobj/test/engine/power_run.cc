#include "power_run.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "engine/base/fault.h"

using namespace potoroo;

namespace {

const Mood kMoods[] = {
    {0, 0, false},     // nothing but what has to have
    {1, 1, false},     // all
    {0.5, 0.5, true},  // some of all, torn
    {1, 0, false},     // all that was flushed, and no more
    {0, 1, false},     // the newest, and nothing that was flushed before it
    {0.5, 0, true},    // some of what was flushed, torn
    {0.9, 0.1, false}, {0.1, 0.9, false},
};
constexpr size_t kMoodCount = sizeof kMoods / sizeof kMoods[0];
constexpr size_t kPlainMoods = 3;  // those that each fence is tried with

}  // namespace

uint64_t PowerRun::all_cuts = 0;
uint64_t PowerRun::all_cuts_while_opening = 0;

void Change::Put(const std::string& key, const std::string& value) {
  maps_->Put(name_, key, value);
  batch_.Put(map_, key, value);
}

void Change::PutBuffer(const std::string& key, const std::string& value) {
  maps_->Put(name_, key, value);
  batch_.PutBuffer(map_, key, value);
}

void Change::Delete(const std::string& key) {
  maps_->Delete(name_, key);
  batch_.Delete(map_, key);
}

void Change::DeleteRange(const std::string& from, const std::string& to) {
  if (to.empty() || from < to) maps_->DeleteRange(name_, from, to);
  batch_.DeleteRange(map_, from, to);
}

PowerRun::PowerRun(const std::string& name, Media::Kind kind, Acknowledged acknowledged,
                   uint64_t seed, const Cuts& cuts)
    : name_(name),
      kind_(kind),
      seed_(seed),
      plan_(cuts),
      acknowledged_(acknowledged),
      path_(folder_ / "live/pool"),
      chance_(seed),
      luck_(seed + 1) {
  EXPECT(mkdir((folder_ / "live").c_str(), 0700) == 0);
  media_.reset(new Media(folder_ / "live", kind));
  for (size_t i = 0; i < 2; i++) images_[i].folder = folder_ / "image " + std::to_string(i);
  if (acknowledged == Acknowledged::kFlushed) options_.durability = Durability::kRelaxed;
}

PowerRun::~PowerRun() {
  Finish();
  pool_.reset();
}

void PowerRun::Begin() {
  auto lock = media_->Hold();
  media_->at_point = [this](bool fence) { AtPoint(fence); };
}

void PowerRun::Finish() {
  auto lock = media_->Hold();
  media_->at_point = nullptr;
  for (Image& image : images_) Judge(&image);
}

Status PowerRun::Create(const PoolOptions& options) {
  options_.size = options.size;
  options_.max_size = options.max_size;
  options_.key = options.key;
  Status status = Pool::Create(path_, options_, &pool_);
  created_ = status.ok();
  return status;
}

void PowerRun::CloseAndOpen() {
  pool_.reset();
  SetDurable(states_.size());
  PoolOptions options;
  options.durability = options_.durability;
  options.key = options_.key;
  EXPECT_OK(Pool::Open(path_, options, &pool_));
}

void PowerRun::RotateKey() {
  next_key_ = options_.key;
  next_key_[0]++;
  EXPECT_OK(pool_->RotateKey(next_key_));
  auto lock = media_->Hold();
  past_key_ = options_.key;
  options_.key.swap(next_key_);
  next_key_.clear();
}

void PowerRun::AtPoint(bool fence) {
  points_++;
  uint64_t rate = fence ? plan_.fences : plan_.flushes;
  if (rate == 0 || luck_.Below(rate) != 0) return;
  if (fence && plan_.moods) {
    for (size_t i = 0; i < kPlainMoods; i++) Cut(kMoods[i]);
    Cut(kMoods[kPlainMoods + luck_.Below(kMoodCount - kPlainMoods)]);
  } else {
    Cut(kMoods[luck_.Below(kMoodCount)]);
  }
  // A cache evicts for good: what arrives early is not always what is there at the next cut.
  if (luck_.Below(8) == 0) media_->Evict(0.3, &luck_);
}

void PowerRun::Cut(const Mood& mood) {
  Image* image = &images_[next_image_++ % 2];
  Judge(image);
  if (!violation_.empty()) return;
  size_t first;
  {
    std::lock_guard<std::mutex> lock(states_mutex_);
    first = durable_;
  }
  media_->Cut(mood, &luck_, image->folder);
  Verifier::Request request{};
  std::string path = image->folder + "/pool";
  EXPECT(path.size() < sizeof request.path);
  memcpy(request.path, path.c_str(), path.size() + 1);
  request.kind = kind_;
  request.may_be_none = !created_;
  request.durability = options_.durability;
  request.size = options_.size;
  request.max_size = options_.max_size;
  options_.key.copy(request.keys[0], kKeySize);
  next_key_.copy(request.keys[1], kKeySize);
  past_key_.copy(request.past_key, kKeySize);
  request.check = luck_.Below(4) == 0;
  request.go_on = luck_.Below(6) == 0;
  request.cut = created_ && luck_.Below(12) == 0 ? 1 + luck_.Below(12) : 0;
  request.seed = luck_.Below(1u << 31);
  request.fault = static_cast<int>(engine::planted_fault);
  image->busy = true;
  image->mood = mood;
  image->point = points_;
  image->allowed = StatesFrom(first);
  image->verifier.Ask(request);
  cut_count_++;
  all_cuts++;
}

void PowerRun::Judge(Image* image) {
  if (!image->busy) return;
  image->busy = false;
  Verifier::Reply reply = image->verifier.Answer();
  all_cuts_while_opening += reply.cuts;
  std::string wrong = reply.message;
  const std::vector<Digest>& allowed = image->allowed;
  bool found = std::find(allowed.begin(), allowed.end(), reply.digest) != allowed.end();
  if (reply.ok && !reply.none && !found) {
    wrong = "it holds none of the " + std::to_string(allowed.size()) +
            " states from the last acknowledged commit to the latest";
  }
  if (wrong.empty() || !violation_.empty()) return;
  char where[300];
  snprintf(where, sizeof where,
           "%s, seed %llu, %s, point %llu, flushed %.1f, stored %.1f%s: ", name_.c_str(),
           static_cast<unsigned long long>(seed_),
           kind_ == Media::Kind::kDisk ? "disk" : "persistent memory",
           static_cast<unsigned long long>(image->point), image->mood.flushed, image->mood.stored,
           image->mood.torn ? ", torn" : "");
  violation_ = where + wrong;
  failed_ = true;
}

std::vector<Digest> PowerRun::StatesFrom(size_t first) {
  std::lock_guard<std::mutex> lock(states_mutex_);
  return std::vector<Digest>(states_.begin() + static_cast<ptrdiff_t>(first), states_.end());
}

// The first `states` states are past, except the last of them.
void PowerRun::SetDurable(size_t states) {
  std::lock_guard<std::mutex> lock(states_mutex_);
  durable_ = std::max(durable_, states - 1);
}

// `waits`: it is durable on return, under Durability::kStrict.
void PowerRun::Commit(const Maps& after, bool waits,
                      const std::function<Status(uint64_t*)>& commit) {
  {
    std::lock_guard<std::mutex> lock(states_mutex_);
    states_.push_back(after.digest());
  }
  uint64_t number = 0;
  Status status = commit(&number);
  std::unique_lock<std::mutex> lock(states_mutex_);
  if (!status.ok()) {
    EXPECT(status.code() == Code::kNoSpace);
    states_.pop_back();
    return;
  }
  maps_ = after;
  size_t states = states_.size();
  if (number != 0) {
    latest_ = number;
    latest_state_ = states;
  }
  lock.unlock();
  if (waits && acknowledged_ != Acknowledged::kFlushed) SetDurable(states);
}

void PowerRun::Write(const std::string& map, const std::function<void(Change*)>& make) {
  EXPECT(maps_.Has(map));
  uint32_t number;
  EXPECT_OK(pool_->OpenMap(map, &number));
  Maps after = maps_;
  Change change(&after, map, number);
  make(&change);
  auto operations = change.batch().operations();
  bool waits = acknowledged_ == Acknowledged::kAtOnce;
  Commit(after, waits, [&](uint64_t* commit) {
    return waits ? pool_->Write(operations.data(), operations.size())
                 : pool_->Write(operations.data(), operations.size(), commit);
  });
}

void PowerRun::OpenMap(const std::string& name) {
  Maps after = maps_;
  after.Open(name);
  uint32_t number;
  Commit(after, true, [&](uint64_t*) { return pool_->OpenMap(name, &number); });
}

void PowerRun::DropMap(const std::string& name) {
  Maps after = maps_;
  after.Drop(name);
  Commit(after, true, [&](uint64_t*) { return pool_->DropMap(name); });
}

void PowerRun::Sync() {
  uint64_t commit;
  size_t states;
  {
    std::lock_guard<std::mutex> lock(states_mutex_);
    commit = latest_;
    states = latest_state_;
  }
  if (states == 0) return;
  EXPECT_OK(pool_->Sync(commit));
  if (acknowledged_ != Acknowledged::kFlushed) SetDurable(states);
}

void PowerRun::Flush() {
  EXPECT_OK(pool_->Flush());
  SetDurable(states_.size());
}

void PowerRun::Checkpoint() {
  EXPECT_OK(pool_->Checkpoint());
  SetDurable(states_.size());
}

void PowerRun::Compact() {
  for (bool done = false; !done;) EXPECT_OK(pool_->Compact(&done));
  SetDurable(states_.size());
}
