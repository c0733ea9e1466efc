'use strict'

const { makeKeys, makeValue } = require('../data')

const LOAD_BATCH = 1000

/**
 * Fills a level with `size` entries under random keys of 16 bytes, values of 200 bytes.
 *
 * @returns {Promise<string[]>} the keys, in no order
 */
async function load (level, size) {
  const keys = makeKeys(size)
  for (let start = 0; start < size; start += LOAD_BATCH) {
    await level.batch(puts(keys.slice(start, start + LOAD_BATCH), start))
  }
  return keys
}

/** @returns {string[]} keys that `load` does not use, as many as a measurement can want */
function newKeys () {
  return makeKeys(1_000_000, 7)
}

/** @returns {object[]} a batch */
function puts (keys, start) {
  return keys.map((key, index) => ({ type: 'put', key, value: makeValue(start + index) }))
}

module.exports = { load, newKeys, puts }
