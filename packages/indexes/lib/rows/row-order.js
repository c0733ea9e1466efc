'use strict'

/**
 * The order of keys in a level, which is that of their UTF-8. Encoded keys alone would compare as
 * strings; the ids behind them may hold surrogates.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number} negative, 0 or positive
 */
function compareRows (a, b) {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const unit = a.charCodeAt(i)
    const other = b.charCodeAt(i)
    if (unit !== other) return rankOf(unit) - rankOf(other)
  }
  return a.length - b.length
}

/** What surrogates stand for comes after U+FFFF. */
function rankOf (unit) {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

module.exports = { compareRows }
