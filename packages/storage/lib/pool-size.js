'use strict'

/**
 * The size of a new pool, as a command line has it: `64M`, `1.5 GiB`.
 *
 * @param {string} text
 * @returns {number} bytes
 * @throws TypeError
 */
function poolSizeOf (text) {
  // The package's main file loads the addon.
  return require('pmemobj/pool-size').poolSizeOf(text)
}

module.exports = { poolSizeOf }
