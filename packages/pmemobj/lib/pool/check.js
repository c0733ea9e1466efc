'use strict'

const binding = require('../binding/binding')
const { checkKey, checkPath } = require('./pool-options')

/**
 * @param {string} location of a pool
 * @param {{ key?: Uint8Array }} [options]
 * @returns {Promise<import('../..').CheckReport>}
 */
async function check (location, { key } = {}) {
  return binding.check(checkPath(location), checkKey(key))
}

module.exports = { check }
