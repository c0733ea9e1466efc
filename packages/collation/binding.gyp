{
  "targets": [
    {
      "target_name": "collation",
      "sources": ["src/addon.cc", "src/icu.cc"],
      "defines": ["NAPI_VERSION=9"],
      "cflags": ["-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unused-parameter"],
      "cflags_cc": ["-std=c++17", "-fno-exceptions", "-fno-rtti"],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20"],
      "conditions": [["OS=='linux'", {"libraries": ["-ldl"]}]]
    }
  ]
}
