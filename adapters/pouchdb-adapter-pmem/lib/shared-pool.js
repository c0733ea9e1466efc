'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { PmemLevel } = require('pmem-level')
const { openOnLevel } = require('pouchdb-adapter-document-store')
const { newMapName, poolOf, removeMarker, writeMarker } = require('./marker')
const { isOwnPool, openOwnPool } = require('./own-pool')

// More than a pool has by itself: it is for all databases of a folder.
const MAX_SIZE = '1 TiB'

/** The shared pool is another process's at the moment, or another user's. */
const OTHERS = ['LEVEL_LOCKED', 'LEVEL_PMEM_PERMISSION']

/**
 * Makes a database in the pool of its folder, or, where another process has that, in one of its own.
 * The map comes first, and the marker that names it follows: a crash between leaves an empty map.
 *
 * @param {string} folder
 * @param {Record<string, any>} options
 * @returns {Promise<import('pouchdb-adapter-document-store').Opened | null>} null where another
 *   process or thread was faster
 */
async function createShared (folder, options) {
  const made = fs.mkdirSync(path.dirname(folder), { recursive: true })
  const map = newMapName(folder)
  const level = levelOf(folder, map)
  try {
    await level.open()
  } catch (error) {
    if (OTHERS.includes(error.cause?.code)) return openOwnPool(folder, options)
    throw error
  }
  try {
    if (await writeMarker(folder, map, made) !== map) return await discard(level)
  } catch (error) {
    await discard(level)
    throw error
  }
  if (!isOwnPool(folder)) return openOnLevel(level, /** @type {any} */ (options), () => remove(folder, map))
  removeMarker(folder)
  return discard(level)
}

/** @param {any} level */
async function discard (level) {
  await level.close()
  await drop(level.location, level.map)
  return null
}

/**
 * @param {string} folder
 * @param {string} map
 * @param {Record<string, any>} options
 */
async function openShared (folder, map, options) {
  assertPool(folder)
  assertNoKey(folder, options)
  const level = levelOf(folder, map)
  return openOnLevel(level, /** @type {any} */ (options), () => remove(folder, map))
}

/** @param {string} folder @param {string} map */
function levelOf (folder, map) {
  return new PmemLevel(poolOf(folder), { map, maxSize: MAX_SIZE, writer: true })
}

/**
 * The marker goes after the data: a crash between leaves an empty database.
 *
 * @param {string} folder
 * @param {string} map
 */
function remove (folder, map) {
  return drop(poolOf(folder), map, () => removeMarker(folder))
}

/**
 * And the pool, if no other database has a part of it.
 *
 * @param {string} pool
 * @param {string} map
 */
async function drop (pool, map, afterwards = () => {}) {
  await PmemLevel.destroy(pool, { map })
  afterwards()
  try {
    await PmemLevel.destroy(pool, { ifEmpty: true })
  } catch (error) {
    // Other databases are open in it.
    if (error.code !== 'LEVEL_LOCKED') throw error
  }
}

/**
 * A database that is encrypted has a pool of its own.
 *
 * @param {string} folder
 * @param {Record<string, any>} options
 */
function assertNoKey (folder, { key }) {
  if (key === undefined) return
  throw Object.assign(new Error(`${folder}: the data of this database are in ${poolOf(folder)}, which is not encrypted, and a key is given`), { code: 'LEVEL_PMEM_NOT_ENCRYPTED' })
}

/** @param {string} folder */
function assertPool (folder) {
  const pool = poolOf(folder)
  if (fs.existsSync(path.join(pool, 'pool.set'))) return
  throw Object.assign(new Error(`${folder}: the data of this database are in ${pool}, which is missing`), { code: 'LEVEL_PMEM_NOT_FOUND' })
}

module.exports = { createShared, openShared }
