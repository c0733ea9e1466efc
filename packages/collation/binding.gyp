{
  "targets": [
    {
      "target_name": "collation",
      "sources": ["src/addon.cc", "src/icu.cc"],
      "defines": ["NAPI_VERSION=9"],
      "cflags": [
        "-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unused-parameter",
        # glibc takes 3 for 2 where the compiler does not know it.
        "-fPIC", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"
      ],
      "cflags_cc": ["-std=c++17", "-fno-exceptions", "-fno-rtti"],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20"],
      "conditions": [["OS=='linux'", {"ldflags": ["-Wl,-z,relro,-z,now,-z,noexecstack"], "libraries": ["-ldl"]}]]
    }
  ]
}
