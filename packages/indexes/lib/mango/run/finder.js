'use strict'

const { Turn, toObjectInTurns } = require('@potoroo/document-store')
const { ALL_DOCS } = require('../indexes/index-descriptor')
const { compareValues, mergeScans } = require('./merge-scans')
const { fromRow } = require('../request/projection')
const { behindRow, behindValues, valuesOf } = require('../plan/ranges')
const { fewRows, scanRows } = require('./scan-rows')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('../request/bookmark').Bookmark} Bookmark
 * @typedef {import('../plan/candidates').Scan} Scan
 * @typedef {import('../indexes/partition-scope').FindDatabase} FindDatabase
 * @typedef {import('./scan-rows').ScanPart} ScanPart
 * @typedef {import('./scan-rows').ScanRow} ScanRow
 * @typedef {import('./merge-scans').MergedRow} MergedRow
 * @typedef {ScanRow & { scan?: Scan }} FinderRow scan: of a row of several scans
 */

/** Types of indexes whose rows come in the order of a rank. */
const RANKED = new Set(['text', 'nouveau', 'vector'])

/** Documents that are read at once. */
const LEAST_READ = 8
const MOST_READ = 128

/**
 * A document that was found: `document` as the store reads it; or, where an index's row says all, `doc` alone.
 * `at` is its row.
 * @typedef {{ doc: any, document: import('@potoroo/document-store').Document | null, at: Place }} Found
 */

/**
 * Rows with their documents: those that are not there any more are undefined, and null says that rows say all.
 * `scan` is that of all rows; null: each has its own.
 * @typedef {{ rows: FinderRow[], documents: Array<Document | null | undefined> | null, scan: Scan | null }} Page
 */

/** A row of a scan. @typedef {{ scan: number, key: any, id: string }} Place */

/** Carries out a find: reads rows and documents until there are enough that match. */
class Finder {
  #database
  #candidate
  #request
  #isWanted
  #left
  #skip
  #turn = new Turn()

  /** Rows and documents that were looked at. */
  keys = 0
  documents = 0
  returned = 0
  /** The row of the last document that matched. @type {{ scan: number, key: any, id: string } | null} */
  last = null

  /**
   * @param {FindDatabase} database
   * @param {import('../plan/candidates').Candidate} candidate
   * @param {import('../request/find-request').FindRequest} request
   * @param {() => boolean} [isWanted] whether somebody still waits: to find hits of a text may take long
   */
  constructor (database, candidate, request, isWanted) {
    this.#database = database
    this.#isWanted = isWanted
    this.#candidate = candidate
    this.#request = request
    this.#left = request.limit
    this.#skip = request.skip
  }

