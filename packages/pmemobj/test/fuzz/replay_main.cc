// Runs a fuzzer's inputs without libFuzzer: the files that it is given, then random ones for
// FUZZ_SECONDS seconds.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "input.h"

namespace {

bool RunFile(const char* name) {
  FILE* file = fopen(name, "re");
  if (file == nullptr) return false;
  std::vector<uint8_t> bytes(1 << 20);
  bytes.resize(fread(bytes.data(), 1, bytes.size(), file));
  fclose(file);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; i++) {
    if (RunFile(arguments[i])) continue;
    perror(arguments[i]);
    return 1;
  }
  const char* text = getenv("FUZZ_SECONDS");
  double seconds = text == nullptr ? 0 : atof(text);
  std::mt19937 random(1);
  int runs = 0;
  auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
         seconds) {
    std::vector<uint8_t> bytes(random() % (runs % 4 == 0 ? 4096 : 64));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    runs++;
  }
  printf("%d files, %d random inputs\n", count - 1, runs);
  return 0;
}
