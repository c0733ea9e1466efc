'use strict'

// `npm run lint:cpp`: the style of the C++ code by clang-format, and what clang-tidy finds in the
// engine. The second takes minutes, so the tests do the first alone.

const { VERSION, formatFaults, hasTool, tidyFaults } = require('./lib/cpp-style')

for (const [tool, faults] of /** @type {const} */ ([['clang-format', formatFaults], ['clang-tidy', tidyFaults]])) {
  const found = hasTool(tool) ? faults() : `${tool} ${VERSION} is not installed: apt-get install ${tool}\n`
  process.stderr.write(found)
  if (found !== '') process.exitCode = 1
}
