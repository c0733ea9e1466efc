'use strict'

const { encodeCount } = require('./row-layout')

/**
 * How much of an encoded key stands in a level's key, in UTF-16 units: levels limit theirs, pmem-level
 * to 32 KiB. Of rows that are alike in so much the order is that of their documents.
 */
const LONGEST = 4000

/** What a level's value begins with where the JSON text of the key follows, up to a '\n': see row-layout.js. */
const CUT = '\n'
const LOST = '\t'

/**
 * A row as it will be stored: `row` is its view and its key, encoded, and `value` its level's value. Of a
 * key that is cut `rest` is what is not stored.
 * @typedef {{ row: string, value: string, rest?: string }} Row
 */

/**
 * @param {import('@potoroo/collation').Collation} collation
 * @param {number} view
 * @param {any} key as it was emitted
 * @param {any} value
 * @param {string} [partition] what stands before the key, `name:`
 * @returns {Row}
 */
function makeRow (collation, view, key, value, partition = '') {
  const encoded = collation.encode(key)
  const text = value === null || value === undefined ? '' : JSON.stringify(value) ?? ''
  const place = encodeCount(view) + partition
  const isCut = encoded.length > LONGEST
  const decodes = collation.decodes(key)
  if (decodes && !isCut) return { row: place + encoded, value: text }
  const keyText = JSON.stringify(decodes ? collation.decode(encoded).value : key)
  if (!isCut) return { row: place + encoded, value: `${LOST}${keyText}\n${text}` }
  return { row: place + encoded.slice(0, LONGEST), value: `${CUT}${keyText}\n${text}`, rest: encoded.slice(LONGEST) }
}

/** The JSON texts in a level's value: that of the key, where it is there, and that of the value, '' for null. */
function textsOf (text) {
  if (text[0] !== CUT && text[0] !== LOST) return { keyText: undefined, valueText: text }
  const end = text.indexOf('\n', 1)
  return { keyText: text.slice(1, end), valueText: text.slice(end + 1) }
}

function parse (valueText) { return valueText === '' ? null : JSON.parse(valueText) }

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
  const { keyText, valueText } = textsOf(text)
  if (keyText === undefined) {
    const { value, end } = collation.decode(key, start)
    return { id: key.slice(end, last), key: value, value: parse(valueText) }
  }
  return { id: key.slice(endOf(collation, key, text, start), last), key: JSON.parse(keyText), value: parse(valueText) }
}

/**
 * Reads of records what a reducer wants to know.
 *
 * @param {import('../reduces/reducer').Reducer['reads']} reads
 * @param {import('@potoroo/collation').Collation} collation
 * @param {number} start where the encoded key begins
 * @returns {(key: string, text: string) => any}
 */
function itemReader (reads, collation, start) {
  if (reads === 'values') return (key, text) => parse(textsOf(text).valueText)
  if (reads === 'keys') return (key, text) => readRow(collation, key, text, start).key
  return reads === 'rows' ? (key, text) => readRow(collation, key, text, start) : () => undefined
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
  const { keyText, valueText } = textsOf(text)
  if (keyText === undefined) {
    const { value, end } = collation.decode(key, start)
    return { id: key.slice(end, last), key: JSON.stringify(value), value: valueText || 'null' }
  }
  return { id: key.slice(endOf(collation, key, text, start), last), key: keyText, value: valueText || 'null' }
}

/** Whether a record's key was cut. */
function isCut (text) { return text[0] === CUT }

/** Where a row's encoded key ends, of a row that tells its key. */
function endOf (collation, key, text, start) { return isCut(text) ? start + LONGEST : collation.end(key, start) }

/**
 * Tells apart what one document emitted under one key: in the order of the values; of keys that are alike
 * where they are cut, in their order.
 *
 * @param {import('@potoroo/collation').Collation['compareValues']} compareValues
 * @param {Row[]} rows of one document
 * @returns {string[]} `more` of each, aligned with `rows`, which are sorted
 */
function tellApart (compareValues, rows) {
  if (rows.length < 2) return NOTHING_MORE
  rows.sort((a, b) => orderOf(a.row, b.row) || orderOf(a.rest, b.rest) || orderOfValues(compareValues, a.value, b.value))
  let count = 0
  return rows.map(({ row }, i) => {
    count = i > 0 && rows[i - 1].row === row ? count + 1 : 0
    return count === 0 ? '' : encodeCount(count)
  })
}

function orderOf (text = '', other = '') { return text < other ? -1 : text > other ? 1 : 0 }

/** The stack ends where values are nested too deeply to be compared: they have no order then but one. */
function orderOfValues (compareValues, text, other) {
  try {
    return compareValues(valueOf(text), valueOf(other))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return orderOf(text, other)
  }
}

function valueOf (text) { return parse(textsOf(text).valueText) }

const NOTHING_MORE = ['']

module.exports = { makeRow, isCut, itemReader, readRow, readRowText, tellApart, LONGEST }
