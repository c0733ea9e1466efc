'use strict'

const { CUT, LONGEST, encodeRow, parse, sortRows, textsOf } = require('./encode-row')
const { encodeCount } = require('./row-layout')

/**
 * A row as it will be stored: `row` is its view and its key, encoded, and `value` its level's value. `rest` is
 * the part of a cut key that is not stored. `more` tells it from others of its document with the same key,
 * and `bytes` are those of `row` and `value`, where they are known.
 * @typedef {{ row: string, value: string, rest?: string, more?: string, bytes?: number }} Row
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
  const encoded = encodeRow(collation, key, value)
  encoded.row = encodeCount(view) + partition + encoded.row
  return encoded
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

/**
 * Tells whether a record's key was cut.
 * @param {string} text
 */
function isCut (text) { return text[0] === CUT }

/**
 * Returns where a row's encoded key ends, of a row that tells its key.
 * @param {import('@potoroo/collation').Collation} collation
 * @param {string} key
 * @param {string} text
 * @param {number} start
 */
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
  sortRows(compareValues, rows)
  let count = 0
  return rows.map(({ row }, i) => {
    count = i > 0 && rows[i - 1].row === row ? count + 1 : 0
    return moreOf(count)
  })
}

/** @param {number} count rows of one document with the same key that came before */
function moreOf (count) { return count === 0 ? '' : encodeCount(count) }

const NOTHING_MORE = ['']

module.exports = { makeRow, isCut, itemReader, moreOf, readRow, readRowText, tellApart, LONGEST }
