{
  "targets": [
    {
      "target_name": "simulator",
      "type": "loadable_module",
      "sources": ["addon.cc", "simulator.cc", "../../engine/media.cc", "../../engine/media_calls.cc", "../../engine/media_cut.cc"],
      "include_dirs": ["../../engine", "../../../src"],
      "defines": ["NAPI_VERSION=9"],
      # It would give mmap the name mmap64, which libpmemobj does not call.
      "defines!": ["_FILE_OFFSET_BITS=64"],
      "cflags": ["-O2", "-Wall", "-Wextra", "-Wno-missing-field-initializers"],
      "cflags_cc": ["-std=c++17", "-fexceptions", "-fno-rtti"],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20", "-fno-exceptions"],
      # libpmem, which the addon of the package would otherwise bring too late to be taken over.
      "libraries": ["-Wl,--no-as-needed", "-lpmem"]
    },
    {
      # The addon of the package with the engine's faults in it: what mentions them is compiled
      # anew, and linked with the objects that the package's own build has left.
      "target_name": "faulty",
      "type": "loadable_module",
      "sources": ["planted.cc", "<!@(node sources.js faulty)"],
      "include_dirs": ["../../../src"],
      "defines": ["POTOROO_FAULT"],
      "cflags": ["-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-missing-field-initializers"],
      "cflags_cc": ["-std=c++17", "-fexceptions", "-fno-rtti"],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20", "-fno-exceptions"],
      "libraries": ["<!@(node sources.js objects)", "-lpmemobj"]
    }
  ]
}
