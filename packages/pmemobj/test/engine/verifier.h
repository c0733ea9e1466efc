// Opens what a power cut left, in a process of its own: libpmemobj does not open a copy of a pool
// beside the pool, and what is damaged may bring a process down.
#ifndef POTOROO_TEST_VERIFIER_H_
#define POTOROO_TEST_VERIFIER_H_

#include <sys/types.h>

#include "digest.h"
#include "media.h"

class Verifier {
 public:
  struct Request {
    char path[256];  // of the pool; the folder it lies in holds nothing else
    Media::Kind kind;
    bool may_be_none;  // it need not be a pool yet; then one can be made there
    potoroo::Durability durability;
    uint64_t size, max_size;  // for that
    // The key of a pool that is encrypted, or zeros. While the key is changed, either has to open
    // it, and only that one from then on. The one before must not.
    char keys[2][potoroo::kKeySize];
    char past_key[potoroo::kKeySize];
    bool check;     // by the checker, which finds it sound before it is opened and afterwards
    bool go_on;     // write to it afterwards, and open it once more
    uint64_t cut;   // power fails again, at one point in so many; 0: it does not
    uint64_t seed;  // for that
    int fault;      // planted, see fault.h
  };
  struct Reply {
    bool ok;
    bool none;  // no pool, as may_be_none allows
    Digest digest;
    uint64_t cuts;      // while it was opened, read and written to
    char message[512];  // what is wrong
  };

  Verifier() = default;
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;
  // The process is started with the first call, and answers while the caller goes on.
  void Ask(const Request& request);
  // Answers the question asked. If the process died, that is what is wrong.
  Reply Answer();

 private:
  void Start();
  void Stop();

  pid_t process_ = 0;
  int socket_ = -1;
};

#endif  // POTOROO_TEST_VERIFIER_H_
