{
  "targets": [
    {
      "target_name": "pmemobj",
      "sources": [
        "<!@(node -p \"['engine', 'binding'].flatMap(folder => require('fs').readdirSync('src/' + folder).filter(name => name.endsWith('.cc')).map(name => 'src/' + folder + '/' + name)).join(' ')\")"
      ],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")", "src"],
      "defines": ["NAPI_VERSION=9", "NODE_ADDON_API_DISABLE_DEPRECATED", "NAPI_DISABLE_CPP_EXCEPTIONS"],
      "cflags": ["-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unused-parameter"],
      "cflags_cc": ["-std=c++17", "-fno-exceptions", "-fno-rtti"],
      "cflags_cc!": ["-std=gnu++17", "-std=gnu++20"],
      "libraries": ["-lpmemobj"]
    }
  ]
}
