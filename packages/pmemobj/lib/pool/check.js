'use strict'

const binding = require('../binding/binding')
const { checkKey, checkNames, checkPath } = require('./pool-options')

/**
 * @param {string} location of a pool
 * @param {{ key?: Uint8Array }} [options]
 * @returns {Promise<import('../..').CheckReport>}
 */
async function check (location, options) {
  checkNames(options, 'check()')
  return binding.check(checkPath(location), checkKey(options?.key))
}

module.exports = { check }
