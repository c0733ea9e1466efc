'use strict'

const { idEnds } = require('../plan/id-intervals')
const { ALL_DOCS } = require('../indexes/index-descriptor')

/**
 * @typedef {import('../indexes/partition-scope').FindDatabase} FindDatabase
 * @typedef {import('../indexes/index-descriptor').OpenIndex} OpenIndex
 */

/** Documents of a first page, and of later ones at most. */
const FIRST_PAGE = 16
const MOST = 256

/**
 * A row of a scan.
 * @typedef {{ id: string, key: any, document?: import('@potoroo/document-store').Document }} ScanRow document: where it was read with the row
 *
 * @typedef {Pick<import('../plan/candidates').Scan, 'index' | 'low' | 'high' | 'read'> & { behind?: string, after?: any[] }} ScanPart behind: the id that the rows of
 *   all documents begin after; after: the keys that hits of a text index do
 * @typedef {{ descending: boolean, conflicts?: boolean, wanted?: number, isWanted?: () => boolean, includeDocs?: boolean }} ScanOptions wanted: how many are thought to be
 *   enough; isWanted: whether somebody still waits
 * @typedef {ScanOptions & { wanted: number }} ReadOptions
 */

/**
 * The rows of a scan, page by page, in its order or against it.
 *
 * @param {FindDatabase} database
 * @param {ScanPart} scan
 * @param {ScanOptions} options
 * @returns {AsyncGenerator<ScanRow[]>}
 */
function scanRows (database, scan, options) {
  if (scan.read !== undefined) return scan.read(scan, { wanted: MOST, ...options })
  if (scan.index === ALL_DOCS) return scanDocuments(database, scan, options)
  const opened = scan.index.open()
  return opened instanceof Promise ? whenOpen(opened, scan, options) : pagesOf(opened, scan, options)
}

/**
 * @param {Promise<OpenIndex>} opening
 * @param {ScanPart} scan
 * @param {ScanOptions} options
 * @returns {AsyncGenerator<ScanRow[]>}
 */
async function * whenOpen (opening, scan, options) { yield * pagesOf(await opening, scan, options) }

/**
 * @param {OpenIndex} index
 * @param {ScanPart} range
 * @param {ScanOptions} options
 * @returns {AsyncGenerator<ScanRow[]>}
 */
function pagesOf ({ rows, view }, { low, high }, { descending }) {
  return rows.pages(view, { low, high, descending })
}

/**
 * The rows of a scan of an index, all at once, where they are few and the level reads them so; undefined elsewhere.
 *
 * @param {ScanPart} scan
 * @param {boolean} descending
 * @returns {ScanRow[] | undefined}
 */
function fewRows ({ index, low, high, read }, descending) {
  const opened = read !== undefined || index === ALL_DOCS ? undefined : index.open()
  return opened === undefined || opened instanceof Promise ? undefined : opened.rows.few?.(opened.view, { low, high, descending }, Infinity)
}

/**
 * Small pages at first: who wants a few documents does not wait for many.
 *
 * @param {FindDatabase} database
 * @param {ScanPart} scan
 * @param {ScanOptions} options
 * @returns {AsyncGenerator<ScanRow[]>}
 */
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
    for await (const page of /** @type {AsyncIterable<ScanRow[]>} */ (rows)) {
      count += page.length
      const fresh = page[0].id === behind ? page.slice(1) : page
      behind = page[page.length - 1].id
      if (fresh.length > 0) yield fresh
    }
    if (limit > MOST || count < limit) return
  }
}

module.exports = { fewRows, scanRows }
