'use strict'

const { makePool } = require('../pool/new-pool')
const { decrypted } = require('./decrypt')
const { BackupReader } = require('./read')

/**
 * @param {typeof import('../pool/pool').Pool} Pool
 * @param {string} location
 * @param {unknown} source stream
 * @param {import('../..').RestoreOptions} options
 * @returns {Promise<import('../..').BackupSummary>}
 */
function restore (Pool, location, source, options) {
  return makePool(Pool, location, source, options, async (reader, filler) => {
    return new BackupReader(await decrypted(reader, options.key), filler).run()
  })
}

module.exports = { restore }
