'use strict'

const { encodeCount } = require('./row-layout')

/**
 * How much of an encoded key stands in a level's key, in UTF-16 units: levels limit theirs, pmem-level
 * to 32 KiB. Of rows that are alike in so much the order is that of their documents.
 */
const LONGEST = 4000

/**
 * A row as it will be stored: `row` is its view and its key, encoded, and `value` its level's value.
 * @typedef {{ row: string, value: string }} Row
 */

/**
 * @param {import('@potoroo/collation').Collation} collation
 * @param {number} view
 * @param {any} key as it was emitted
 * @param {any} value
 * @returns {Row}
 */
function makeRow (collation, view, key, value) {
  const encoded = collation.encode(key)
  const text = value === null || value === undefined ? '' : JSON.stringify(value) ?? ''
  const place = encodeCount(view)
  if (encoded.length <= LONGEST) return { row: place + encoded, value: text }
  return { row: place + encoded.slice(0, LONGEST), value: `\n${JSON.stringify(collation.decode(encoded).value)}\n${text}` }
}

/** What a stored value says of the value that was emitted. */
function valueOf (text) {
  if (text === '') return null
  if (text[0] !== '\n') return JSON.parse(text)
  const rest = text.slice(text.indexOf('\n', 1) + 1)
  return rest === '' ? null : JSON.parse(rest)
}

/**
 * Reads a row from the level.
 *
 * @param {import('@potoroo/collation').Collation} collation
 * @param {string} key
 * @param {string} text
 * @param {number} start where the encoded key begins
 * @returns {{ id: string, key: any, value: any }}
 */
function readRow (collation, key, text, start) {
  const last = key.lastIndexOf('\0')
  if (text[0] === '\n') {
    return { id: key.slice(start + LONGEST, last), key: JSON.parse(text.slice(1, text.indexOf('\n', 1))), value: valueOf(text) }
  }
  const { value, end } = collation.decode(key, start)
  return { id: key.slice(end, last), key: value, value: text === '' ? null : JSON.parse(text) }
}

/**
 * The same without parsing: `key` and `value` are JSON.
 *
 * @param {import('@potoroo/collation').Collation} collation
 * @param {string} key
 * @param {string} text
 * @param {number} start
 * @returns {{ id: string, key: string, value: string }}
 */
function readRowText (collation, key, text, start) {
  const last = key.lastIndexOf('\0')
  if (text[0] === '\n') {
    const end = text.indexOf('\n', 1)
    return { id: key.slice(start + LONGEST, last), key: text.slice(1, end), value: text.slice(end + 1) || 'null' }
  }
  const { value, end } = collation.decode(key, start)
  return { id: key.slice(end, last), key: JSON.stringify(value), value: text === '' ? 'null' : text }
}

/**
 * Tells apart what one document emitted under one key: in the order of the values.
 *
 * @param {import('@potoroo/collation').Collation} collation
 * @param {Row[]} rows of one document
 * @returns {string[]} `more` of each, aligned with `rows`, which are sorted
 */
function tellApart (collation, rows) {
  if (rows.length < 2) return NOTHING_MORE
  rows.sort((a, b) => a.row < b.row ? -1 : a.row > b.row ? 1 : collation.compareValues(valueOf(a.value), valueOf(b.value)))
  let count = 0
  return rows.map(({ row }, i) => {
    count = i > 0 && rows[i - 1].row === row ? count + 1 : 0
    return count === 0 ? '' : encodeCount(count)
  })
}

const NOTHING_MORE = ['']

module.exports = { makeRow, readRow, readRowText, tellApart, LONGEST }
