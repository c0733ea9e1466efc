{
  "targets": [
    {
      "target_name": "pmemobj",
      "sources": [
        "<!@(node -p \"require('fs').readdirSync('src', { recursive: true }).filter(name => name.endsWith('.cc')).map(name => 'src/' + name).join(' ')\")"
      ],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")", "src"],
      "defines": ["NAPI_VERSION=9", "NODE_ADDON_API_DISABLE_DEPRECATED", "NAPI_DISABLE_CPP_EXCEPTIONS",
        # Where a thread ends while work of its is under way, nobody is left to be told.
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"],
      "cflags": [
        "-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror=unused-result", "-Wno-unused-parameter",
        # Level 3 keeps small copies from being compiled in place: 9 % of a put's instructions.
        "-fPIC", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2",
        # The engine's small functions live in many files: 7 % of a put's instructions.
        "-flto=auto"
      ],
      "cflags_cc": ["-std=c++17", "-fexceptions", "-fno-rtti"],
      # A failing allocation is told by an exception, see engine/base/memory.h and binding/base/guard.h.
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20", "-fno-exceptions"],
      "ldflags": ["-flto=auto", "-O2", "-Wl,-z,relro,-z,now,-z,noexecstack,-z,nodelete"],
      "libraries": ["-lpmemobj"]
    }
  ]
}
