'use strict'

const binding = require('./binding')
const { checkPath } = require('./pool-options')

/**
 * @param {string} location of a pool that nobody has open
 * @returns {Promise<import('..').CheckReport>}
 */
async function check (location) {
  return binding.check(checkPath(location))
}

module.exports = { check }
