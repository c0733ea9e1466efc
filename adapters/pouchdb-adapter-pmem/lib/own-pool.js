'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { PmemLevel } = require('pmem-level')
const { openOnLevel } = require('pouchdb-adapter-document-store')
const { POOL, isOurs, readMarker } = require('./marker')

/**
 * Whether the database is to be a pool of its own, or is one: that is asked for, or it is encrypted, or there is
 * something at its place already, be it an empty folder. A folder of other databases, and what a
 * crash left of a marker, count for nothing.
 *
 * @param {string} folder
 * @param {Record<string, any>} options
 */
function wantsOwnPool (folder, { shared, size, maxSize, key }) {
  if (shared === false || key !== undefined || size !== undefined || maxSize !== undefined || path.basename(folder) === '') return true
  const info = fs.statSync(folder, { throwIfNoEntry: false })
  if (info === undefined) return false
  return !info.isDirectory() || isOwnPool(folder) || !fs.readdirSync(folder).some(entry => entry === POOL || isOurs(entry))
}

/** @param {string} folder */
function isOwnPool (folder) { return fs.existsSync(path.join(folder, 'pool.set')) }

/**
 * @param {string} folder of the pool, or a file
 * @param {Record<string, any>} options
 * @returns {Promise<import('pouchdb-adapter-document-store').Opened | null>} null where another
 *   process or thread has made it a database of the shared pool meanwhile
 */
async function openOwnPool (folder, options) {
  const { size, maxSize, key } = options
  const isNew = !isOwnPool(folder)
  const level = new PmemLevel(folder, { size, maxSize, key, writer: true })
  const remove = () => PmemLevel.destroy(folder)
  await level.open()
  // A process that makes a marker looks for our pool after that, as we look for the marker after this.
  if (isNew && readMarker(folder) !== undefined) {
    await level.close()
    await remove()
    return null
  }
  return openOnLevel(level, /** @type {any} */ (options), remove)
}

module.exports = { isOwnPool, openOwnPool, wantsOwnPool }
