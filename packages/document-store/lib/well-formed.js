'use strict'

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

module.exports = { isWellFormed }
