#include "engine/medium/mapping.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

namespace potoroo::engine {

// One node for each pool that is open, in a list that a signal handler may walk: nodes are used
// again, and never freed.
struct Mapping::Node {
  std::atomic<uintptr_t> start{0}, end{0};
  std::atomic<int> error{0};
  std::atomic<bool> has_front{false};
  bool taken = false;  // under the list's mutex
  Node* next = nullptr;
  char front[Mapping::kFront];
};

namespace {

using Node = Mapping::Node;

std::atomic<Node*> nodes{nullptr};
struct sigaction before;  // how SIGBUS was handled before
uintptr_t page_size;

// A signal handler may not allocate. glibc allocates a thread's variables when they are first used,
// except for those in the static TLS block. musl does so when the thread or the library begins, and
// lets a library that is loaded later have nothing in that block.
#ifdef __GLIBC__
#define ALLOCATED_BEFORE __attribute__((tls_model("initial-exec")))
#else
#define ALLOCATED_BEFORE
#endif

// This thread's Opening.
ALLOCATED_BEFORE thread_local bool opening = false;
ALLOCATED_BEFORE thread_local int opening_error = 0;

Node* Find(const void* address) {
  uintptr_t at = reinterpret_cast<uintptr_t>(address);
  for (Node* node = nodes.load(std::memory_order_acquire); node != nullptr; node = node->next) {
    if (at >= node->start.load(std::memory_order_acquire) &&
        at < node->end.load(std::memory_order_acquire)) {
      return node;
    }
  }
  return nullptr;
}

// Makes a page of nothing, and moves it to where the lost one was, so that no thread sees it half
// filled. By system call: this runs in a signal handler.
bool Replace(uintptr_t page, const Node* node) {
  long made = syscall(SYS_mmap, nullptr, page_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, off_t{0});
  if (made == -1) return false;
  if (node != nullptr && node->has_front.load(std::memory_order_acquire)) {
    uintptr_t offset = page - node->start.load(std::memory_order_relaxed);
    if (offset < Mapping::kFront) {
      memcpy(reinterpret_cast<void*>(made), node->front + offset,
             page_size < Mapping::kFront - offset ? page_size : Mapping::kFront - offset);
    }
  }
  return syscall(SYS_mremap, made, page_size, page_size, MREMAP_MAYMOVE | MREMAP_FIXED, page) != -1;
}

void CallHandlerBefore(int signal, siginfo_t* info, void* context) {
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    return before.sa_handler(signal);
  }
  if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
  // The access is made again, and ends the process; what another process sent has to be sent again.
  sigaction(SIGBUS, &before, nullptr);
  if (info->si_code <= 0) raise(signal);
}

void HandleBusError(int signal, siginfo_t* info, void* context) {
  int error = errno;
  uintptr_t page = reinterpret_cast<uintptr_t>(info->si_addr) / page_size * page_size;
  Node* node = info->si_code > 0 ? Find(info->si_addr) : nullptr;
  // Noted first: whoever sees the empty page sees the note too.
  if (node != nullptr) node->error = Mapping::kLost;
  bool ours = node != nullptr || (info->si_code > 0 && Opening::Note(Mapping::kLost));
  if (!ours || !Replace(page, node)) CallHandlerBefore(signal, info, context);
  errno = error;
}

void Install() {
  page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = HandleBusError;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(SIGBUS, &action, &before);
}

std::mutex& ListMutex() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}

Status StatusOfError(int error) {
  if (error == Mapping::kLost) {
    return Status(Code::kIo,
                  "a part of the pool's files can no longer be read or written: the disk has a bad "
                  "sector or is full, or another process cut a file "
                  "short or overwrote it. Open the pool again");
  }
  if (error == Mapping::kRemoved) {
    return Status(Code::kIo,
                  "the pool's files were removed while it was open: what is written goes nowhere");
  }
  return Status(Code::kIo, std::string("the pool's file could not be written: ") + strerror(error));
}

}  // namespace

Opening::Opening() {
  static std::once_flag once;
  std::call_once(once, Install);
  opening_error = 0;
  opening = true;
}
Opening::~Opening() { opening = false; }
int Opening::error() const { return opening_error; }
bool Opening::Note(int error) {
  if (opening) opening_error = error;
  return opening;
}

Mapping::Mapping(char* start, uint64_t size) {
  std::lock_guard<std::mutex> lock(ListMutex());
  node_ = nodes.load(std::memory_order_relaxed);
  while (node_ != nullptr && node_->taken) node_ = node_->next;
  if (node_ == nullptr) {
    node_ = new Node;
    node_->next = nodes.load(std::memory_order_relaxed);
    nodes.store(node_, std::memory_order_release);
  }
  node_->taken = true;
  node_->error = 0;
  node_->start = reinterpret_cast<uintptr_t>(start);
  node_->end = reinterpret_cast<uintptr_t>(start) + size;
  error_ = &node_->error;
}

Mapping::~Mapping() {
  Leave();
  std::lock_guard<std::mutex> lock(ListMutex());
  node_->taken = false;
}

void Mapping::Leave() {
  node_->end = 0;
  node_->start = 0;
  node_->has_front = false;
}

Status Mapping::Failure() const { return StatusOfError(error_->load()); }

void Mapping::Fail(int error) {
  int none = 0;
  node_->error.compare_exchange_strong(none, error);
}

void Mapping::KeepFront() {
  node_->has_front = false;
  memcpy(node_->front, reinterpret_cast<const char*>(node_->start.load()), kFront);
  if (!lost()) node_->has_front = true;
}

void Mapping::RestoreFront() {
  if (!node_->has_front) return;
  const uintptr_t start = node_->start;
  const char* front = reinterpret_cast<const char*>(start);
  constexpr size_t kHeader = 4096;  // nobody changes it as long as the pool is open
  if (memcmp(front, node_->front, kHeader) == 0) return;
  Fail(kLost);
  for (uintptr_t at = 0; at < kFront; at += page_size) (void)Replace(start + at, node_);
}

Status Mapping::StatusAt(const void* address) {
  const Node* node = Find(address);
  const int error = node == nullptr ? 0 : node->error.load();
  return error == 0 ? Status::Ok() : StatusOfError(error);
}

bool Mapping::FailAt(const void* address, int error) {
  Node* node = Find(address);
  if (node == nullptr) return false;
  int none = 0;
  node->error.compare_exchange_strong(none, error);
  return true;
}

}  // namespace potoroo::engine
