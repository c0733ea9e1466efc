'use strict'

const { couchCollation } = require('@potoroo/collation')
const { compareUtf8 } = require('@potoroo/document-store')
const { readPath } = require('../mango/selector/path')
const { LONGEST } = require('../rows/row')

/** @typedef {import('@potoroo/document-store').Document} Document */

/** Rows that are wanted at most: nothing else runs while they are sorted, some 50 ms. */
const MOST_SORTED = 50000

/** Rows that are wanted up to which documents are kept with them; others are read again. */
const MOST_KEPT = 1000

/** Rows beyond those that are wanted that may wait to be sorted, and how much their documents may be. */
const SPARE = 1000
const SPARE_BYTES = 16 * 1024 * 1024

/** Bytes of the documents that are wanted up to which they are kept. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * A row as an index of some columns would have it, and what it would be sorted by.
 * @typedef {import('../mango/run/scan-rows').ScanRow & { place: string }} PlacedRow
 */

/**
 * The first rows that an index would have of some documents, found without it. As many are in memory as
 * are wanted, and some more.
 *
 * @param {AsyncIterable<{ doc: any, document: Document }>} documents that have all columns
 * @param {{ columns: string[][], low: string, high: string, descending: boolean, wanted: number }} options
 * @returns {Promise<PlacedRow[]>} those in the range from `low` on and below `high`
 */
async function sortedRows (documents, { columns, low, high, descending, wanted }) {
  const compare = (/** @type {PlacedRow} */ a, /** @type {PlacedRow} */ b) => descending ? compareUtf8(b.place, a.place) : compareUtf8(a.place, b.place)
  let rows = /** @type {PlacedRow[]} */ ([])
  let keeps = wanted <= MOST_KEPT
  let spare = 0
  const cut = () => {
    rows = rows.sort(compare).slice(0, wanted)
    spare = 0
    if (!keeps || rows.reduce((sum, { document }) => sum + /** @type {Document} */ (document).body.length, 0) <= MOST_BYTES) return
    keeps = false
    for (const row of rows) row.document = undefined
  }
  for await (const { doc, document } of documents) {
    const key = columns.map(path => readPath(doc, path))
    const place = placeOf(key, doc._id)
    if (place === null || compareUtf8(place, low) < 0 || compareUtf8(place, high) >= 0) continue
    rows.push({ id: doc._id, key, document: keeps ? document : undefined, place })
    spare += document.body.length
    if (rows.length > 2 * wanted + SPARE || spare > SPARE_BYTES) cut()
  }
  cut()
  return rows
}

/** @param {any[]} key @param {string} id @returns {string | null} null: nested too deeply for a key, so that no index has it */
function placeOf (key, id) {
  try {
    return couchCollation.encode(key).slice(0, LONGEST) + id
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

module.exports = { MOST_SORTED, sortedRows }
