// A trial of what damage to a pool that is encrypted does.
#ifndef POTOROO_TEST_ENCRYPTED_TRIAL_H_
#define POTOROO_TEST_ENCRYPTED_TRIAL_H_

#include <vector>

#include "encrypted_subject.h"

// kOld: something that was written, but not last, or nothing, and no error. From kWrong on the
// trial has failed.
enum Outcome { kWhole, kTold, kOld, kWrong, kNotNamed, kNotSalvaged };

struct Trial {
  std::vector<EncryptedSubject::Patch> patches;
  bool replay = false;  // values of earlier rounds, or none, are no surprise
  bool harms = false;   // what is in use: the check has to say so
  uint64_t least = 0;   // entries that salvage has to bring
};

// How many trials had each outcome.
struct Outcomes {
  int count[3] = {};
  int all() const { return count[kWhole] + count[kTold] + count[kOld]; }
};

// Checks, salvages, reads and writes a copy of the pool, in a child: what a crash does to it is
// seen from outside.
Outcome Run(const EncryptedSubject& subject, const Trial& trial, Outcomes* outcomes);

#endif  // POTOROO_TEST_ENCRYPTED_TRIAL_H_
