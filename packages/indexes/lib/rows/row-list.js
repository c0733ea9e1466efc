'use strict'

const { encodeCount } = require('./row-layout')

/**
 * The rows of one document in an index, so that they are found when it changes. Each is
 *
 *   length row more '\n'
 *
 * `row` is the part of the row's key before the id (view and key), `length` the number of its UTF-16
 * units as a letter and digits, `more` what tells it from others of the same key.
 *
 * @param {string} row
 * @param {string} more
 */
function listed (row, more) { return `${encodeCount(row.length)}${row}${more}\n` }

/**
 * @param {string} list
 * @returns {Array<{ row: string, more: string }>}
 */
function parseList (list) {
  const rows = []
  let at = 0
  while (at < list.length) {
    const digits = list.charCodeAt(at) - 96
    const start = at + 1 + digits
    const end = start + Number(list.slice(at + 1, start))
    const newline = list.indexOf('\n', end)
    rows.push({ row: list.slice(start, end), more: list.slice(end, newline) })
    at = newline + 1
  }
  return rows
}

module.exports = { listed, parseList }
