'use strict'

const { checkOptions } = require('@potoroo/errors/known-options')

// Checks of the options that a pool is opened with.

const CREATING = ['size', 'maxSize', 'key', 'durability', 'collect', 'strict', 'cacheSize', 'decryptedMemory', 'coordinator']
const MAKING = [...CREATING, 'onProgress', 'signal']
const WRITING = ['snapshot', 'map', 'as', 'onProgress', 'signal']

/** Names of options, by the function that takes them. */
const OPTIONS = {
  'Pool.open()': [...CREATING, 'createIfMissing', 'errorIfExists', 'readOnly'],
  'Pool.create()': [...CREATING, 'createIfMissing', 'errorIfExists'],
  'Pool.destroy()': ['ifEmpty', 'key'],
  'Pool.restore()': MAKING,
  'Pool.load()': [...MAKING, 'map'],
  'pool.transaction()': ['readOnly', 'snapshot'],
  'pool.register()': ['name'],
  'pool.watch()': ['deep', 'signal'],
  'pool.backup()': WRITING,
  'pool.dump()': [...WRITING, 'format', 'mapSize'],
  'pool.compact()': [],
  'pool.hold()': ['alone', 'writer'],
  'check()': ['key'],
  'salvage()': ['size', 'maxSize', 'key']
}

/**
 * Refuses an option that a function does not have.
 *
 * @param {unknown} options
 * @param {keyof typeof OPTIONS} of
 * @throws TypeError
 */
function checkNames (options, of) { checkOptions(options, OPTIONS[of], of) }

/** @param {unknown} location @returns {string} */
function checkPath (location) {
  if (typeof location === 'string' && location !== '' && !location.includes('\0')) return location
  throw new TypeError('The path must be a string with at least one character, and no NUL')
}

/** @param {number | undefined} size */
function checkCacheSize (size) {
  if (size === undefined || (Number.isSafeInteger(size) && size > 0)) return size
  throw new TypeError('The cacheSize must be a whole number of objects, at least 1')
}

/** @param {string | undefined} durability @returns {import('../..').Durability | undefined} */
function checkDurability (durability) {
  if (durability === undefined || durability === 'strict' || durability === 'relaxed') return /** @type {import('../..').Durability | undefined} */ (durability)
  throw new TypeError(`The durability must be 'strict' or 'relaxed', not ${String(durability)}`)
}

const KEY_SIZE = 32

/**
 * @template {Uint8Array | undefined} Key
 * @param {Key} key
 * @returns {Key}
 */
function checkKey (key) {
  if (key === undefined || (key instanceof Uint8Array && key.length === KEY_SIZE)) return key
  throw new TypeError('The key must be a Uint8Array of 32 bytes')
}

/**
 * Checks that a pool that is read only is neither made, nor anybody's alone.
 *
 * @param {import('../..').OpenOptions & { exclusive?: boolean }} options
 */
function checkReadOnly ({ readOnly = false, createIfMissing = false, errorIfExists = false, exclusive = false }) {
  if (typeof readOnly !== 'boolean') throw new TypeError('readOnly must be true or false')
  if (!readOnly) return false
  if (createIfMissing || errorIfExists || exclusive) throw new TypeError('A pool that is to be read only cannot be made')
  return true
}

module.exports = { KEY_SIZE, checkCacheSize, checkReadOnly, checkKey, checkDurability, checkNames, checkPath }
