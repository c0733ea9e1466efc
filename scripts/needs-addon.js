'use strict'

// `node scripts/needs-addon.js NAME…`: what `npm test` of a package runs first, if its tests load a
// native addon. Without it each of them would fail, with another error.

const addons = require('./lib/native-build')

/** The package's name → its addon. @type {Record<string, typeof addons.storage>} */
const known = { pmemobj: addons.storage, collation: addons.collation }

for (const name of process.argv.slice(2)) {
  const reason = known[name].loadError()
  if (reason === null) continue
  console.error(`These tests need the addon of ${known[name].name}, which does not load: ${reason}. \`scripts/setup --test\` builds it.`)
  process.exitCode = 1
}
