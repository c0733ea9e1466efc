// Runs all tests, or those whose names contain an argument; but none whose name contains one that
// begins with a minus sign.
#include <sys/resource.h>

#include <chrono>
#include <cstring>

#include "check.h"
#include "engine/pool/recovery.h"

// Whether some argument of that sort is in the name; `none` where there is no such argument.
static bool Named(const char* name, int count, char** arguments, bool minus, bool none) {
  bool any = false, named = false;
  for (int i = 1; i < count; i++) {
    if ((arguments[i][0] == '-') != minus) continue;
    any = true;
    named = named || strstr(name, arguments[i] + (minus ? 1 : 0)) != nullptr;
  }
  return any ? named : none;
}

// Returns the milliseconds of CPU of this process, and of its children that have been waited for.
static double Cpu() {
  double milliseconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage usage;
    if (getrusage(who, &usage) != 0) abort();
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      milliseconds +=
          static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    }
  }
  return milliseconds;
}

int main(int count, char** arguments) {
  // The number of extents that are walked before a pool is open; 0: none.
  const char* at_once = getenv("WALKED_AT_ONCE");
  if (at_once != nullptr) potoroo::engine::walked_at_once = strtoull(at_once, nullptr, 10);
  if (count > 2 && strcmp(arguments[1], "--helper") == 0) return helper(arguments + 2);
  int ran = 0;
  for (const Case& test : Cases()) {
    if (!Named(test.name, count, arguments, false, true)) continue;
    if (Named(test.name, count, arguments, true, false)) continue;
    printf("%s ...", test.name);
    fflush(stdout);
    auto start = std::chrono::steady_clock::now();
    const double cpu = Cpu();
    test.run();
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    printf(" ok (%.0f ms, %.0f ms of CPU)\n", took.count(), Cpu() - cpu);
    ran++;
  }
  printf("%d tests passed\n", ran);
  return ran > 0 ? 0 : 1;
}
