'use strict'

/** Bytes of an id or a database's name. Levels limit their keys: pmem-level to 32 KiB. */
const MAX_ID = 16384

/** UTF-16 units that cannot exceed it. */
const SURELY_SHORT = MAX_ID / 3

/**
 * Whether a string has no lone surrogates, so that it is the same after UTF-8. Two ids that
 * differ only in those would otherwise meet under one key.
 *
 * @param {string} text
 * @returns {boolean}
 */
function isWellFormed (text) {
  return /** @type {any} */ (text).isWellFormed() // not in TypeScript's library for ES2023
}

/** @param {string} id */
function isTooLong (id) {
  return id.length > SURELY_SHORT && Buffer.byteLength(id) > MAX_ID
}

/**
 * Whether anything can be stored under an id.
 *
 * @param {unknown} id
 */
function isStorable (id) {
  return typeof id === 'string' && isWellFormed(id) && !isTooLong(id)
}

module.exports = { isWellFormed, isTooLong, isStorable }