  /**
   * @param {import('../request/bookmark').Bookmark | null} bookmark where to go on
   * @returns {Array<Found[] | Promise<Found[]>> | AsyncGenerator<Found[]>} pages; a list of one where few rows were read at once
   */
  find (bookmark) {
    if (this.#left === 0) return []
    const few = bookmark === null ? this.#few() : undefined
    return few === undefined ? this.#pages(bookmark) : [few]
  }

  /**
   * Finds in few rows of one index, where the level reads them and their documents at once; undefined elsewhere.
   *
   * @returns {Found[] | Promise<Found[]> | undefined} a promise where a selector takes long
   */
  #few () {
    const { merges, scans } = this.#candidate
    if (merges || scans.length !== 1 || this.#request.conflicts) return undefined
    const [scan] = scans
    const rows = fewRows(scan, this.#request.descending)
    if (rows === undefined) return undefined
    const documents = scan.covers ? null : this.#database.winnersSync?.(rows.map(({ id }) => id))
    return documents === undefined ? undefined : this.#examineFrom({ rows, documents, scan }, 0, [])
  }

  /** @param {Bookmark | null} bookmark @returns {AsyncGenerator<Found[]>} */
  async * #pages (bookmark) {
    for (const { scan, pages } of this.#parts(bookmark)) {
      for await (const rows of pages) {
        for (let at = 0; at < rows.length;) {
          const pace = this.#pace
          const found = await this.#examine(at === 0 && rows.length <= pace ? rows : rows.slice(at, at + pace), scan)
          at += pace
          // Nothing, too: who asked may be gone, and nobody else wants the rest.
          yield found
          if (this.#left === 0) return
        }
      }
      // Many scans may have no rows at all.
      if (this.#turn.isLong) await this.#turn.end()
    }
  }

  /** How many documents to read next: as many as are wanted, if all of them match. */
  get #pace () { return Math.min(Math.max(this.#left + this.#skip, LEAST_READ), MOST_READ) }

  /**
   * Gives what is read, one after the other: each scan; or all of them merged, with rows that name their scan.
   *
   * @param {Bookmark | null} bookmark
   * @returns {Generator<{ scan: Scan | null, pages: AsyncGenerator<FinderRow[]> }>}
   */
  * #parts (bookmark) {
    const { merges, scans } = this.#candidate
    if (merges) return yield { scan: null, pages: this.#merged(bookmark) }
    for (let i = bookmark?.scan ?? 0; i < scans.length; i++) {
      const scan = i === bookmark?.scan ? this.#behind(scans[i], bookmark) : scans[i]
      yield { scan, pages: this.#scan(scan) }
    }
  }

  /** @param {ScanPart} scan */
  #scan (scan) {
    const { descending, conflicts } = this.#request
    return scanRows(this.#database, scan, { descending, conflicts, wanted: this.#left + this.#skip, isWanted: this.#isWanted })
  }

  /** @param {Scan} scan @param {Bookmark} bookmark @returns {Scan & ScanPart} */
  #behind (scan, { key, id }) {
    if (RANKED.has(scan.index.type)) return { ...scan, after: key }
    return scan.index === ALL_DOCS ? { ...scan, behind: id } : behindRow(scan, key, id, this.#request.descending)
  }

  /** @param {Bookmark | null} bookmark @returns {AsyncGenerator<MergedRow[]>} */
  async * #merged (bookmark) {
    const { scans } = this.#candidate
    const { descending } = this.#request
    const values = bookmark === null ? [] : valuesOf(scans[bookmark.scan].order, bookmark.key)
    const opened = scans.map(scan => {
      if (bookmark === null) return scan
      if (scan.number === bookmark.scan) return this.#behind(scan, bookmark)
      return behindValues(scan, values, { descending, open: scan.number < bookmark.scan })
    })
    for await (const page of mergeScans(opened.map(scan => ({ scan, pages: this.#scan(scan) })), descending)) {
      const rows = bookmark === null ? page : page.filter(row => this.#follows(row, bookmark, values))
      if (rows.length > 0) yield rows
    }
  }

  /**
   * Says whether a row is behind the bookmark: not every scan could be told to begin there.
   *
   * @param {MergedRow} row
   * @param {Bookmark} bookmark
   * @param {any[]} values
   */
  #follows ({ scan, key }, bookmark, values) {
    if (scan.number === bookmark.scan) return true
    const order = compareValues(valuesOf(scan.order, key), values, this.#request.descending)
    return order > 0 || (order === 0 && scan.number > bookmark.scan)
  }

  /**
   * @param {FinderRow[]} rows
   * @param {Scan | null} scan of all of them; null: each has its own
   * @returns {Promise<Found[]>}
   */
  async #examine (rows, scan) {
    const documents = scan === null ? await this.#readEach(/** @type {MergedRow[]} */ (rows)) : await this.#read(rows, scan)
    return this.#examineFrom({ rows, documents, scan }, 0, [])
  }

  /**
   * Looks at rows from one on. Nearly all are looked at without waiting, which would cost as much as to look.
   *
   * @param {Page} page
   * @param {number} i
   * @param {Found[]} found adds to it
   * @returns {Found[] | Promise<Found[]>}
   */
  #examineFrom (page, i, found) {
    const { rows, documents, scan } = page
    for (; i < rows.length && this.#left > 0; i++) {
      const document = documents === null ? null : documents[i]
      if (document !== undefined && this.#turn.isLong) return this.#turn.end().then(() => this.#examineFrom(page, i, found))
      this.keys++
      if (document === undefined) continue
      const own = scan ?? /** @type {Scan} */ (rows[i].scan)
      const looked = this.#look(rows[i], document, own)
      if (looked instanceof Promise) return looked.then(doc => this.#examineFrom(page, i + 1, this.#gather(found, rows[i], document, own, doc)))
      this.#gather(found, rows[i], document, own, looked)
    }
    return found
  }

  /** @param {Found[]} found @param {ScanRow} row @param {Document | null} document @param {Scan} scan @param {any} doc null where it does not match */
  #gather (found, row, document, scan, doc) {
    if (doc !== null && this.#take(row, scan)) found.push({ doc, document, at: /** @type {Place} */ (this.last) })
    return found
  }

  /**
   * @param {ScanRow} row
   * @param {Document | null} document
   * @param {Scan} scan
   * @returns {any} the document, null where it does not match; a promise of a large one, or of a selector that takes long
   */
  #look (row, document, scan) {
    if (document === null) return this.#judge(fromRow(scan.index.columns, row), 0, scan)
    this.documents++
    if (scan.index === ALL_DOCS && row.id.startsWith('_design/')) return null
    const { length } = document.body
    const doc = toObjectInTurns(document)
    return doc instanceof Promise ? doc.then(read => this.#judge(read, length, scan)) : this.#judge(doc, length, scan)
  }

  /** @param {any} doc @param {number} length @param {Pick<Scan, 'accepts'>} scan @returns {any} */
  #judge (doc, length, { accepts }) {
    const accepted = (accepts ?? this.#request.accepts)(doc, length, this.#database.name)
    if (accepted instanceof Promise) return accepted.then(yes => yes ? doc : null)
    return accepted ? doc : null
  }

  /** @param {ScanRow} row @param {Scan} scan @returns {boolean} whether one that matches is not skipped */
  #take (row, { index, number }) {
    this.last = { scan: number, key: index === ALL_DOCS ? row.id : row.key, id: row.id }
    if (this.#skip > 0) {
      this.#skip--
      return false
    }
    this.#left--
    this.returned++
    return true
  }

  /**
   * The documents of rows, undefined where there is none any more; null where the rows say all.
   * @param {ScanRow[]} rows
   * @param {Scan} scan
   * @returns {Promise<Array<Document | undefined> | null>}
   */
  async #read (rows, scan) {
    if (scan.covers) return null
    if (rows[0].document !== undefined) return rows.map(({ document }) => document)
    const read = await this.#database.bulkGet(rows.map(({ id }) => ({ id })), { conflicts: this.#request.conflicts })
    return read.map(result => 'ok' in result ? result.ok : undefined)
  }

  /**
   * The same of rows of several scans; null for a row that says all.
   *
   * @param {MergedRow[]} rows
   * @returns {Promise<Array<Document | null | undefined>>}
   */
  async #readEach (rows) {
    const missing = rows.filter(({ scan }) => !scan.covers)
    const read = missing.length === 0 ? [] : /** @type {Array<Document | undefined>} */ (await this.#read(missing, missing[0].scan))
    let next = 0
    return rows.map(({ scan }) => scan.covers ? null : read[next++])
  }
}

module.exports = { Finder }
