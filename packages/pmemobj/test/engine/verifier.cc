#include "verifier.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "engine/base/fault.h"
#include "engine/check/checker.h"

using namespace potoroo;
using engine::Fault;
using engine::planted_fault;

namespace {

constexpr int kSocket = 3;
constexpr unsigned kPatience = 120;  // seconds, after which opening counts as hung

class Verification {
 public:
  Verification(const Verifier::Request& request, Verifier* next)
      : request_(request), next_(next), chance_(request.seed), path_(request.path) {
    memset(&reply_, 0, sizeof reply_);
  }

  Verifier::Reply Run() {
    planted_fault = static_cast<Fault>(request_.fault);
    reply_.ok = (!request_.check || CheckSound("check before it is opened")) && Open() &&
                (reply_.none || Expect(DigestOf(pool_.get(), &reply_.digest), "read"));
    if (reply_.ok && reply_.cuts > 0 && reply_.digest != allowed_[0]) {
      reply_.ok = Wrong("cut again", "another state");
    }
    Digest after = reply_.digest;
    if (reply_.ok && !reply_.none && request_.go_on) reply_.ok = GoOn(&after);
    pool_.reset();
    StopCuts();
    media_.reset();
    if (!wrong_again_.empty()) reply_.ok = Wrong("cut again", wrong_again_);
    if (reply_.ok && !reply_.none && !key_.empty()) reply_.ok = RefusesOtherKeys();
    if (reply_.ok && !reply_.none && request_.check) reply_.ok = CheckSound("check");
    return reply_;
  }

 private:
  bool Wrong(const std::string& what, const std::string& message) {
    snprintf(reply_.message, sizeof reply_.message, "%s: %s", what.c_str(), message.c_str());
    return false;
  }
  bool Expect(const Status& status, const char* what) {
    return status.ok() ||
           Wrong(what, std::to_string(static_cast<int>(status.code())) + " " + status.message());
  }

  bool CheckSound(const char* when) {
    CheckReport report;
    Status status = Check(path_, &report, Key(0));
    if (status.code() == Code::kWrongKey) status = Check(path_, &report, Key(1));
    bool none = status.code() == Code::kNotFound || status.code() == Code::kNotAPool;
    if (none && request_.may_be_none) return true;
    if (!Expect(status, when) || report.sound()) return status.ok();
    const CheckProblem& problem = report.problems[0];
    // The commit that was under way may have torn its root slot: the checker cannot tell that it
    // was not acknowledged. The contents of the other slot are compared below.
    if (report.problem_count == 1 && problem.kind == "root") return true;
    return Wrong(when,
                 problem.kind + " at " + std::to_string(problem.offset) + ", " + problem.message);
  }

  bool Open() {
    setenv("PMEM_IS_PMEM_FORCE", request_.kind == Media::Kind::kDisk ? "0" : "1", 1);
    if (request_.cut > 0) CutFromNowOn();
    Status status = OpenPool();
    if (media_ != nullptr && status.ok()) CutAgain();
    bool none = status.code() == Code::kNotFound || status.code() == Code::kNotAPool;
    if (!none || !request_.may_be_none) return Expect(status, "open");
    reply_.none = true;
    if (!request_.go_on) return true;
    PoolOptions options{request_.size, request_.max_size, request_.durability, Key(0)};
    return Expect(Pool::Create(path_, options, &pool_), "create");
  }

  // Empty: there is none.
  static std::string Key(const char (&bytes)[kKeySize]) {
    const std::string key(bytes, kKeySize);
    return key == std::string(kKeySize, 0) ? "" : key;
  }
  std::string Key(size_t which) const { return Key(request_.keys[which]); }

  Status OpenWith(const std::string& key) {
    PoolOptions options;
    options.key = key;
    Status status = Pool::Open(path_, options, &pool_);
    if (status.ok()) key_ = key;
    return status;
  }

