'use strict'

/**
 * Strings by code point, which is the order of their UTF-8's bytes, in text which is ordered by code
 * unit too and holds no surrogates, and no \0 but its last:
 *
 *   \0                   → \1 \1
 *   \1                   → \1 \2
 *   U+FFFF               → U+FFFF \1
 *   U+10000 and above    → U+FFFF, and each of the two surrogates less its first one's code, plus 2
 *
 * A surrogate that stands alone counts as U+FFFD, and is lost.
 */
const SPECIAL = /[\0\x01\ud800-\udfff\uffff]/ // eslint-disable-line no-control-regex
const SPECIALS = /[\0\x01\uffff]|[\ud800-\udbff][\udc00-\udfff]/g // eslint-disable-line no-control-regex
const ESCAPED = /\x01[^]|\uffff(?:\x01|[^][^])/g // eslint-disable-line no-control-regex
const LAST = '\uffff'
const HIGH = 0xd800 - 2
const LOW = 0xdc00 - 2

/** @param {string} text */
function encode (text) { return (SPECIAL.test(text) ? text.toWellFormed().replace(SPECIALS, escapeOne) : text) + '\0' }

/** @param {string} found */
function escapeOne (found) {
  if (found === '\0') return '\x01\x01'
  if (found === '\x01') return '\x01\x02'
  if (found === LAST) return LAST + '\x01'
  return LAST + String.fromCharCode(found.charCodeAt(0) - HIGH, found.charCodeAt(1) - LOW)
}

/** @param {string} text without the last \0 */
function decode (text) { return text.includes('\x01') || text.includes(LAST) ? text.replace(ESCAPED, unescapeOne) : text }

/** @param {string} found */
function unescapeOne (found) {
  if (found === '\x01\x01') return '\0'
  if (found === '\x01\x02') return '\x01'
  if (found.length === 2) return LAST
  return String.fromCharCode(found.charCodeAt(1) + HIGH, found.charCodeAt(2) + LOW)
}

module.exports = { encode, decode }
