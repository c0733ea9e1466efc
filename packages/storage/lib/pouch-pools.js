'use strict'

const fs = require('node:fs')
const path = require('node:path')

// As pouchdb-adapter-pmem has them.
const POOL = 'pouchdb-shared-pool'
const MARKER = 'pouchdb-shared-pool.json'

/**
 * @typedef {{ name: string, folder: string, open: () => Promise<import('pmem-level').PmemLevel> }} Found
 * @typedef {{ map?: string, createIfMissing?: boolean, key?: Uint8Array, readOnly?: boolean }} PoolOptions
 */

/**
 * The databases of pouchdb-adapter-pmem at a place: a database's folder, or those below a folder, in
 * pools of their own or in a shared one.
 *
 * @param {string} place
 * @param {{ key?: Uint8Array }} [options] the key of pools that are encrypted
 * @returns {Found[]} sorted by name; `open`
 *   gives the level, open
 */
function findPouchPools (place, { key } = {}) {
  if (!fs.statSync(place, { throwIfNoEntry: false })?.isDirectory()) return []
  const folder = path.resolve(place)
  const one = databaseIn(folder, path.basename(folder), key)
  return one === null ? below(folder, '', key) : [one]
}

/** @param {string} root @param {string} under @param {Uint8Array} [key] @returns {Found[]} */
function below (root, under, key) {
  return fs.readdirSync(path.join(root, under), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && entry.name !== POOL)
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap(entry => {
      const name = path.posix.join(under, entry.name)
      const one = databaseIn(path.join(root, name), name, key)
      return [...one === null ? [] : [one], ...below(root, name, key)]
    })
}

/** @param {string} folder @param {string} name @param {Uint8Array} [key] @returns {Found | null} */
function databaseIn (folder, name, key) {
  /** @param {string} file */
  const has = (file) => fs.existsSync(path.join(folder, file))
  if (has(MARKER)) {
    const { map } = JSON.parse(fs.readFileSync(path.join(folder, MARKER), 'utf8'))
    return { name, folder, open: () => openPool(path.join(path.dirname(folder), POOL), map, folder) }
  }
  return has('pool.set') ? { name, folder, open: () => openPool(folder, undefined, folder, key) } : null
}

/**
 * Any pool has a `pool.set`: what is inside says whose it is. It is read only, so that another's stays as it is.
 *
 * @param {string} location
 * @param {string | undefined} map
 * @param {string} folder
 * @param {Uint8Array} [key]
 */
async function openPool (location, map, folder, key) {
  const options = { map, createIfMissing: false, key }
  if (!await holdsDatabase(location, options)) throw new Error(`${folder} holds no database of PouchDB`)
  return openLevel(location, options)
}

/** @param {string} location @param {PoolOptions} options */
async function holdsDatabase (location, options) {
  let level
  try {
    level = await openLevel(location, { ...options, readOnly: true })
  } catch (error) {
    // Not a level's pool: it has no such map.
    if (error.code === 'LEVEL_PMEM_NOT_FOUND') return false
    throw error
  }
  try {
    return isDatabase(await level.get('mdatabase'))
  } finally {
    await level.close()
  }
}

/** @param {string | undefined} text what a document store says of itself; a server's keys begin with its databases' */
function isDatabase (text) {
  try {
    const { version, instanceId } = JSON.parse(text ?? '{}') ?? {}
    return Number.isSafeInteger(version) && typeof instanceId === 'string'
  } catch {
    return false
  }
}

/**
 * A shared pool is never encrypted, nor need all others be for which there is a key.
 *
 * @param {string} location
 * @param {PoolOptions} options
 * @returns {Promise<import('pmem-level').PmemLevel>} open
 */
async function openLevel (location, { key, ...options }) {
  const { PmemLevel } = require('pmem-level')
  const level = new PmemLevel(location, { ...options, key })
  try {
    await level.open()
    return level
  } catch (error) {
    if (error.cause?.code === 'LEVEL_PMEM_NOT_ENCRYPTED') return openLevel(location, options)
    // That it failed to open says nothing.
    throw error.cause ?? error
  }
}

module.exports = { findPouchPools }
