'use strict'

const { idEnds } = require('./id-intervals')
const { ALL_DOCS } = require('./index-descriptor')

/** Documents of a first page, and of later ones at most. */
const FIRST_PAGE = 16
const MOST = 256

/**
 * A row of a scan.
 * @typedef {{ id: string, key: any, document?: any }} ScanRow document: where it was read with the row
 */

/**
 * The rows of a scan, page by page, in its order or against it.
 *
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {import('./candidates').Scan & { behind?: string }} scan
 * @param {{ descending: boolean, conflicts?: boolean, wanted?: number, includeDocs?: boolean }} options wanted: how many
 *   are thought to be enough
 * @returns {AsyncGenerator<ScanRow[]>}
 */
function scanRows (database, scan, options) {
  if (scan.read !== undefined) return scan.read(scan, options)
  if (scan.index === ALL_DOCS) return scanDocuments(database, scan, options)
  const opened = scan.index.open()
  return opened instanceof Promise ? whenOpen(opened, scan, options) : pagesOf(opened, scan, options)
}

async function * whenOpen (opening, scan, options) { yield * pagesOf(await opening, scan, options) }

function pagesOf ({ rows, view }, { low, high }, { descending }) {
  return rows.pages(view, { low, high, descending })
}

/** Small pages at first: who wants a few documents does not wait for many. */
async function * scanDocuments (database, scan, { descending, conflicts = false, wanted = MOST, includeDocs = true }) {
  const { low, high, afterLow, beforeHigh } = idEnds(scan)
  const [from, endkey] = descending ? [high, low] : [low, high]
  const [afterFrom, beforeEnd] = descending ? [beforeHigh, afterLow] : [afterLow, beforeHigh]
  /** The id that the rows begin behind. */
  let behind = scan.behind ?? (afterFrom ? from : undefined)
  const options = { endkey, inclusiveEnd: !beforeEnd, descending, conflicts, includeDocs }
  for (let limit = Math.min(Math.max(wanted, FIRST_PAGE), MOST); ; limit *= 4) {
    let count = 0
    const { rows } = await database.allDocs({ ...options, startkey: behind ?? from, limit: limit > MOST ? undefined : limit })
    for await (const page of /** @type {AsyncIterable<any[]>} */ (rows)) {
      count += page.length
      const fresh = page[0].id === behind ? page.slice(1) : page
      behind = page.at(-1).id
      if (fresh.length > 0) yield fresh
    }
    if (limit > MOST || count < limit) return
  }
}

module.exports = { scanRows }
