'use strict'

/**
 * Strings by UTF-16 code unit, as JavaScript's `<` and pouchdb-collate compare them, in text whose
 * UTF-8 is in the same order and which holds no \0 but its last:
 *
 *   \0                       → \1 \1
 *   \1                       → \1 \2
 *   U+D800 to U+FFFF, each   → U+E000, and the code unit less 0xD700
 *
 * In UTF-8 surrogate pairs come after U+FFFF, so that surrogates and what is above them need one
 * lead of their own. Surrogates that stand alone are kept.
 */
const SPECIAL = /[\0\x01\ud800-\uffff]/ // eslint-disable-line no-control-regex
const SPECIALS = /[\0\x01\ud800-\uffff]/g // eslint-disable-line no-control-regex
const ESCAPED = /\x01[\x01\x02]|\ue000[^]/g // eslint-disable-line no-control-regex
const LEAD = '\ue000'
const SHIFT = 0xd700

/** @param {string} text */
function encode (text) { return (SPECIAL.test(text) ? text.replace(SPECIALS, escapeUnit) : text) + '\0' }

/** @param {string} unit */
function escapeUnit (unit) {
  if (unit === '\0') return '\x01\x01'
  if (unit === '\x01') return '\x01\x02'
  return LEAD + String.fromCharCode(unit.charCodeAt(0) - SHIFT)
}

/** @param {string} text without the last \0 */
function decode (text) { return text.includes('\x01') || text.includes(LEAD) ? text.replace(ESCAPED, unescapeUnit) : text }

/** @param {string} pair */
function unescapeUnit (pair) {
  if (pair === '\x01\x01') return '\0'
  if (pair === '\x01\x02') return '\x01'
  return String.fromCharCode(pair.charCodeAt(1) + SHIFT)
}

module.exports = { encode, decode }