  // Opens the pool with either key, but again with the same.
  Status OpenPool() {
    if (!key_.empty() || Key(1).empty()) return OpenWith(key_.empty() ? Key(0) : key_);
    const size_t first = request_.seed % 2;
    Status status = OpenWith(Key(first));
    return status.code() == Code::kWrongKey ? OpenWith(Key(1 - first)) : status;
  }

  bool RefusesOtherKeys() {
    const std::string opened = key_;
    for (const std::string& key : {Key(0), Key(1), Key(request_.past_key)}) {
      if (key.empty() || key == opened) continue;
      if (OpenWith(key).code() != Code::kWrongKey)
        return Wrong("open", "another key opens it, too");
    }
    return true;
  }

  void CutFromNowOn() {
    media_.reset(new Media(path_.substr(0, path_.rfind('/')), request_.kind));
    media_->at_point = [&](bool) {
      if (chance_.Below(request_.cut) == 0) CutAgain();
    };
  }

  void CutAgain() {
    static const Mood kMoods[] = {{0, 0, false}, {1, 1, false}, {0.5, 0.3, true}, {0, 1, false}};
    auto lock = media_->Hold();
    if (!wrong_again_.empty()) return;
    std::string folder = path_.substr(0, path_.rfind('/')), again = folder + ".again";
    media_->Cut(kMoods[chance_.Below(4)], &chance_, again);
    Verifier::Request request{};
    std::string path = again + path_.substr(path_.rfind('/'));
    memcpy(request.path, path.c_str(), path.size() + 1);
    request.kind = request_.kind;
    memcpy(request.keys, request_.keys, sizeof request.keys);
    memcpy(request.past_key, request_.past_key, sizeof request.past_key);
    request.seed = chance_.Below(2);
    request.fault = request_.fault;
    next_->Ask(request);
    Verifier::Reply reply = next_->Answer();
    reply_.cuts++;
    // While it opens, whatever state the first of them leaves.
    if (allowed_.empty()) allowed_ = {reply.digest};
    bool found = std::find(allowed_.begin(), allowed_.end(), reply.digest) != allowed_.end();
    if (!reply.ok || !found) wrong_again_ = reply.ok ? "another state" : reply.message;
  }

  void Allow(std::initializer_list<Digest> digests) {
    if (media_ == nullptr) return;
    auto lock = media_->Hold();
    allowed_ = digests;
  }

  void StopCuts() {
    if (media_ == nullptr) return;
    auto lock = media_->Hold();
    media_->at_point = nullptr;
  }

  // Batches of all storage classes, and what they make is there when the pool is opened again.
  bool GoOn(Digest* digest) {
    uint32_t map;
    Digest opened = *digest + DigestOfMap("afterwards");
    Allow({*digest, opened});
    Status status = pool_->OpenMap("afterwards", &map);
    if (status.code() == Code::kNoSpace) return true;
    if (!Expect(status, "open a map")) return false;
    *digest = opened;
    for (size_t size : {size_t{10}, size_t{1000}, size_t{20000}, size_t{100}}) {
      Batch batch;
      Digest added = 0;
      for (int i = 0; i < 20; i++) {
        std::string key = std::to_string(size) + " " + std::to_string(i);
        std::string value(size, static_cast<char>(i));
        added += DigestOfEntry("afterwards", key, value);
        batch.Put(map, key, value);
      }
      Allow({*digest, *digest + added});
      Status status = batch.WriteTo(pool_.get());
      if (status.code() == Code::kNoSpace) break;
      if (!Expect(status, "write")) return false;
      *digest += added;
      Allow({*digest});
    }
    if (Key(0).empty() && !ChangeBuffer(map, digest)) return false;
    pool_.reset();
    Digest found;
    if (!Expect(OpenPool(), "open again")) return false;
    if (!Expect(DigestOf(pool_.get(), &found), "read again")) return false;
    return found == *digest || Wrong("write and open again", "it holds something else");
  }

