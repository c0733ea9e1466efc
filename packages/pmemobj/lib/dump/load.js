'use strict'

const { makePool } = require('../pool/new-pool')
const { DumpReader } = require('./read')

/**
 * @param {typeof import('../pool/pool').Pool} Pool
 * @param {string} location
 * @param {unknown} source stream
 * @param {import('../..').LoadOptions} options
 * @returns {Promise<import('../..').LoadSummary>}
 */
function load (Pool, location, source, { map = 'main', ...options }) {
  if (typeof map !== 'string') throw new TypeError('The map must be a string')
  return makePool(Pool, location, source, options, (reader, filler) => new DumpReader(reader, filler, map).run())
}

module.exports = { load }
