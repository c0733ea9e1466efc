// Runs all tests, or those whose names contain an argument.
#include <chrono>
#include <cstring>

#include "check.h"

int main(int count, char** arguments) {
  if (count > 2 && strcmp(arguments[1], "--helper") == 0) return helper(arguments + 2);
  int ran = 0;
  for (const Case& test : Cases()) {
    bool wanted = count < 2;
    for (int i = 1; i < count; i++) wanted = wanted || strstr(test.name, arguments[i]) != nullptr;
    if (!wanted) continue;
    printf("%s ...", test.name);
    fflush(stdout);
    auto start = std::chrono::steady_clock::now();
    test.run();
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    printf(" ok (%.0f ms)\n", took.count());
    ran++;
  }
  printf("%d tests passed\n", ran);
  return ran > 0 ? 0 : 1;
}
