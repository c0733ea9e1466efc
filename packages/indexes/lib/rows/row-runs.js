'use strict'

const { ENDS, MOST_ROWS, STARTS } = require('./row-encoder')
const { moreOf, tellApart } = require('./row')

/**
 * Rows of one document that are written at once: all of them, or a part.
 *
 * @typedef {{ rows: import('./row').Row[], starts: boolean, ends: boolean }} Run sorted, each with its `more`;
 *   starts: the document has none before, ends: and none after
 */

/**
 * Reads what row-encoder.js makes.
 *
 * @param {{ numbers: Uint32Array, text: string }} part
 * @param {(document: number) => string} prefixOf what stands before the keys of a document, by its place in the part
 * @returns {Run[]}
 */
function readRuns ({ numbers, text }, prefixOf) {
  const runs = []
  let document = 0
  for (let at = 0, start = 0; at < numbers.length;) {
    const count = numbers[at++]
    const flags = numbers[at++]
    const prefix = prefixOf(document)
    const prefixBytes = prefix === '' ? 0 : Buffer.byteLength(prefix)
    const rows = new Array(count)
    for (let i = 0; i < count; i++, at += 4) {
      const end = start + numbers[at]
      const last = end + numbers[at + 1]
      const row = text.slice(start, end)
      rows[i] = { row: prefix === '' ? row : insert(row, prefix), value: text.slice(end, last), more: moreOf(numbers[at + 3]), bytes: prefixBytes + numbers[at + 2] }
      start = last
    }
    const ends = (flags & ENDS) !== 0
    runs.push({ rows, starts: (flags & STARTS) !== 0, ends })
    if (ends) document++
  }
  return runs
}

/**
 * The byte between a row's view and its key.
 * @param {string} row
 * @param {string} prefix
 */
function insert (row, prefix) {
  const end = 1 + row.charCodeAt(0) - 96
  return row.slice(0, end) + prefix + row.slice(end)
}

/**
 * The rows of a run once for each prefix, in runs of no more rows each than are written at once.
 *
 * @param {Run} run whose rows have no prefix
 * @param {string[]} prefixes
 * @returns {Run[]}
 */
function spread ({ rows, starts, ends }, prefixes) {
  const copies = prefixes.map(prefix => rows.map(row => ({ ...row, row: insert(row.row, prefix), bytes: row.bytes === undefined ? undefined : row.bytes + prefix.length })))
  if (copies.length * rows.length <= MOST_ROWS) return [{ rows: copies.flat(), starts, ends }]
  return copies.map((copy, i) => ({ rows: copy, starts: starts && i === 0, ends: ends && i === copies.length - 1 }))
}

/**
 * @param {import('./row').Row[]} rows of one document
 * @param {import('@potoroo/collation').Collation['compareValues']} compareValues
 * @returns {Run[]} of no more rows each than are written at once
 */
function runsOf (rows, compareValues) {
  if (rows.length <= MOST_ROWS) return [{ rows, starts: true, ends: true }]
  const more = tellApart(compareValues, rows)
  const told = rows.map((row, i) => ({ ...row, more: more[i] }))
  const runs = []
  for (let at = 0; at < told.length; at += MOST_ROWS) runs.push({ rows: told.slice(at, at + MOST_ROWS), starts: at === 0, ends: at + MOST_ROWS >= told.length })
  return runs
}

module.exports = { readRuns, runsOf, spread }
