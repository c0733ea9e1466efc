'use strict'

const { createAdapter } = require('./lib/create-adapter')
const { openOnLevel } = require('./lib/open-on-level')
const { plugin } = require('./lib/open-store')
const { toPouchError } = require('./lib/pouch-error')

module.exports = plugin
// One by one, so that Node.js finds the names for `import { … }`.
module.exports.createAdapter = createAdapter
module.exports.openOnLevel = openOnLevel
module.exports.toPouchError = toPouchError
