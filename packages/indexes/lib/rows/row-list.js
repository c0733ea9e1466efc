'use strict'

const { encodeCount } = require('./row-layout')

/**
 * The rows of one document in an index, so that they are found when it changes. Each is
 *
 *   length row bytes more '\n'
 *
 * `row` is the part of the row's key before the id (view and key), `length` the number of its UTF-16
 * units, `bytes` those of the row's record, both as a letter and digits, `more` what tells it from others
 * of the same key.
 *
 * @param {string} row
 * @param {number} bytes
 * @param {string} more
 */
function listed (row, bytes, more) { return `${encodeCount(row.length)}${row}${encodeCount(bytes)}${more}\n` }

/**
 * @param {string} list
 * @returns {Array<{ row: string, bytes: number, more: string }>}
 */
function parseList (list) {
  const rows = []
  let at = 0
  while (at < list.length) {
    const digits = list.charCodeAt(at) - 96
    const start = at + 1 + digits
    const end = start + Number(list.slice(at + 1, start))
    const rest = end + list.charCodeAt(end) - 95
    const newline = list.indexOf('\n', rest)
    rows.push({ row: list.slice(start, end), bytes: Number(list.slice(end + 1, rest)), more: list.slice(rest, newline) })
    at = newline + 1
  }
  return rows
}

module.exports = { listed, parseList }
