'use strict'

const { Turn, compareUtf8, toObjectInTurns } = require('@potoroo/document-store')
const { ALL_DOCS } = require('../mango/indexes/index-descriptor')
const { mangoError } = require('../mango/selector/mango-error')
const { behindRow } = require('../mango/plan/ranges')
const { scanRows } = require('../mango/run/scan-rows')
const { readPath } = require('../mango/selector/path')
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

/** Documents that do not match, at most, between two of which it is asked whether an index would have spared them. */
const MOST_BETWEEN = 16

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
  #unsorted
  #request
  /** Fields of the sort, which the selector need not ask for. */
  #sortColumns
  #examined = 0
  #matched = 0
  /** Documents that do not match, but that indexes of the shapes would have brought: of the find, and without its sort. */
  #besides = 0
  #besidesUnsorted = 0
  /** Documents up to the next that is asked about, and what makes their number. */
  #between = 1
  #left = 1
  #dice = 1
  #complete = false
  #scanned = false
  #isSorted = false

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('./adaptive-finder').AdaptiveFinder} finder
   * @param {import('./shape').Shape[]} shapes
   * @param {import('./shape').Shape[]} unsorted those by which it could find what it then sorts
   * @param {import('../mango/plan/candidates').Asked} request
   */
  constructor (store, finder, shapes, unsorted, request) {
    this.#store = store
    this.#finder = finder
    this.#shapes = shapes
    this.#unsorted = unsorted
    this.#request = request
    const [{ tail, columns, equal }] = shapes
    this.#sortColumns = tail === 'sort' ? columns.slice(equal) : []
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
    for (const column of this.#sortColumns) if (readPath(doc, column) === undefined) return false
    const matched = this.#request.accepts(doc, length, this.#store.name)
    return matched instanceof Promise ? matched.then(yes => this.#count(doc, length, yes)) : this.#count(doc, length, matched)
  }

  /**
   * Counts a document. An index would bring each that matches, and may bring others: to look at all of those would cost as
   * much as the selector.
   *
   * @param {any} doc
   * @param {number} length
   * @param {boolean} matched
   * @returns {boolean | Promise<boolean>}
   */
  #count (doc, length, matched) {
    if (matched) this.#matched++
    else if (--this.#left === 0) return this.#sample(doc, length)
    return matched
  }

  /** @param {any} doc @param {number} length @returns {false | Promise<false>} */
  #sample (doc, length) {
    const stands = this.#between
    this.#throwDice()
    const own = narrows(this.#shapes, doc, length, this.#store.name, 0, () => { this.#besides += stands })
    const unsorted = narrows(this.#unsorted, doc, length, this.#store.name, 0, () => { this.#besidesUnsorted += stands })
    return own === undefined && unsorted === undefined ? false : Promise.all([own, unsorted]).then(() => false)
  }

  /** Documents often repeat themselves in some rhythm: this has none. */
  #throwDice () {
    this.#dice = (Math.imul(this.#dice, 1103515245) + 12345) >>> 0
    this.#left = this.#between = 1 + (this.#dice >>> 16) % MOST_BETWEEN
  }

  /**
   * The rows of the one scan there is, page by page.
   *
   * @param {ScanPart} scan
   * @param {ReadOptions} options
   * @returns {AsyncGenerator<ScanRow[]>}
   */
  async * read (scan, options) {
    const source = this.#finder.isEmpty ? null : await this.#finder.begin(this.#shapes, this.#request)
    const other = source !== null || this.#finder.isEmpty ? null : await this.#finder.begin(this.#unsorted, this.#request)
    try {
      yield * this.#shapes[0].tail === 'sort' ? this.#sorted(source, other, scan, options) : this.#byId(source, scan, options)
      this.#complete = true
    } finally {
      this.#end(source, other, options)
    }
  }

  /** Learns first of the way that would cost least. @param {Source | null} source @param {Source | null} other @param {ReadOptions} options */
  #end (source, other, { wanted }) {
    const ways = [{ shapes: this.#shapes, source, cost: this.#costOf(this.#needed(wanted)) }]
    if (this.#unsorted.length > 0) ways.push({ shapes: this.#unsorted, source: other, cost: this.#costOf(this.#neededUnsorted()) })
    const served = ways.filter(({ source }) => source !== null)
    const noted = served.length > 0 ? served : ways.sort((a, b) => a.cost.needed - b.cost.needed)
    for (const { source } of served) this.#finder.release(/** @type {Source} */ (source))
    noted.some(({ shapes, cost }) => this.#finder.end(shapes, cost, this.#scanned))
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
   * @param {Source | null} other of what is to be sorted
   * @param {ScanPart} scan
   * @param {ReadOptions} options
   * @returns {AsyncGenerator<ScanRow[]>}
   */
  async * #sorted (source, other, { index, low, high }, options) {
    const { descending, wanted } = options
    if (source !== null) return yield * source.parts[0].learned.rows.pages(0, { low, high, descending })
    // There was an index of it as this was planned.
    if (wanted > MOST_SORTED) throw mangoError('no_usable_index', 'No index exists for this sort, try indexing by the sort fields.')
    const ids = other === null ? null : await gather(other, undefined, false)
    const documents = ids === null ? this.#scan(EVERYTHING, { descending: false, conflicts: options.conflicts }) : this.#read(ids, options)
    const rows = await sortedRows(this.#matching(documents), { columns: index.columns, low, high, descending, wanted })
    this.#isSorted = this.#complete = true
    for (let at = 0; at < rows.length; at += PAGE) yield rows.slice(at, at + PAGE)
  }

  /**
   * The documents of ids, as far as they are still there.
   *
   * @param {string[]} ids
   * @param {ReadOptions} options
   * @returns {AsyncGenerator<ScanRow[]>}
   */
  async * #read (ids, { conflicts = false }) {
    for (let at = 0; at < ids.length; at += PAGE) {
      const found = await this.#store.bulkGet(ids.slice(at, at + PAGE).map(id => ({ id })), { conflicts })
      yield found.flatMap(result => 'ok' in result ? [{ id: result.ok.id, key: result.ok.id, document: result.ok }] : [])
    }
  }

  /** @param {AsyncIterable<ScanRow[]>} pages @returns {AsyncGenerator<{ doc: any, document: import('@potoroo/document-store').Document }>} */
  async * #matching (pages) {
    const turn = new Turn()
    for await (const rows of pages) {
      for (const { id, document } of /** @type {Array<Required<ScanRow>>} */ (rows)) {
        if (turn.isLong) await turn.end()
        if (id.startsWith('_design/')) continue
        const doc = await toObjectInTurns(document)
        if (await this.#examine(doc, document.body.length)) yield { doc, document }
      }
    }
  }

  /** @param {number} needed documents that an index of the shape would have had to read, or so */
  #costOf (needed) { return { examined: this.#examined, needed: Math.min(this.#examined, needed), returned: this.#matched } }

  /** @param {number} wanted */
  #needed (wanted) {
    const [{ tail }, ...branches] = this.#shapes
    const narrowed = this.#matched + this.#besides
    if (tail === 'none' && branches.length === 0) return narrowed
    // In the order of the sort it would stop when it has enough.
    if (tail === 'sort') return Math.ceil(narrowed * Math.min(1, wanted / Math.max(1, this.#matched)))
    return this.#gathered(narrowed, this.#complete ? narrowed : narrowed * this.#store.docCount / Math.max(1, this.#examined))
  }

  #neededUnsorted () {
    const narrowed = this.#matched + this.#besidesUnsorted
    return this.#gathered(narrowed, narrowed)
  }

  /**
   * All rows of the range would be sorted by id, and as many documents read as the scan has found there.
   *
   * @param {number} narrowed
   * @param {number} rows
   */
  #gathered (narrowed, rows) { return rows > MOST_GATHERED ? this.#examined : narrowed + Math.ceil(rows / ROWS_A_DOCUMENT) }
}

/**
 * Tells where one of the shapes, from one on, would bring a document that does not match.
 *
 * @param {import('./shape').Shape[]} shapes
 * @param {any} doc
 * @param {number} length
 * @param {string} asker
 * @param {number} from
 * @param {() => void} tell where it would
 * @returns {void | Promise<void>} a promise where the selector takes long
 */
function narrows (shapes, doc, length, asker, from, tell) {
  for (let i = from; i < shapes.length; i++) {
    if (shapes[i].decides) continue // it would have matched
    const narrowed = shapes[i].narrows(doc, length, asker)
    if (narrowed instanceof Promise) return narrowed.then(yes => yes ? tell() : narrows(shapes, doc, length, asker, i + 1, tell))
    if (narrowed) return tell()
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
