// ArrayBuffers over the memory of a pool.
//
// JavaScript may keep one, and may move its memory to another ArrayBuffer, of another thread even.
// So a pool that closes detaches those that it can, refuses while it knows that one was moved, and
// what is left, of which nobody can say whether it was moved or is only not collected yet, is
// memory that never faults: see Strays.
#ifndef POTOROO_BINDING_VIEW_H_
#define POTOROO_BINDING_VIEW_H_

#include <node_api.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "binding/base/strays.h"
#include "binding/pool/handles.h"
#include "engine/engine.h"

namespace potoroo {

struct Addon;

class View : public Dependent {
 public:
  // An ArrayBuffer for the memory of a buffer. `pin` keeps it there, or is null where the entry is
  // known to stay. Null with an exception pending.
  static napi_value Open(napi_env env, Addon* addon, PoolHandle* pool, Bytes key, char* memory,
                         size_t size, std::shared_ptr<Snapshot> pin);
  // Returns the view of the buffer at `memory`, in an open pool; or null.
  static View* Find(const Addon& addon, const void* memory, size_t size);
  // Returns the view of the ArrayBuffer itself, which has that memory; or null.
  static View* Of(const Addon& addon, napi_env env, napi_value array_buffer, const void* memory);
  // Whether memory of the pool was moved to an ArrayBuffer that cannot be found.
  static bool AnyIsMoved(const Addon& addon, const PoolHandle* pool);
  ~View() override { Close(); }

  Bytes key() const { return key_; }

 protected:
  void Release() override;

 private:
  enum class Place { kInArrayBuffer, kMoved, kUnknown };

  View(napi_env env, Addon* addon, PoolHandle* pool, Bytes key, char* memory, size_t size,
       std::shared_ptr<Snapshot> pin);
  static void Finalize(napi_env env, void* memory, void* view);
  // `*array_buffer` is that of kInArrayBuffer.
  Place FindPlace(napi_value* array_buffer) const;
  // False where the memory may be in another one.
  bool Detach();

  napi_env env_;
  Addon* addon_;
  PoolHandle* const handle_;
  const std::string key_;
  char* const memory_;
  const size_t size_;
  std::shared_ptr<Snapshot> pin_;
  napi_ref reference_ = nullptr;
  // No ArrayBuffer has the memory any more.
  bool collected_ = false;
  bool released_ = false;
  std::shared_ptr<Strays> strays_;
};

// The views of an environment, by their memory. Two may have the same one, while the first is not
// collected.
using Views = std::unordered_multimap<const void*, View*>;

}  // namespace potoroo

#endif  // POTOROO_BINDING_VIEW_H_
