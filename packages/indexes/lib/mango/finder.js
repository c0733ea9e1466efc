'use strict'

const { setImmediate: nextRound } = require('node:timers/promises')
const { toObject } = require('@potoroo/document-store')
const { ALL_DOCS } = require('./index-descriptor')
const { compareValues, mergeScans } = require('./merge-scans')
const { fromRow } = require('./projection')
const { behindRow, behindValues, valuesOf } = require('./ranges')
const { scanRows } = require('./scan-rows')

/** Documents that are read at once. */
const LEAST_READ = 8
const MOST_READ = 128

/** Milliseconds after which others may run. */
const SLICE = 10

/**
 * A document that was found: `document` as the store reads it; or, where an index's row says all, `doc` alone.
 * @typedef {{ doc: any, document: import('@potoroo/document-store').Document | null }} Found
 */

/** Carries out a find: reads rows and documents until there are enough that match. */
class Finder {
  #database
  #candidate
  #request
  #left
  #skip
  #since = performance.now()

  /** Rows and documents that were looked at. */
  keys = 0
  documents = 0
  returned = 0
  /** The row of the last document that matched. @type {{ scan: number, key: any, id: string } | null} */
  last = null

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {import('./candidates').Candidate} candidate
   * @param {import('./find-request').FindRequest} request
   */
  constructor (database, candidate, request) {
    this.#database = database
    this.#candidate = candidate
    this.#request = request
    this.#left = request.limit
    this.#skip = request.skip
  }

  /**
   * @param {import('./bookmark').Bookmark | null} bookmark where to go on
   * @returns {AsyncGenerator<Found[]>}
   */
  async * find (bookmark) {
    if (this.#left === 0) return
    for await (const rows of this.#rows(bookmark)) {
      let pace = this.#pace
      for (let at = 0; at < rows.length; at += pace) {
        pace = this.#pace
        const found = await this.#examine(at === 0 && rows.length <= pace ? rows : rows.slice(at, at + pace))
        if (found.length > 0) yield found
        if (this.#left === 0) return
        await this.#breathe()
      }
    }
  }

  /** How many documents to read next: as many as are wanted, if all of them match. */
  get #pace () { return Math.min(Math.max(this.#left + this.#skip, LEAST_READ), MOST_READ) }

  async #breathe () {
    if (performance.now() - this.#since < SLICE) return
    await nextRound()
    this.#since = performance.now()
  }

  async * #rows (bookmark) {
    const { merges, scans } = this.#candidate
    if (merges) return yield * this.#merged(bookmark)
    for (let i = bookmark?.scan ?? 0; i < scans.length; i++) {
      const scan = i === bookmark?.scan ? this.#behind(scans[i], bookmark) : scans[i]
      for await (const page of this.#scan(scan)) {
        for (const row of page) /** @type {any} */ (row).scan = scan
        yield page
      }
    }
  }

  #scan (scan) {
    const { descending, conflicts } = this.#request
    return scanRows(this.#database, scan, { descending, conflicts, wanted: this.#left + this.#skip })
  }

  #behind (scan, { key, id }) {
    return scan.index === ALL_DOCS ? { ...scan, behind: id } : behindRow(scan, key, id, this.#request.descending)
  }

  async * #merged (bookmark) {
    const { scans } = this.#candidate
    const { descending } = this.#request
    const values = bookmark === null ? null : valuesOf(scans[bookmark.scan].order, bookmark.key)
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

  /** Where a scan could not be told to begin behind the bookmark, its rows are. */
  #follows ({ scan, key }, bookmark, values) {
    if (scan.number === bookmark.scan) return true
    const order = compareValues(valuesOf(scan.order, key), values, this.#request.descending)
    return order > 0 || (order === 0 && scan.number > bookmark.scan)
  }

  /** @returns {Promise<Found[]>} */
  async #examine (rows) {
    const documents = await this.#read(rows)
    const found = []
    for (let i = 0; i < rows.length && this.#left > 0; i++) {
      const row = rows[i]
      this.keys++
      const document = documents[i]
      if (document === undefined) continue
      if (document !== null) this.documents++
      if (row.scan.index === ALL_DOCS && row.id.startsWith('_design/')) continue
      const doc = document === null ? fromRow(row.scan.index.columns, row) : toObject(document)
      if (!(row.scan.accepts ?? this.#request.matches)(doc)) continue
      this.last = { scan: row.scan.number, key: row.scan.index === ALL_DOCS ? row.id : row.key, id: row.id }
      if (this.#skip > 0) {
        this.#skip--
        continue
      }
      this.#left--
      this.returned++
      found.push({ doc, document })
    }
    return found
  }

  /**
   * The documents of rows: null where the row says all, undefined where there is none any more.
   * @returns {Promise<Array<any>>}
   */
  async #read (rows) {
    const documents = rows.map(({ scan, document }) => scan.covers ? null : document)
    const missing = rows.filter((row, i) => documents[i] === undefined)
    if (missing.length === 0) return documents
    const read = await this.#database.bulkGet(missing.map(({ id }) => ({ id })), { conflicts: this.#request.conflicts })
    let next = 0
    return documents.map(document => document === undefined ? /** @type {any} */ (read[next++]).ok : document)
  }
}

module.exports = { Finder }
