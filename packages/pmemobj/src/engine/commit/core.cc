#include "engine/commit/core.h"

#include <cstring>

#include "engine/base/memory.h"
#include "engine/log/undo.h"
#include "engine/tree/search.h"
#include "engine/tree/walk.h"

namespace potoroo::engine {

Status StatusOf(Code code) {
  static const std::string not_found = "not found", full = "the pool is full",
                           damaged = "a page or value of the pool is damaged",
                           invalid = "the pool is closed, or an argument is out of range";
  switch (code) {
    case Code::kOk:
      return Status::Ok();
    case Code::kNotFound:
      return Status(code, &not_found);
    case Code::kNoMemory:
      return NoMemory();
    case Code::kNoSpace:
      return Status(code, &full);
    case Code::kCorrupt:
      return Status(code, &damaged);
    default:
      return Status(code, &invalid);
  }
}

Status ReadOnly() { return Status(Code::kReadOnly, "the pool was opened to be read only"); }

Core::Core(std::unique_ptr<Medium> medium, const PoolOptions& options)
    : decrypted(options.decrypted),
      store(new Store(std::move(medium))),
      syncer(store->medium()),
      durability(options.durability),
      read_only(store->medium()->read_only()) {}

Code Core::FindRootByName(uint32_t from, Bytes name, uint32_t* root) const {
  Bytes bytes;
  Code code = Lookup(*store, from, name, &bytes);
  if (code != Code::kOk) return code;
  if (bytes.size() != sizeof(DirectoryValue)) return Code::kCorrupt;
  memcpy(root, bytes.data(), 4);
  return Code::kOk;
}

Code Core::FindRoot(State* state, uint32_t map, uint32_t* root) const {
  std::atomic<uint64_t>& cached = state->roots[map % State::kRoots];
  uint64_t word = cached.load(std::memory_order_relaxed);
  if (word >> 32 == uint64_t{map} + 1) {
    *root = static_cast<uint32_t>(word);
    return *root == State::kNoRoot ? Code::kNotFound : Code::kOk;
  }
  std::string name;
  Code code = names.Name(map, state->epoch, &name);
  if (code == Code::kOk) code = FindRootByName(state->directory, name, root);
  if (code == Code::kOk) {
    cached.store((uint64_t{map} + 1) << 32 | *root, std::memory_order_relaxed);
  }
  return code;
}

void Core::AddNames(const std::vector<std::string>& maps) {
  bool undo = false;
  for (const std::string& name : maps) {
    name == kUndoMap ? void(undo = true) : void(names.Add(name, 0));
  }
  // The last: so the numbers of the others do not depend on it.
  if (undo) names.Add(kUndoMap, 0);
}

void Core::Begin(uint64_t at, uint32_t from) {
  states.Reset(at, from);
  epoch = at;
  directory = from;
  syncer.SetDurable(at);
}

}  // namespace potoroo::engine
