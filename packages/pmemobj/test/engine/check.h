// The smallest of test frames: named cases, expectations that say where they failed.
#ifndef POTOROO_TEST_CHECK_H_
#define POTOROO_TEST_CHECK_H_

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"

// Which sanitizer the tests run under: GCC defines a macro, Clang has a feature.
#if defined(__has_feature)
#define TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define TEST_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TEST_HAS_FEATURE(address_sanitizer)
#define UNDER_ASAN 1
#else
#define UNDER_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || TEST_HAS_FEATURE(thread_sanitizer)
#define UNDER_TSAN 1
#else
#define UNDER_TSAN 0
#endif

struct Case {
  const char* name;
  void (*run)();
};

inline std::vector<Case>& Cases() {
  static std::vector<Case> cases;
  return cases;
}

// Called when the test program starts itself with "--helper", for tests that need a process of
// their own, which shares nothing with theirs.
inline int (*helper)(char** arguments) = nullptr;

struct Register {
  Register(const char* name, void (*run)()) { Cases().push_back({name, run}); }
};

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define TEST(name)                                                           \
  static void CONCAT(Test, __LINE__)();                                      \
  static Register CONCAT(register_, __LINE__)(name, CONCAT(Test, __LINE__)); \
  static void CONCAT(Test, __LINE__)()

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)

#define EXPECT_OK(expression)                                                      \
  do {                                                                             \
    potoroo::Status status_ = (expression);                                        \
    if (!status_.ok()) {                                                           \
      fprintf(stderr, "%s:%d: %s: code %d, %s\n", __FILE__, __LINE__, #expression, \
              static_cast<int>(status_.code()), status_.message().c_str());        \
      abort();                                                                     \
    }                                                                              \
  } while (0)

#define EXPECT_CODE(expected, expression)                                                \
  do {                                                                                   \
    potoroo::Status status_ = (expression);                                              \
    if (status_.code() != potoroo::Code::expected) {                                     \
      fprintf(stderr, "%s:%d: %s: code %d, not " #expected ": %s\n", __FILE__, __LINE__, \
              #expression, static_cast<int>(status_.code()), status_.message().c_str()); \
      abort();                                                                           \
    }                                                                                    \
  } while (0)

// A folder that goes when the test ends. TEST_FOLDER says where; default /dev/shm.
class Folder {
 public:
  Folder() {
    const char* base = getenv("TEST_FOLDER");
    std::string pattern = std::string(base == nullptr ? "/dev/shm" : base) + "/engine-XXXXXX";
    if (mkdtemp(&pattern[0]) == nullptr) abort();
    path_ = pattern;
  }
  ~Folder() {
    std::string command = "rm -rf " + path_;
    if (system(command.c_str()) != 0) abort();
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

#endif  // POTOROO_TEST_CHECK_H_
