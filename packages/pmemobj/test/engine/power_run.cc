#include "power_run.h"

#include <sys/stat.h>

#include <cstring>

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

void Change::Delete(const std::string& key) {
  maps_->Delete(name_, key);
  batch_.Delete(map_, key);
}

void Change::DeleteRange(const std::string& from, const std::string& to) {
  if (to.empty() || from < to) maps_->DeleteRange(name_, from, to);
  batch_.DeleteRange(map_, from, to);
}

PowerRun::PowerRun(const std::string& name, Media::Kind kind, uint64_t seed, const Cuts& cuts)
    : name_(name),
      kind_(kind),
      seed_(seed),
      plan_(cuts),
      path_(folder_ / "live/pool"),
      chance_(seed),
      luck_(seed + 1) {
  EXPECT(mkdir((folder_ / "live").c_str(), 0700) == 0);
  media_.reset(new Media(folder_ / "live", kind));
  for (size_t i = 0; i < 2; i++) images_[i].folder = folder_ / "image " + std::to_string(i);
}

PowerRun::~PowerRun() {
  media_->at_point = nullptr;
  Finish();
  pool_.reset();
}

void PowerRun::Begin() {
  media_->at_point = [this](bool fence) { AtPoint(fence); };
}

Status PowerRun::Create(const PoolOptions& options) {
  options_ = options;
  Status status = Pool::Create(path_, options, &pool_);
  created_ = status.ok();
  return status;
}

void PowerRun::CloseAndOpen() {
  pool_.reset();
  EXPECT_OK(Pool::Open(path_, {}, &pool_));
}

void PowerRun::Finish() {
  for (Image& image : images_) Judge(&image);
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
  media_->Cut(mood, &luck_, image->folder);
  Verifier::Request request{};
  std::string path = image->folder + "/pool";
  EXPECT(path.size() < sizeof request.path);
  memcpy(request.path, path.c_str(), path.size() + 1);
  request.kind = kind_;
  request.may_be_none = !created_;
  request.options = options_;
  request.check = luck_.Below(4) == 0;
  request.go_on = luck_.Below(6) == 0;
  request.cut = luck_.Below(12) == 0 ? 1 + luck_.Below(12) : 0;
  request.seed = luck_.Below(1u << 31);
  request.fault = fault;
  image->busy = true;
  image->mood = mood;
  image->point = points_;
  image->allowed[0] = before_;
  image->allowed[1] = after_;
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
  bool allowed = reply.digest == image->allowed[0] || reply.digest == image->allowed[1];
  if (reply.ok && !reply.none && !allowed) {
    wrong = "it holds neither what the last commit left nor what the next one makes";
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
}

void PowerRun::Commit(const Maps& after, const std::function<Status()>& commit) {
  after_ = after.digest();
  Status status = commit();
  if (status.ok()) {
    maps_ = after;
    before_ = after_;
  } else {
    EXPECT(status.code() == Code::kNoSpace);
    after_ = before_;
  }
}

void PowerRun::Write(const std::string& map, const std::function<void(Change*)>& make) {
  EXPECT(maps_.Has(map));
  uint32_t number;
  EXPECT_OK(pool_->OpenMap(map, &number));
  Maps after = maps_;
  Change change(&after, map, number);
  make(&change);
  Commit(after, [&] { return change.batch().WriteTo(pool_.get()); });
}

void PowerRun::OpenMap(const std::string& name) {
  Maps after = maps_;
  after.Open(name);
  uint32_t number;
  Commit(after, [&] { return pool_->OpenMap(name, &number); });
}

void PowerRun::DropMap(const std::string& name) {
  Maps after = maps_;
  after.Drop(name);
  Commit(after, [&] { return pool_->DropMap(name); });
}
