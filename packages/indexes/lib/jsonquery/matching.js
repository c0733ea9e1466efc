'use strict'

const { compileOperator } = require('../mango/selector/operators')
const { couchCollation } = require('@potoroo/collation')
const { tooMuch } = require('./query-error')

/** Characters of a text, times those of the longest part of a pattern. */
const MOST = 10_000_000

/** @typedef {(value: any) => boolean} Matcher */

/** The part of a pattern before its first wildcard. @param {string} pattern */
function prefixOf (pattern) { return /** @type {RegExpExecArray} */ (/^[^*?]*/.exec(pattern))[0] }

/**
 * A pattern: `*` stands for any characters, `?` for one. A letter does not match without its accents, though they stand
 * behind it, as in `$beginsWith`.
 *
 * @param {string} pattern
 * @param {boolean} folds upper and lower case are the same
 * @returns {Matcher}
 */
function compilePattern (pattern, folds) {
  const folded = folds ? pattern.toLowerCase() : pattern
  const parts = folded.split('*')
  const longest = Math.max(...parts.map(({ length }) => length), 1)
  const prefix = prefixOf(folded)
  const begins = prefix === folded ? () => true : compileOperator('$beginsWith', prefix, couchCollation.compare)
  return value => {
    if (typeof value !== 'string') return false
    const text = folds ? value.toLowerCase() : value
    if (text.length * longest > MOST && parts.some(part => part.includes('?'))) throw tooMuch('A text is too long for the pattern')
    return begins(text) && matches(text, parts)
  }
}

/** @param {string} text @param {string[]} parts what is between the `*` */
function matches (text, parts) {
  const [first] = parts
  if (!isAt(text, 0, first)) return false
  if (parts.length === 1) return text.length === first.length
  const last = parts[parts.length - 1]
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    at = find(text, at, part)
    if (at === -1) return false
    at += part.length
  }
  return text.length - last.length >= at && isAt(text, text.length - last.length, last)
}

/** @param {string} text @param {number} at @param {string} part */
function find (text, at, part) {
  if (!part.includes('?')) return text.indexOf(part, at)
  for (; at + part.length <= text.length; at++) if (isAt(text, at, part)) return at
  return -1
}

/** @param {string} text @param {number} at @param {string} part */
function isAt (text, at, part) {
  if (at + part.length > text.length) return false
  for (let i = 0; i < part.length; i++) if (part[i] !== '?' && part[i] !== text[at + i]) return false
  return true
}

module.exports = { compilePattern, prefixOf }
