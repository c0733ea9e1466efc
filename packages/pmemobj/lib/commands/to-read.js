'use strict'

/**
 * Opens a pool for a command that changes nothing, beside another process that writes.
 *
 * @param {string} location
 * @param {Uint8Array} [key]
 * @returns {import('../..').Pool}
 */
function openToRead (location, key) {
  // Not before it is needed: --help works without the addon.
  const { Pool } = require('../..')
  try {
    return Pool.open(location, { readOnly: true, key })
  } catch (error) {
    if (!NEEDS_WRITER.has(error.code)) throw error
    try {
      return Pool.open(location, { createIfMissing: false, key })
    } catch (second) {
      throw second.code === 'PMEMOBJ_IN_USE' ? error : second
    }
  }
}

/** An older layout version is brought up, and a torn root slot made whole, by opening for writing. */
const NEEDS_WRITER = new Set(['PMEMOBJ_OLDER_LAYOUT', 'PMEMOBJ_CORRUPT'])

module.exports = { openToRead }
