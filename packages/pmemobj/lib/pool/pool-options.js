'use strict'

// What may be said of a pool that is opened.

function checkPath (location) {
  if (typeof location === 'string' && location !== '' && !location.includes('\0')) return location
  throw new TypeError('The path must be a string with at least one character, and no NUL')
}

function checkCacheSize (size) {
  if (size === undefined || (Number.isSafeInteger(size) && size > 0)) return size
  throw new TypeError('The cacheSize must be a whole number of objects, at least 1')
}

function checkDurability (durability) {
  if (durability === undefined || durability === 'strict' || durability === 'relaxed') return durability
  throw new TypeError(`The durability must be 'strict' or 'relaxed', not ${String(durability)}`)
}

const KEY_SIZE = 32

function checkKey (key) {
  if (key === undefined || (key instanceof Uint8Array && key.length === KEY_SIZE)) return key
  throw new TypeError('The key must be a Uint8Array of 32 bytes')
}

/** A pool that is read only is neither made, nor anybody's alone. */
function checkReadOnly ({ readOnly = false, createIfMissing = false, errorIfExists = false, exclusive = false }) {
  if (typeof readOnly !== 'boolean') throw new TypeError('readOnly must be true or false')
  if (!readOnly) return false
  if (createIfMissing || errorIfExists || exclusive) throw new TypeError('A pool that is to be read only cannot be made')
  return true
}

module.exports = { KEY_SIZE, checkCacheSize, checkReadOnly, checkKey, checkDurability, checkPath }
