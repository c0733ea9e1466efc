'use strict'

const fs = require('node:fs')
const binding = require('./binding')

/**
 * Holds a file or a folder, so that no other process opens a pool there.
 *
 * @param {string} path
 * @param {boolean} remains whether only the remains of a pool are there
 * @returns {() => void} releases it; so does the end of the process
 * @throws PMEMOBJ_IN_USE if another process holds it
 */
function claim (path, remains) {
  /** @type {number[]} */
  const descriptors = binding.claim(path, remains)
  return () => { for (const descriptor of descriptors) fs.closeSync(descriptor) }
}

module.exports = { claim }
