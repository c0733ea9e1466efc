'use strict'

const { createHash } = require('node:crypto')

// An index of PostgreSQL takes keys of some 2,700 bytes. The column `key` has those up to SHORT bytes as they
// are. It has the first SHORT bytes of a longer one and the SHA-256 of the whole; `tail` has what follows the
// first SHORT. So all keys are in order, except for long ones with the same beginning: see pages.js.

const SHORT = 2000
const HASH = 32
const END = Buffer.alloc(HASH + 1, 0xff)
const ZERO = Buffer.alloc(1)

/** Above all stored keys. */
const LAST = Buffer.alloc(SHORT + HASH + 1, 0xff)

/** @param {Buffer} key @returns {{ stored: Buffer, tail: Buffer | null }} */
function storedKey (key) {
  if (key.length <= SHORT) return { stored: key, tail: null }
  return { stored: Buffer.concat([key.subarray(0, SHORT), createHash('sha256').update(key).digest()]), tail: key.subarray(SHORT) }
}

/** @param {Buffer} stored @param {Buffer | null} tail @returns {Buffer} */
function wholeKey (stored, tail) {
  return tail === null ? stored : Buffer.concat([stored.subarray(0, SHORT), tail])
}

/** The least stored key that a key from `bound` on may have. @param {Buffer} bound */
function storedFrom (bound) {
  return bound.length <= SHORT ? bound : Buffer.concat([bound.subarray(0, SHORT), ZERO])
}

/** A key above all stored ones of keys below `bound`. @param {Buffer} bound */
function storedTo (bound) {
  return bound.length <= SHORT ? bound : endOfGroup(bound)
}

/** A key above all long ones that begin as this one. @param {Buffer} key */
function endOfGroup (key) { return Buffer.concat([key.subarray(0, SHORT), END]) }

/** A key above all that follow the beginning in a group. @param {Buffer} key */
function beginOfGroup (key) { return Buffer.concat([key.subarray(0, SHORT), ZERO]) }

/** The next key in the order of bytes. @param {Buffer} key */
function successor (key) { return Buffer.concat([key, ZERO]) }

/** @param {Buffer} key */
function isLong (key) { return key.length > SHORT }

module.exports = { LAST, beginOfGroup, endOfGroup, isLong, storedFrom, storedKey, storedTo, successor, wholeKey }
