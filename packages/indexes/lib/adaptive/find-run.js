'use strict'

const { Turn, compareUtf8, toObjectInTurns } = require('@potoroo/document-store')
const { ALL_DOCS } = require('../mango/indexes/index-descriptor')
const { mangoError } = require('../mango/selector/mango-error')
const { behindRow } = require('../mango/plan/ranges')
const { scanRows } = require('../mango/run/scan-rows')
const { ROWS_A_DOCUMENT } = require('./learned-index')
const { MOST_SORTED, sortedRows } = require('./sorted-rows')

/**
 * @typedef {import('./adaptive-finder').Source} Source
 * @typedef {import('../mango/run/scan-rows').ScanRow} ScanRow
 * @typedef {import('../mango/run/scan-rows').ScanPart} ScanPart
 * @typedef {import('../mango/run/scan-rows').ReadOptions} ReadOptions
 */

/** Ids of a page. */
const PAGE = 256

/** Ids that are sorted: nothing else runs meanwhile, some 25 ms. */
const MOST_GATHERED = 50000

/** All documents by id, where nothing narrows them. */
const EVERYTHING = { index: ALL_DOCS, low: '', high: '\uffff' }

/**
 * One find that no index of a design document serves. A learned index answers it where one is ready, else
 * a scan, which is noted. Both bring the same rows in the same order, so that one page may come from the
 * one and the next from the other.
 */
