// Keys and values between JavaScript and the engine.
#ifndef POTOROO_BINDING_BYTES_H_
#define POTOROO_BINDING_BYTES_H_

#include <node_api.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace potoroo {

struct Addon;

// Holds the bytes of strings, and of small views, for the length of one call; or longer.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) { *this = std::move(other); }
  // Leaves `other` empty. The bytes stay where they are.
  Arena& operator=(Arena&& other);
  // Room for `size` bytes, which stays where it is until Reset. Null where there is no memory.
  char* Reserve(size_t size);
  // Takes the first `size` bytes of what was reserved last.
  void Take(size_t size) { used_ += size; }
  // Frees all but one ordinary chunk.
  void Reset();

  // The bytes of a string (as UTF-8) or of a Uint8Array: big ones of the latter are not
  // copied. False with a TypeError pending where `value` is neither.
  bool Read(napi_env env, napi_value value, const char* what, Bytes* bytes);
  // The same, or nothing and `*missing` for undefined.
  bool ReadOptional(napi_env env, napi_value value, const char* what, Bytes* bytes, bool* missing);
  // Copies bytes that were read if they are a view's own: JavaScript may change them, or let them
  // go, after the call. To be asked of all in the order they were read in. False where there is no
  // memory.
  bool Keep(Bytes* bytes);

 private:
  enum class Outcome { kRead, kOtherType, kFailed };
  Outcome ReadString(napi_env env, napi_value value, Bytes* bytes);
  Outcome ReadView(napi_env env, napi_value value, Bytes* bytes);
  // False where there is no memory.
  bool Copy(Bytes* bytes);

  struct Chunk {
    std::unique_ptr<char[]> data;
    size_t size;
  };
  std::vector<Chunk> chunks_;
  size_t used_ = 0;                 // of the last chunk
  std::vector<const char*> views_;  // that were not copied
  size_t kept_ = 0;                 // of them, since
};

// Resets the arena when a call ends.
class ArenaScope {
 public:
  explicit ArenaScope(Arena* arena) : arena_(arena) {}
  ~ArenaScope() { arena_->Reset(); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena* arena_;
};

// A string of UTF-8 bytes; null with an exception pending where it is too long for one.
napi_value ToString(napi_env env, Bytes bytes);
// A Buffer with a copy; null with an exception pending where there is no memory.
napi_value ToBuffer(napi_env env, Bytes bytes);

// Collects many keys and values for one crossing. Strings become elements of an array; bytes
// are gathered in one ArrayBuffer, which lib/map/slab.js cuts up:
//
//   offset  size  field
//        0     4  count      of pieces, in the byte order of the machine
//        4   4*n  lengths    0xffffffff: no value
//    4+4*n        pieces, one after the other, padded to 4
//
// The array is made by a function in JavaScript, which takes its elements as arguments: to set
// each through Node-API costs as much as to make a short string.
class Page {
 public:
  // `count`: of elements, at a guess.
  Page(napi_env env, Addon* addon, bool strings, bool pieces, size_t count = 0);
  bool AddString(Bytes bytes);
  void AddUndefined();
  void AddBoolean(bool value);
  void AddPiece(Bytes bytes);
  // Adds bytes that stay where they are until Finish.
  void AddLastingPiece(Bytes bytes);
  void AddMissingPiece() { lengths_.push_back(UINT32_MAX); }
  size_t size() const { return size_; }
  // The array, with the ArrayBuffer last where there is one; or it alone.
  napi_value Finish();

 private:
  // A piece that is not among `bytes_`, but follows the first `after` of them.
  struct Apart {
    size_t after;
    Bytes bytes;
  };
  napi_value FinishPieces();
  void CopyPieces(char* to) const;

  napi_env env_;
  Addon* addon_;
  bool strings_;
  bool pieces_;
  std::vector<napi_value> elements_;
  size_t size_ = 0;
  size_t pieces_size_ = 0;
  std::vector<uint32_t> lengths_;
  std::vector<char> bytes_;
  std::vector<Apart> apart_;
};

}  // namespace potoroo

#endif  // POTOROO_BINDING_BYTES_H_
