'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fileSystemOf } = require('./file-system')
const { durabilityOf } = require('./durability')
const { writeFault } = require('./write-fault')
const { isPostgres, openPostgres } = require('./postgres')

// More than a pool has by itself: a process has many pools, but one storage.
const DEFAULT_MAX_SIZE = 2 ** 40

const STORAGES = ['auto', 'pmem', 'classic-level', 'memory']

/**
 * Opens the storage under a path: the level is in a folder there that is named after it, so
 * that no storage ever meets the files of another.
 *
 * @param {import('..').StorageOptions} [options]
 * @returns {Promise<import('..').Storage>} errors have a code: `STORAGE_UNKNOWN` (no such storage,
 *   or no path), `STORAGE_UNAVAILABLE` (the addon does not load), `STORAGE_VOLATILE` (a file
 *   system that forgets, without `allowVolatile`), `STORAGE_NOT_ENCRYPTED` (a key, and no pool); or are those of the level's `open()`
 */
async function open (options = {}) {
  const { storage: wanted = 'auto', path: folder } = options
  if (isPostgres(wanted)) return openServed(wanted, options)
  if (!STORAGES.includes(wanted)) throw failure('STORAGE_UNKNOWN', `No such storage: ${wanted}. There are ${STORAGES.join(', ')}, and URLs that begin with postgres://.`)
  if (wanted === 'memory') {
    if (options.key !== undefined) throw notEncrypted(wanted)
    return openMemory()
  }
  if (typeof folder !== 'string' || folder === '') throw failure('STORAGE_UNKNOWN', `The storage ${wanted} needs a path`)
  const { storage, reason } = choose(wanted, folder)
  if (options.key !== undefined && storage !== 'pmem') throw notEncrypted(storage, reason)
  const location = path.resolve(folder, storage)
  const fileSystem = refuseVolatile(location, options.allowVolatile === true)
  const level = storage === 'pmem' ? createPmem(location, options) : createClassic(location)
  await level.open()
  return describable(level, storage, location, fileSystem, reason, options.durability)
}

/** @param {string} url @param {import('..').StorageOptions} options */
async function openServed (url, options) {
  if (options.key !== undefined) throw notEncrypted('postgres')
  return openPostgres(url, options.postgres)
}

async function openMemory () {
  const { MemoryLevel } = require('memory-level')
  const level = new MemoryLevel()
  await level.open()
  return describable(level, 'memory', null, null, undefined)
}

/**
 * Takes the storage that is there already. A new storage is a pool where the addon loads.
 *
 * @param {NonNullable<import('..').StorageOptions['storage']>} wanted
 * @param {string} folder
 * @returns {{ storage: 'pmem' | 'classic-level', reason?: string }}
 */
function choose (wanted, folder) {
  const { loaded, error } = loadPmem()
  const unavailable = `persistent memory is not available: ${error?.message.split('\n')[0]}`
  const isPmem = wanted === 'pmem' || (wanted === 'auto' && fs.existsSync(path.join(folder, 'pmem')))
  if (isPmem) {
    if (loaded) return { storage: 'pmem' }
    throw failure('STORAGE_UNAVAILABLE', `A pool in ${folder} cannot be opened: ${unavailable}`, error)
  }
  if (wanted === 'classic-level') return { storage: 'classic-level' }
  if (fs.existsSync(path.join(folder, 'classic-level'))) {
    return { storage: 'classic-level', reason: 'the storage in the folder is of this kind already' }
  }
  return loaded ? { storage: 'pmem' } : { storage: 'classic-level', reason: unavailable }
}

function loadPmem () {
  try {
    require('pmem-level')
    return { loaded: true }
  } catch (error) {
    return { loaded: false, error }
  }
}

/** @param {string} location @param {boolean} allowVolatile @returns {import('./file-system').FileSystem} */
function refuseVolatile (location, allowVolatile) {
  const fileSystem = fileSystemOf(location)
  if (!fileSystem.volatile || allowVolatile) return fileSystem
  throw failure('STORAGE_VOLATILE', `${location} is on ${fileSystem.type}, which forgets everything with a restart of the machine. ` +
    'Choose another folder, or allow it with allowVolatile.')
}

/**
 * @param {string} location
 * @param {import('..').StorageOptions} options
 */
function createPmem (location, { size, maxSize = DEFAULT_MAX_SIZE, durability, key, readOnly, writer }) {
  const { PmemLevel } = require('pmem-level')
  return new PmemLevel(location, { size, maxSize, durability, key, readOnly, writer })
}

/** @param {string} location */
function createClassic (location) {
  const { DurableClassicLevel } = require('./durable-classic-level')
  return new (/** @type {any} */ (DurableClassicLevel))(location)
}

/**
 * @param {any} level
 * @param {import('..').Storage['storage']} storage
 * @param {string | null} location
 * @param {import('./file-system').FileSystem | null} fileSystem
 * @param {string} [reason]
 * @param {'strict' | 'relaxed'} [durability]
 * @returns {import('..').Storage}
 */
function describable (level, storage, location, fileSystem, reason, durability) {
  return {
    level,
    storage,
    path: location,
    writeFault: () => writeFault(level, location),
    describe () {
      const stats = storage === 'pmem' ? level.stats() : undefined
      /** @type {any} */
      const description = { storage, path: location, fileSystem: fileSystem?.type ?? null, ...durabilityOf(storage, fileSystem, stats?.isPmem ?? false, durability) }
      if (reason !== undefined) description.reason = reason
      if (stats !== undefined) description.pool = { size: stats.size, maxSize: stats.maxSize, used: stats.used, free: stats.free, largest: stats.largest }
      return description
    }
  }
}

/**
 * Returns the error for a key that the storage has no use for: it would store in the clear.
 *
 * @param {string} storage
 * @param {string} [reason]
 */
function notEncrypted (storage, reason) {
  return failure('STORAGE_NOT_ENCRYPTED', `The storage ${storage} cannot be encrypted: a key needs a pool, the storage pmem${reason === undefined ? '' : ` (it is ${storage} because ${reason})`}`)
}

/** @param {string} code @param {string} message @param {unknown} [cause] */
function failure (code, message, cause) {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code })
}

/** Returns why pools do not open on this machine, in a line; null if they do. */
function poolFault () { return loadPmem().error?.message.split('\n')[0] ?? null }

module.exports = { DEFAULT_MAX_SIZE, open, poolFault }
