'use strict'

const fs = require('node:fs')
const path = require('node:path')
const binding = require('../binding/binding')
const { draftOf, publish, refuseExisting, removeDraft, removeRemains } = require('./new-pool')
const { DEFAULT_MAX_SIZE } = require('./open-handle')
const { Pool } = require('./pool')
const { checkKey, checkNames, checkPath } = require('./pool-options')
const { bytesOf } = require('./size')

/**
 * @param {string} location of a pool that nobody has open
 * @param {string} to where the new one goes
 * @param {import('../..').CreateOptions} [options]
 * @returns {Promise<import('../..').SalvageReport>}
 */
async function salvage (location, to, options) {
  checkNames(options, 'salvage()')
  const { size = 0, maxSize = greatestOf(checkPath(location)), key } = options ?? {}
  const final = path.resolve(checkPath(to))
  const draft = draftOf(final)
  refuseExisting(final)
  removeRemains(Pool, final)
  try {
    const report = await binding.salvage(location, draft, bytesOf(size, 'size'), bytesOf(maxSize, 'maxSize'), checkKey(key))
    publish(draft, final)
    return report
  } catch (error) {
    removeDraft(Pool, draft)
    throw error
  }
}

/**
 * As much as a new pool may have by default, or twice what there is.
 *
 * @param {string} location
 */
function greatestOf (location) {
  const info = fs.statSync(location, { throwIfNoEntry: false })
  const sizes = info?.isDirectory() ? fs.readdirSync(location).map(name => fs.statSync(path.join(location, name)).size) : [info?.size ?? 0]
  return Math.min(2 ** 42, Math.max(DEFAULT_MAX_SIZE, 2 * sizes.reduce((sum, size) => sum + size, 0)))
}

module.exports = { salvage }
