'use strict'

const binding = require('./binding')

/**
 * Holds a file or a folder, so that no other process opens a pool there.
 *
 * @param {string} path
 * @param {boolean} remains whether only the remains of a pool are there
 * @returns {number[]} descriptors, which hold it until they are closed
 * @throws PMEMOBJ_LOCKED if another process holds it
 */
function claim (path, remains) {
  return binding.claim(path, remains)
}

module.exports = { claim }
