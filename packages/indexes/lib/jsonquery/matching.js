'use strict'

const { compileOperator } = require('../mango/selector/operators')
const { couchCollation } = require('@potoroo/collation')

/** How much longer than a search for a text it takes to try a part with `?` at a place, for each of its characters. */
const SLOWER = 8

/** @typedef {{ matches: (value: any) => boolean, cost: number }} Matcher cost: for each character of a text */

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
  const cost = Math.max(1, ...parts.map(part => part.includes('?') ? part.length * SLOWER : 1))
  const prefix = prefixOf(folded)
  const begins = prefix === folded ? () => true : compileOperator('$beginsWith', prefix, couchCollation.compare)
  const matches = (/** @type {any} */ value) => {
    if (typeof value !== 'string') return false
    const text = folds ? value.toLowerCase() : value
    return begins(text) && hasParts(text, parts)
  }
  return { matches, cost }
}

/** @param {string} text @param {string[]} parts what is between the `*` */
function hasParts (text, parts) {
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
