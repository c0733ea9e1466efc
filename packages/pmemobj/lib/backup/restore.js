'use strict'

const { makePool } = require('../new-pool')
const { BackupReader } = require('./read')

/**
 * @param {typeof import('../pool').Pool} Pool
 * @param {string} location
 * @param {unknown} source stream
 * @param {import('../..').RestoreOptions} options
 */
function restore (Pool, location, source, options) {
  return makePool(Pool, location, source, options, (reader, filler) => new BackupReader(reader, filler).run())
}

module.exports = { restore }
