'use strict'

/**
 * Rows as they are stored, made of what functions emitted. Threads of the query server load this, and no more of the package than
 * it takes: see row-encoder.js.
 */

/**
 * How much of an encoded key stands in a level's key, in UTF-16 units: levels limit theirs, pmem-level
 * to 32 KiB. Rows that are alike in so much are in the order of their documents.
 */
const LONGEST = 4000

/** A level's value begins with this where the JSON text of the key follows, up to a '\n': see row-layout.js. */
const CUT = '\n'
const LOST = '\t'

/**
 * @typedef {import('@potoroo/collation').Collation} Collation
 * @typedef {import('./row').Row} Row
 * @typedef {{ row: Row, value: any }} ReadRow a row, and its value parsed
 *
 * @param {Collation} collation
 * @param {any} key as it was emitted
 * @param {any} value
 * @returns {Row} `row` is of the key alone
 */
function encodeRow (collation, key, value) {
  const encoded = collation.encode(key)
  const text = value === null || value === undefined ? '' : JSON.stringify(value) ?? ''
  const isCut = encoded.length > LONGEST
  const decodes = collation.decodes(key)
  if (decodes && !isCut) return { row: encoded, value: text }
  const keyText = JSON.stringify(decodes ? collation.decode(encoded).value : key)
  if (!isCut) return { row: encoded, value: `${LOST}${keyText}\n${text}` }
  return { row: encoded.slice(0, LONGEST), value: `${CUT}${keyText}\n${text}`, rest: encoded.slice(LONGEST) }
}

/**
 * Takes the JSON texts out of a level's value: that of the key, where it is there, and that of the value, '' for null.
 * @param {string} text
 * @returns {{ keyText: string | undefined, valueText: string }}
 */
function textsOf (text) {
  if (text[0] !== CUT && text[0] !== LOST) return { keyText: undefined, valueText: text }
  const end = text.indexOf('\n', 1)
  return { keyText: text.slice(1, end), valueText: text.slice(end + 1) }
}

/** @param {string} valueText */
function parse (valueText) { return valueText === '' ? null : JSON.parse(valueText) }

/**
 * Sorts rows of one document by key, by what is cut of it, then by value.
 *
 * @param {Collation['compareValues']} compareValues
 * @param {Row[]} rows
 */
function sortRows (compareValues, rows) {
  if (rows.length < 2) return
  rows.sort((a, b) => orderOf(a.row, b.row) || orderOf(a.rest, b.rest))
  for (let from = 0; from < rows.length;) {
    let to = from + 1
    while (to < rows.length && rows[to].row === rows[from].row && rows[to].rest === rows[from].rest) to++
    if (to - from > 1) sortValues(compareValues, rows, from, to)
    from = to
  }
}

/**
 * Sorts rows of one key by their values. It parses each value but once where many rows have one key.
 * @param {Collation['compareValues']} compareValues
 * @param {Row[]} rows
 * @param {number} from
 * @param {number} to
 */
function sortValues (compareValues, rows, from, to) {
  const { value } = rows[from]
  const some = rows.slice(from, to)
  if (some.every(row => row.value === value)) return
  const read = some.map(row => ({ row, value: parse(textsOf(row.value).valueText) }))
  read.sort((a, b) => a.row.value === b.row.value ? 0 : orderOfValues(compareValues, a, b))
  for (let i = 0; i < read.length; i++) rows[from + i] = read[i].row
}

/**
 * Compares values. The stack ends where values are nested too deeply to be compared: they have no order then except one.
 * @param {Collation['compareValues']} compareValues
 * @param {ReadRow} a
 * @param {ReadRow} b
 */
function orderOfValues (compareValues, a, b) {
  try {
    return compareValues(a.value, b.value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return orderOf(textsOf(a.row.value).valueText, textsOf(b.row.value).valueText)
  }
}

function orderOf (text = '', other = '') { return text < other ? -1 : text > other ? 1 : 0 }

module.exports = { CUT, LONGEST, encodeRow, parse, sortRows, textsOf }