class FindRun {
  #store
  #finder
  #shapes
  #request
  #examined = 0
  #narrowed = 0
  #matched = 0
  #complete = false
  #scanned = false
  #isSorted = false

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('./adaptive-finder').AdaptiveFinder} finder
   * @param {import('./shape').Shape[]} shapes
   * @param {import('../mango/plan/candidates').Asked} request
   */
  constructor (store, finder, shapes, request) {
    this.#store = store
    this.#finder = finder
    this.#shapes = shapes
    this.#request = request
  }

  /**
   * Whether a document of a row matches.
   *
   * @param {any} doc
   * @param {number} length
   */
  accepts (doc, length) { return this.#isSorted || this.#examine(doc, length) }

  /**
   * @param {any} doc
   * @param {number} length
   * @returns {boolean | Promise<boolean>} a promise where the selector takes long
   */
  #examine (doc, length) {
    this.#examined++
    const narrowed = this.#narrows(doc, length, 0)
    return narrowed instanceof Promise ? narrowed.then(yes => this.#match(doc, length, yes)) : this.#match(doc, length, narrowed)
  }

  /**
   * Whether one of the shapes does, from this one on.
   *
   * @param {any} doc
   * @param {number} length
   * @param {number} i
   * @returns {boolean | Promise<boolean>}
   */
  #narrows (doc, length, i) {
    for (; i < this.#shapes.length; i++) {
      const narrowed = this.#shapes[i].narrows(doc, length)
      if (narrowed instanceof Promise) return narrowed.then(yes => yes || this.#narrows(doc, length, i + 1))
      if (narrowed) return true
    }
    return false
  }

  /** @param {any} doc @param {number} length @param {boolean} narrowed @returns {boolean | Promise<boolean>} */
  #match (doc, length, narrowed) {
    if (!narrowed) return false
    this.#narrowed++
    const matched = this.#request.accepts(doc, length)
    return matched instanceof Promise ? matched.then(yes => this.#count(yes)) : this.#count(matched)
  }

  /** @param {boolean} matched */
  #count (matched) {
    if (matched) this.#matched++
    return matched
  }

  /**
   * The rows of the one scan there is, page by page.
   *
   * @param {ScanPart} scan
   * @param {ReadOptions} options
   * @returns {AsyncGenerator<ScanRow[]>}
   */
  async * read (scan, options) {
    const source = await this.#finder.begin(this.#shapes, this.#request)
    try {
      yield * this.#shapes[0].tail === 'sort' ? this.#sorted(source, scan, options) : this.#byId(source, scan, options)
      this.#complete = true
    } finally {
      this.#finder.end(this.#shapes, source, this.#cost(options), this.#scanned)
    }
  }

  /**
   * In the order of ids.
   *
   * @param {Source | null} source
   * @param {ScanPart} scan
   * @param {ReadOptions} options
   * @returns {AsyncGenerator<ScanRow[]>}
   */
  async * #byId (source, scan, options) {
    if (source?.ordered) return yield * this.#pages(source, scan, options)
    const ids = source === null ? null : await gather(source, scan.behind, options.descending)
    if (ids === null) return yield * this.#scan({ ...scan, read: undefined }, options)
    for (let at = 0; at < ids.length; at += PAGE) yield ids.slice(at, at + PAGE).map(id => ({ id, key: id }))
  }

  /** @param {ScanPart} scan @param {import('../mango/run/scan-rows').ScanOptions} options */
  #scan (scan, options) {
    this.#scanned = true
    return scanRows(this.#store, scan, options)
  }

  /**
   * The rows of one key are in that order.
   *
   * @param {Source} source
   * @param {ScanPart} scan
   * @param {ReadOptions} options
   * @returns {AsyncGenerator<ScanRow[]>}
   */
  async * #pages ({ parts: [{ learned, ranges: [range] }] }, { behind }, { descending }) {
    const { conditions } = this.#shapes[0]
    const key = () => learned.descriptor.columns.map(path => conditions.intervals(path)[0].first?.value)
    const rest = behind === undefined ? range : behindRow(range, key(), behind, descending)
    for await (const page of learned.rows.pages(0, { low: rest.low, high: rest.high, descending })) yield page.map(({ id }) => ({ id, key: id }))
  }

  /**
   * In the order of the sort, then of ids.
   *
   * @param {Source | null} source
   * @param {ScanPart} scan
   * @param {ReadOptions} options
   * @returns {AsyncGenerator<ScanRow[]>}
   */
  async * #sorted (source, { index, low, high }, options) {
    const { descending, wanted } = options
    if (source !== null) return yield * source.parts[0].learned.rows.pages(0, { low, high, descending })
    // There was an index of it as this was planned.
    if (wanted > MOST_SORTED) throw mangoError('no_usable_index', 'No index exists for this sort, try indexing by the sort fields.')
    const rows = await sortedRows(this.#matching(options), { columns: index.columns, low, high, descending, wanted })
    this.#isSorted = this.#complete = true
    for (let at = 0; at < rows.length; at += PAGE) yield rows.slice(at, at + PAGE)
  }

  /** @param {ReadOptions} options @returns {AsyncGenerator<{ doc: any, document: import('@potoroo/document-store').Document }>} */
  async * #matching ({ conflicts }) {
    const turn = new Turn()
    for await (const rows of this.#scan(EVERYTHING, { descending: false, conflicts })) {
      for (const { id, document } of /** @type {Array<Required<ScanRow>>} */ (rows)) {
        if (turn.isLong) await turn.end()
        if (id.startsWith('_design/')) continue
        const doc = await toObjectInTurns(document)
        if (await this.#examine(doc, document.body.length)) yield { doc, document }
      }
    }
  }

  /**
   * Returns what it took, and `needed`: how many documents an index of this shape would have had to read, or so.
   *
   * @param {ReadOptions} options
   */
  #cost ({ wanted }) {
    return { examined: this.#examined, needed: this.#needed(wanted), returned: this.#matched }
  }

  /** @param {number} wanted */
  #needed (wanted) {
    const [{ tail }, ...branches] = this.#shapes
    if (tail === 'none' && branches.length === 0) return this.#narrowed
    // In the order of the sort it would stop when it has enough.
    if (tail === 'sort') return Math.ceil(this.#narrowed * Math.min(1, wanted / Math.max(1, this.#matched)))
    // All rows of the range would be sorted by id, and as many documents read as the scan has found there.
    const rows = this.#complete ? this.#narrowed : this.#narrowed * this.#store.docCount / Math.max(1, this.#examined)
    return rows > MOST_GATHERED ? this.#examined : Math.min(this.#examined, this.#narrowed + Math.ceil(rows / ROWS_A_DOCUMENT))
  }
}

/**
 * The ids of some rows in their order, behind one; null where they are more than a scan would cost.
 *
 * @param {Source} source
 * @param {string | undefined} behind
 * @param {boolean} descending
 * @returns {Promise<string[] | null>}
 */
async function gather ({ parts }, behind, descending) {
  const most = Math.min(MOST_GATHERED, Math.max(...parts.map(({ learned }) => learned.affordable)))
  /** @type {Set<string>} */
  const gathered = new Set()
  for (const { learned, ranges } of parts) {
    for (const { low, high } of ranges) {
      for await (const page of learned.rows.pages(0, { low, high, descending: false }, most + 1)) {
        for (const { id } of page) gathered.add(id)
        if (gathered.size > most) return null
      }
    }
  }
  const ids = [...gathered].sort(compareUtf8)
  if (descending) ids.reverse()
  return behind === undefined ? ids : ids.filter(id => compareUtf8(id, behind) * (descending ? -1 : 1) > 0)
}

module.exports = { FindRun }
