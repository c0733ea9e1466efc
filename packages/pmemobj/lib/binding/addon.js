'use strict'

const path = require('node:path')

/** The addon that node-gyp builds when the package is installed. */
const FILE = path.join(__dirname, '../../build/Release/pmemobj.node')

const ADVICE = 'The addon of pmemobj is not built. "npm rebuild pmemobj" builds it, ' +
  'where npm holds install scripts back after "npm install-scripts approve pmemobj"'

/** @returns {any} the addon's functions */
function loadAddon () {
  try {
    return require(FILE)
  } catch (cause) {
    // Other errors, of a library that is missing for instance, say themselves what is wrong.
    if (cause.code !== 'MODULE_NOT_FOUND') throw cause
    throw Object.assign(new Error(ADVICE, { cause }), { code: cause.code })
  }
}

module.exports = { loadAddon }
