'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fileSystemOf } = require('./file-system')
const { durabilityOf } = require('./durability')

// More than a pool has by itself: a process has many pools, but one storage.
const DEFAULT_MAX_SIZE = 2 ** 40

const ORDINARY = 'on an ordinary file system few writers wait less for it; the storage pmem, or relaxed durability, takes a pool'

const STORAGES = ['auto', 'pmem', 'classic-level', 'memory']

/**
 * Opens the storage under a path: the level is in a folder there that is named after it, so
 * that no storage ever meets the files of another.
 *
 * @param {import('..').StorageOptions} [options]
 * @returns {Promise<import('..').Storage>} errors have a code: `STORAGE_UNKNOWN` (no such storage,
 *   or no path), `STORAGE_UNAVAILABLE` (the addon does not load), `STORAGE_VOLATILE` (a file
 *   system that forgets, without `allowVolatile`); or are those of the level's `open()`
 */
async function open (options = {}) {
  const { storage: wanted = 'auto', path: folder } = options
  if (!STORAGES.includes(wanted)) throw failure('STORAGE_UNKNOWN', `No such storage: ${wanted}. There are ${STORAGES.join(', ')}.`)
  if (wanted === 'memory') return openMemory()
  if (typeof folder !== 'string' || folder === '') throw failure('STORAGE_UNKNOWN', `The storage ${wanted} needs a path`)
  const { storage, reason } = choose(wanted, folder, options.durability)
  const location = path.resolve(folder, storage)
  const fileSystem = refuseVolatile(location, options.allowVolatile === true)
  const level = storage === 'pmem' ? createPmem(location, options) : createClassic(location)
  await level.open()
  return describable(level, storage, location, fileSystem, reason, options.durability)
}

async function openMemory () {
  const { MemoryLevel } = require('memory-level')
  const level = new MemoryLevel()
  await level.open()
  return describable(level, 'memory', null, null, undefined)
}

/**
 * What is there already is taken again. A new one is a pool where the addon loads and the pool is
 * not behind LevelDB: anywhere but on an ordinary file system, where each write waits for the disk.
 */
function choose (wanted, folder, durability) {
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
  if (!loaded) return { storage: 'classic-level', reason: unavailable }
  return durability !== 'relaxed' && isOrdinary(folder) ? { storage: 'classic-level', reason: ORDINARY } : { storage: 'pmem' }
}

/** Neither persistent memory, nor what stands in for it. */
function isOrdinary (folder) {
  const { volatile, dax } = fileSystemOf(folder)
  return !volatile && !dax && process.env.PMEM_IS_PMEM_FORCE !== '1'
}

function loadPmem () {
  try {
    require('pmem-level')
    return { loaded: true }
  } catch (error) {
    return { loaded: false, error }
  }
}

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
function createPmem (location, { size, maxSize = DEFAULT_MAX_SIZE, durability }) {
  const { PmemLevel } = require('pmem-level')
  return new PmemLevel(location, { size, maxSize, durability })
}

function createClassic (location) {
  const { DurableClassicLevel } = require('./durable-classic-level')
  return new (/** @type {any} */ (DurableClassicLevel))(location)
}

/** @returns {import('..').Storage} */
function describable (level, storage, location, fileSystem, reason, durability) {
  return {
    level,
    storage,
    path: location,
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

function failure (code, message, cause) {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code })
}

module.exports = { open }
