'use strict'

const SURROGATES = 0xd800
const ABOVE_SURROGATES = 0xe000

/**
 * Compares strings by the bytes of their UTF-8, as levels order keys. JavaScript's `<` compares
 * UTF-16 code units, which differs where a surrogate pair meets U+E000 to U+FFFF.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number} negative, 0 or positive
 */
function compareUtf8 (a, b) {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** @param {number} unit */
function rank (unit) {
  if (unit < SURROGATES) return unit
  return unit >= ABOVE_SURROGATES ? unit - 0x800 : unit + 0x2000
}

module.exports = { compareUtf8 }