  // A transaction over a buffer, and another one that is left to the next opening.
  bool ChangeBuffer(uint32_t map, Digest* digest) {
    std::string key = "buffer", bytes(600, 'o');
    auto entry = [&] { return DigestOfEntry("afterwards", key, bytes); };
    Operation put{Operation::Kind::kPutBuffer, map, key, bytes};
    Digest base = *digest, made = base + entry();
    Allow({base, made});
    Status status = pool_->Write(&put, 1);
    if (status.code() == Code::kNoSpace) return true;
    if (!Expect(status, "make a buffer")) return false;
    *digest = made;
    std::shared_ptr<Snapshot> snapshot;
    char* at;
    size_t size;
    status = pool_->Take(&snapshot);
    if (status.ok()) status = snapshot->GetBuffer(map, key, &at, &size);
    if (!Expect(status, "get a buffer")) return false;
    snapshot.reset();
    for (int round = 0; round < 3; round++) {
      Allow({*digest});
      // The first ones to be saved after what this opening may have brought back.
      for (size_t i = 0; i < 3; i++) {
        status = pool_->SaveBuffer(at + i * 100, 24 + 40 * static_cast<size_t>(round));
        if (status.code() == Code::kNoSpace) return Expect(pool_->RestoreBuffers(0), "restore");
        if (!Expect(status, "save")) return false;
        memset(at + i * 100, 'a' + round, 24);
      }
      if (round == 2) return true;
      for (size_t i = 0; i < 3; i++) bytes.replace(i * 100, 24, 24, static_cast<char>('a' + round));
      Allow({*digest, base + entry()});
      status = pool_->WriteSaved(nullptr, 0);
      if (status.code() == Code::kNoSpace) return Expect(pool_->RestoreBuffers(0), "restore");
      if (!Expect(status, "commit")) return false;
      *digest = base + entry();
    }
    return true;
  }

  const Verifier::Request request_;
  Verifier* next_;
  Chance chance_;
  std::string path_;
  std::unique_ptr<Pool> pool_;
  std::string key_;  // that has opened it
  Verifier::Reply reply_;
  std::unique_ptr<Media> media_;
  std::vector<Digest> allowed_;  // by cuts meanwhile
  std::string wrong_again_;      // that one of them left
};

// Answers until the other end closes.
int Serve(char**) {
  Verifier next;
  Verifier::Request request;
  while (read(kSocket, &request, sizeof request) == sizeof request) {
    alarm(kPatience);
    Verifier::Reply reply = Verification(request, &next).Run();
    alarm(0);
    EXPECT(write(kSocket, &reply, sizeof reply) == sizeof reply);
  }
  return 0;
}

const bool registered = (helper = Serve) != nullptr;

}  // namespace

void Verifier::Start() {
  int ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  process_ = vfork();
  if (process_ == 0) {
    // dup2 leaves a descriptor that is there already as it is: closed by exec.
    if (ends[1] == kSocket) ends[1] = dup(kSocket);
    dup2(ends[1], kSocket);
    // While libpmemobj opens a pool, its descriptors are ones that exec leaves open, and what keeps
    // them keeps the pool locked.
    close_range(kSocket + 1, ~0u, 0);
    execl("/proc/self/exe", "tests", "--helper", "verify", static_cast<char*>(nullptr));
    _exit(127);
  }
  EXPECT(process_ > 0);
  close(ends[1]);
  socket_ = ends[0];
}

void Verifier::Stop() {
  if (process_ == 0) return;
  close(socket_);
  int result;
  EXPECT(waitpid(process_, &result, 0) == process_);
  process_ = 0;
}

Verifier::~Verifier() { Stop(); }

void Verifier::Ask(const Request& request) {
  if (process_ == 0) Start();
  // If it cannot be sent, the process has died, and Answer finds out.
  send(socket_, &request, sizeof request, MSG_NOSIGNAL);
}

Verifier::Reply Verifier::Answer() {
  Reply reply{};
  if (read(socket_, &reply, sizeof reply) == sizeof reply) return reply;
  Stop();
  reply = {};
  snprintf(reply.message, sizeof reply.message, "the process that opened it died");
  return reply;
}
