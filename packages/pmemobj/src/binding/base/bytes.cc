#include "binding/base/bytes.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "binding/base/addon.h"

namespace potoroo {
namespace {

constexpr size_t kChunkSize = 64 * 1024;
// Above it a string is measured before it is copied, to not reserve three times its length.
constexpr size_t kMeasured = 1024 * 1024;
// Views up to it are copied: the engine may then read them twice although another thread
// shares their memory.
constexpr size_t kCopied = 4096;
// Bytes of room into which a string is first read.
constexpr size_t kGuess = 4096;
// Pieces from it on are copied once only, where they stay in the pool until then.
constexpr size_t kApart = 4096;
// Arguments of one call: they take room on the stack.
constexpr size_t kCollected = 1000;

void ThrowNoMemory(napi_env env) {
  Throw(env, Status(Code::kNoMemory, "There is no memory for a copy of the bytes"));
}

// V8 copies such a string, and decodes any other twice.
bool IsAscii(Bytes bytes) {
  const char* data = bytes.data();
  size_t left = bytes.size();
  uint64_t seen = 0;
  for (; left >= 8; left -= 8, data += 8) {
    uint64_t eight;
    std::memcpy(&eight, data, 8);
    seen |= eight;
  }
  for (; left > 0; left--, data++) seen |= static_cast<unsigned char>(*data);
  return (seen & 0x8080808080808080) == 0;
}

}  // namespace

Arena& Arena::operator=(Arena&& other) {
  chunks_ = std::exchange(other.chunks_, {});
  used_ = std::exchange(other.used_, 0);
  views_ = std::exchange(other.views_, {});
  kept_ = std::exchange(other.kept_, 0);
  return *this;
}

char* Arena::Reserve(size_t size) {
  if (chunks_.empty() || chunks_.back().size - used_ < size) {
    const size_t chunk = size > kChunkSize ? size : kChunkSize;
    std::unique_ptr<char[]> data(new (std::nothrow) char[chunk]);
    if (data == nullptr) return nullptr;
    chunks_.push_back({std::move(data), chunk});
    used_ = 0;
  }
  return chunks_.back().data.get() + used_;
}

void Arena::Reset() {
  used_ = 0;
  kept_ = 0;
  views_.clear();
  if (chunks_.size() == 1 && chunks_[0].size == kChunkSize) return;
  chunks_.clear();
}

bool Arena::Read(napi_env env, napi_value value, const char* what, Bytes* bytes) {
  bool missing = false;
  if (!ReadOptional(env, value, what, bytes, &missing)) return false;
  if (missing)
    ThrowType(env, (std::string("The ") + what + " must be a string or a Uint8Array").c_str());
  return !missing;
}

// Asks for no type beforehand: that would be most of the cost of a short key.
bool Arena::ReadOptional(napi_env env, napi_value value, const char* what, Bytes* bytes,
                         bool* missing) {
  Outcome outcome = ReadString(env, value, bytes);
  if (outcome == Outcome::kOtherType) outcome = ReadView(env, value, bytes);
  *missing = outcome == Outcome::kOtherType && IsUndefined(env, value);
  if (outcome == Outcome::kOtherType && !*missing) {
    ThrowType(env, (std::string("The ") + what + " must be a string or a Uint8Array").c_str());
  }
  return outcome == Outcome::kRead || *missing;
}

Arena::Outcome Arena::ReadString(napi_env env, napi_value value, Bytes* bytes) {
  size_t length = 0;
  // Most strings are short: one call instead of two.
  char* guess = Reserve(kGuess);
  if (guess != nullptr) {
    if (napi_get_value_string_utf8(env, value, guess, kGuess, &length) != napi_ok)
      return Outcome::kOtherType;
    // If it is full, or lacks only a character, there may be more.
    if (length + 4 < kGuess) {
      Take(length);
      *bytes = Bytes(guess, length);
      return Outcome::kRead;
    }
  }
  // The length in code units, which V8 knows without looking.
  if (napi_get_value_string_latin1(env, value, nullptr, 0, &length) != napi_ok)
    return Outcome::kOtherType;
  size_t room = length * 3 + 1;
  if (room > kMeasured) {
    napi_get_value_string_utf8(env, value, nullptr, 0, &length);
    room = length + 1;
  }
  char* data = Reserve(room);
  if (data == nullptr) {
    ThrowNoMemory(env);
    return Outcome::kFailed;
  }
  napi_get_value_string_utf8(env, value, data, room, &length);
  Take(length);
  *bytes = Bytes(data, length);
  return Outcome::kRead;
}

Arena::Outcome Arena::ReadView(napi_env env, napi_value value, Bytes* bytes) {
  napi_typedarray_type type;
  size_t length = 0;
  void* data = nullptr;
  napi_value buffer = nullptr;
  // A view whose buffer was detached has no length.
  if (napi_get_typedarray_info(env, value, &type, &length, &data, &buffer, nullptr) != napi_ok ||
      type != napi_uint8_array) {
    return Outcome::kOtherType;
  }
  bool copy = length <= kCopied;
  if (!copy) {
    bool unshared = false;
    napi_is_arraybuffer(env, buffer, &unshared);
    copy = !unshared;
  }
  *bytes = length == 0 ? Bytes() : Bytes(static_cast<const char*>(data), length);
  if (!copy) {
    views_.push_back(bytes->data());
  } else if (!Copy(bytes)) {
    ThrowNoMemory(env);
    return Outcome::kFailed;
  }
  return Outcome::kRead;
}

bool Arena::Copy(Bytes* bytes) {
  if (bytes->empty()) return true;
  char* to = Reserve(bytes->size());
  if (to == nullptr) return false;
  std::memcpy(to, bytes->data(), bytes->size());
  Take(bytes->size());
  *bytes = Bytes(to, bytes->size());
  return true;
}

bool Arena::Keep(Bytes* bytes) {
  if (kept_ == views_.size() || bytes->data() != views_[kept_]) return true;
  kept_++;
  return Copy(bytes);
}

napi_value ToString(napi_env env, Bytes bytes) {
  napi_value string = nullptr;
  const auto create = IsAscii(bytes) ? napi_create_string_latin1 : napi_create_string_utf8;
  if (create(env, bytes.empty() ? "" : bytes.data(), bytes.size(), &string) == napi_ok)
    return string;
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  if (!pending)
    Throw(env, Status(Code::kInvalid, "The value is too long for a string: read it as a buffer"));
  return nullptr;
}

napi_value ToBuffer(napi_env env, Bytes bytes) {
  napi_value buffer = nullptr;
  if (napi_create_buffer_copy(env, bytes.size(), bytes.data(), nullptr, &buffer) == napi_ok)
    return buffer;
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  if (!pending) Throw(env, Status(Code::kNoMemory, "There is no memory for the value"));
  return nullptr;
}

Page::Page(napi_env env, Addon* addon, bool strings, bool pieces, size_t count)
    : env_(env), addon_(addon), strings_(strings), pieces_(pieces) {
  if (strings) elements_.reserve(std::min(count, kCollected));
  if (pieces) lengths_.reserve(std::min(count, kCollected));
}

bool Page::AddString(Bytes bytes) {
  napi_value string = ToString(env_, bytes);
  if (string == nullptr) return false;
  elements_.push_back(string);
  size_ += bytes.size();
  return true;
}

void Page::AddUndefined() {
  elements_.emplace_back();
  napi_get_undefined(env_, &elements_.back());
}

void Page::AddBoolean(bool value) {
  elements_.emplace_back();
  napi_get_boolean(env_, value, &elements_.back());
}

void Page::AddPiece(Bytes bytes) {
  lengths_.push_back(static_cast<uint32_t>(bytes.size()));
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  size_ += bytes.size();
  pieces_size_ += bytes.size();
}

void Page::AddLastingPiece(Bytes bytes) {
  if (bytes.size() < kApart) return AddPiece(bytes);
  lengths_.push_back(static_cast<uint32_t>(bytes.size()));
  apart_.push_back({bytes_.size(), bytes});
  size_ += bytes.size();
  pieces_size_ += bytes.size();
}

napi_value Page::Finish() {
  napi_value pieces = nullptr;
  if (pieces_) {
    pieces = FinishPieces();
    if (pieces == nullptr || !strings_) return pieces;
    elements_.push_back(pieces);
  }
  napi_value collect = nullptr;
  napi_value array = nullptr;
  napi_value undefined = nullptr;
  napi_get_undefined(env_, &undefined);
  napi_get_reference_value(env_, addon_->collect, &collect);
  array = undefined;
  size_t at = 0;
  do {
    napi_value arguments[1 + kCollected];
    const size_t count = std::min(kCollected, elements_.size() - at);
    arguments[0] = array;
    std::copy_n(elements_.begin() + static_cast<ptrdiff_t>(at), count, arguments + 1);
    if (napi_call_function(env_, undefined, collect, 1 + count, arguments, &array) != napi_ok)
      return nullptr;
    at += count;
  } while (at < elements_.size());
  return array;
}

napi_value Page::FinishPieces() {
  const size_t head = sizeof(uint32_t) * (1 + lengths_.size());
  const size_t size = (head + pieces_size_ + 3) & ~size_t{3};
  void* data = nullptr;
  napi_value buffer = nullptr;
  if (napi_create_arraybuffer(env_, size, &data, &buffer) != napi_ok) {
    bool pending = false;
    napi_is_exception_pending(env_, &pending);
    if (!pending) Throw(env_, Status(Code::kNoMemory, "There is no memory for the values"));
    return nullptr;
  }
  const uint32_t count = static_cast<uint32_t>(lengths_.size());
  char* to = static_cast<char*>(data);
  std::memcpy(to, &count, sizeof count);
  std::memcpy(to + sizeof count, lengths_.data(), lengths_.size() * sizeof(uint32_t));
  CopyPieces(to + head);
  return buffer;
}

void Page::CopyPieces(char* to) const {
  size_t done = 0;
  const auto copy = [&](const char* from, size_t size) {
    if (size != 0) std::memcpy(to, from, size);
    to += size;
  };
  for (const Apart& piece : apart_) {
    copy(bytes_.data() + done, piece.after - done);
    copy(piece.bytes.data(), piece.bytes.size());
    done = piece.after;
  }
  copy(bytes_.data() + done, bytes_.size() - done);
}

}  // namespace potoroo
