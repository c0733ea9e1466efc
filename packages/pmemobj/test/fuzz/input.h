// An input of a fuzzer, taken apart into numbers. At its end there are only zeros.
#ifndef POTOROO_FUZZ_INPUT_H_
#define POTOROO_FUZZ_INPUT_H_

#include <cstddef>
#include <cstdint>

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  uint8_t Byte() {
    if (size_ == 0) return 0;
    size_--;
    return *data_++;
  }
  uint64_t Number(int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++) number = number << 8 | Byte();
    return number;
  }
  uint64_t Below(uint64_t limit) {
    return Number(limit <= 256 ? 1 : limit <= 65536 ? 2 : 4) % limit;
  }
  bool Chance(uint8_t in) { return Byte() % in == in - 1; }

 private:
  const uint8_t* data_;
  size_t size_;
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif  // POTOROO_FUZZ_INPUT_H_
