// The simulator for a Node.js process. This library is put before the process with LD_PRELOAD, so
// that it takes over libpmem's functions and libc's, and is also the addon that arms it.
//
//   start(folder, disk, images, slots, seed)   see simulator.h
//   stop()
//   plan(fences, flushes)
//   allow(first, last)
//   take()          flat: slot, first, last, mood, point of each cut
//   release(slot)
//   points()        passed so far
#include <node_api.h>

#include "simulator.h"

namespace {

std::unique_ptr<Simulator> simulator;

struct Call {
  Call(napi_env env, napi_callback_info info) : env(env) {
    size_t count = 5;
    EXPECT(napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr) == napi_ok);
  }
  std::string Text(size_t i) const {
    char text[4096];
    size_t size;
    EXPECT(napi_get_value_string_utf8(env, arguments[i], text, sizeof text, &size) == napi_ok);
    return std::string(text, size);
  }
  uint32_t Number(size_t i) const {
    uint32_t number;
    EXPECT(napi_get_value_uint32(env, arguments[i], &number) == napi_ok);
    return number;
  }
  napi_env env;
  napi_value arguments[5];
};

napi_value NumberOf(napi_env env, uint64_t number) {
  napi_value value;
  EXPECT(napi_create_int64(env, static_cast<int64_t>(number), &value) == napi_ok);
  return value;
}

napi_value Start(napi_env env, napi_callback_info info) {
  Call call(env, info);
  bool disk;
  EXPECT(simulator == nullptr && napi_get_value_bool(env, call.arguments[1], &disk) == napi_ok);
  Media::Kind kind = disk ? Media::Kind::kDisk : Media::Kind::kPersistentMemory;
  simulator.reset(new Simulator(call.Text(0), kind, call.Text(2), call.Number(3), call.Number(4)));
  return nullptr;
}

napi_value Stop(napi_env, napi_callback_info) {
  simulator.reset();
  return nullptr;
}

napi_value Plan(napi_env env, napi_callback_info info) {
  Call call(env, info);
  simulator->Plan(call.Number(0), call.Number(1));
  return nullptr;
}

napi_value Allow(napi_env env, napi_callback_info info) {
  Call call(env, info);
  simulator->Allow(call.Number(0), call.Number(1));
  return nullptr;
}

napi_value Take(napi_env env, napi_callback_info) {
  napi_value list;
  EXPECT(napi_create_array(env, &list) == napi_ok);
  uint32_t at = 0;
  for (const CutImage& cut : simulator->Take()) {
    for (uint64_t number : {uint64_t{cut.slot}, uint64_t{cut.first}, uint64_t{cut.last},
                            uint64_t{cut.mood}, cut.point}) {
      EXPECT(napi_set_element(env, list, at++, NumberOf(env, number)) == napi_ok);
    }
  }
  return list;
}

napi_value Release(napi_env env, napi_callback_info info) {
  simulator->Release(Call(env, info).Number(0));
  return nullptr;
}

napi_value Points(napi_env env, napi_callback_info) { return NumberOf(env, simulator->points()); }

const struct {
  const char* name;
  napi_callback function;
} kFunctions[] = {{"start", Start}, {"stop", Stop},       {"plan", Plan},    {"allow", Allow},
                  {"take", Take},   {"release", Release}, {"points", Points}};

}  // namespace

NAPI_MODULE_INIT() {
  for (const auto& entry : kFunctions) {
    napi_value function;
    EXPECT(napi_create_function(env, entry.name, NAPI_AUTO_LENGTH, entry.function, nullptr,
                                &function) == napi_ok);
    EXPECT(napi_set_named_property(env, exports, entry.name, function) == napi_ok);
  }
  return exports;
}
