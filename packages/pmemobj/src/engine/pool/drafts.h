// Drafts: ranges of the pool where stores do not reach the pool, but pages of the process's own,
// until it is known whether they are to.
//
// The kernel makes such a page when something is first stored there, and says afterwards which
// there are. So to take back what was stored in a big buffer costs no copy of the buffer.
#ifndef POTOROO_ENGINE_POOL_DRAFTS_H_
#define POTOROO_ENGINE_POOL_DRAFTS_H_

#include <string>
#include <vector>

#include "engine/medium/medium.h"

namespace potoroo::engine {

// Only the thread that changes buffers uses it.
class Drafts {
 public:
  // Bytes that were stored.
  struct Change {
    char* at;
    std::string bytes;
  };

  explicit Drafts(Medium* medium) : medium_(medium) {}
  ~Drafts();
  Drafts(const Drafts&) = delete;
  Drafts& operator=(const Drafts&) = delete;

  // Begins one, of whole pages that hold nothing but a buffer. False where the system does not let
  // it: nothing has happened then.
  bool Begin(char* from, char* to);
  // Finds what was stored.
  void Find(std::vector<Change>* changes) const;
  // Ends all: what is there is what is in the pool again. kIo: the memory is not to be trusted.
  Status End();

 private:
  struct Draft {
    char* from;
    char* to;
    int fd;
    uint64_t within;  // of the file
  };
  bool CanFind();
  bool Place(Draft* piece);
  bool IsChanged(const Draft& draft, const char* page, uint64_t entry) const;
  void FindIn(const Draft& draft, std::vector<Change>* changes) const;
  bool MapShared(const Draft& draft) const;

  Medium* const medium_;
  int pagemap_ = -1;
  std::vector<Draft> drafts_;
};

}  // namespace potoroo::engine

#endif  // POTOROO_ENGINE_POOL_DRAFTS_H_
