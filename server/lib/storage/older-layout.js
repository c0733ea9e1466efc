'use strict'

const { formerLayouts, LAYOUT_VERSION } = require('@potoroo/document-store')
const { several } = require('../import/words')
const { storagesIn } = require('./data-folder')
const { openStorage } = require('./open-storage')

/** Keys of databases begin with it. */
const PREFIX = 'databases/'

/** Databases that are named. */
const NAMED = 5

/**
 * Tells of a pool in another layout than this version writes, before it is opened to write, which brings it up. Changes nothing.
 *
 * @param {string} folder a data folder
 * @param {{ keyFile?: string }} [options]
 * @returns {Promise<string | null>} null where there is none, or it cannot be read for another reason
 */
function olderPool (folder, options = {}) { return lookAtPool(folder, options, async () => null) }

/**
 * Tells of the same, or of databases in a pool that opening brings to another layout. Changes nothing.
 *
 * @param {string} folder a data folder
 * @returns {Promise<string | null>}
 */
function olderLayout (folder) { return lookAtPool(folder, {}, ({ level }) => olderDatabases(level)) }

/** @param {string} folder @param {{ keyFile?: string }} options @param {(storage: import('./open-storage').OpenStorage) => Promise<string | null>} look */
async function lookAtPool (folder, options, look) {
  if (!storagesIn(folder).includes('pmem')) return null
  try {
    const storage = await openStorage({ ...options, storage: 'pmem', folder, readOnly: true, allowVolatile: true })
    return await look(storage).finally(() => storage.close())
  } catch (error) {
    const { code, message } = error.cause ?? error
    return code === 'LEVEL_PMEM_OLDER_LAYOUT' ? message : null
  }
}

/**
 * @param {any} level open
 * @returns {Promise<string | null>} null where all databases have the present layout
 */
async function olderDatabases (level) {
  const found = await formerLayouts(level, { prefix: PREFIX })
  if (found.length === 0) return null
  const names = found.slice(0, NAMED).map(({ name, version }) => `${name} has ${version}`).join(', ')
  return `${several(found.length, 'database')} with a layout version before ${LAYOUT_VERSION}: ${names}${found.length > NAMED ? ' and so on' : ''}`
}

module.exports = { olderDatabases, olderLayout, olderPool }
