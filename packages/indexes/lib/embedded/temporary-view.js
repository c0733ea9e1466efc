'use strict'

const { nextRound } = require('@potoroo/document-store')
const { readRow, tellApart } = require('../rows/row')
const { pouchCollation } = require('@potoroo/collation')
const { mapAll } = require('./map-functions')
const { rangesOf } = require('./query-options')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('../index/view-index').Observer} Observer
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('../rows/row').Row} Row
 * @typedef {import('./query-options').QueryOptions} QueryOptions
 */

/** The text before the key in a row: its view. */
const PLACE = 'a0'

/** Rows that are kept at least beyond those that are wanted, so that they are seldom sorted. */
const SLACK = 1000

/**
 * The rows that one query wants.
 *
 * @typedef {{ ranges: import('../rows/key-range').KeyRange[], most: number }} Wanted most: of the
 *   only range, in its direction
 */

/**
 * @param {QueryOptions} options of `db.query`, checked
 * @param {boolean} reduces
 * @returns {Wanted}
 */
function wantedOf (options, reduces) {
  const ranges = rangesOf(options)
  const { limit, skip } = options
  const isLimited = typeof limit === 'number' && !reduces && ranges.length === 1 && ranges[0].accepts === undefined
  return { ranges, most: isLimited ? limit + (skip || 0) : Infinity }
}

/**
 * The rows of a view that is in no design document. They are made for one query, in memory: those in
 * its ranges, and where it has a limit no more than twice as many, and some.
 */
class TemporaryView {
  /** @type {Array<{ key: string, value: string }>} */
  #rows = []
  #wanted

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('./map-functions').MapDocument} mapDocument
   * @param {import('../index/view-index').Observer} observer
   * @param {Wanted} wanted
   */
  static async of (store, mapDocument, observer, wanted) {
    const view = new TemporaryView(wanted)
    try {
      await view.#read(store, mapAll(mapDocument), observer)
      observer.onEnd?.()
    } catch (error) {
      observer.onEnd?.(error)
      throw error
    }
    return view
  }

  /** Use `of`. @param {Wanted} wanted */
  constructor (wanted) {
    this.#wanted = wanted
    this.counts = [0]
    this.seq = 0
  }

  /** @param {DocumentStore} store @param {import('./map-functions').MapDocuments} map @param {Observer} observer */
  async #read (store, map, observer) {
    const { rows, totalRows, updateSeq } = await store.allDocs({ includeDocs: true, conflicts: true })
    observer.onStart?.(/** @type {number} */ (totalRows))
    for await (const page of /** @type {AsyncIterable<Array<{ id: string, document: Document }>>} */ (rows)) {
      const documents = page.filter(({ id }) => !id.startsWith('_')).map(({ document }) => document)
      const mapped = await map(documents, observer)
      for (let i = 0; i < documents.length; i++) this.#add(documents[i].id, mapped[i])
      if (this.#rows.length > 2 * this.#wanted.most + SLACK) this.#trim()
      observer.onStep?.({ seq: updateSeq, documents: page.length })
      await nextRound()
    }
    this.#rows.sort(byKey)
    this.seq = updateSeq
  }

  /** @param {string} id @param {Row[]} rows */
  #add (id, rows) {
    const more = tellApart(pouchCollation.compareValues, rows)
    this.counts[0] += rows.length
    for (let i = 0; i < rows.length; i++) {
      const key = `${rows[i].row}${id}\0${more[i]}`
      if (this.#wanted.ranges.some(range => isIn(range, key))) this.#rows.push({ key, value: rows[i].value })
    }
  }

  #trim () {
    const { ranges: [{ descending }], most } = this.#wanted
    this.#rows.sort(byKey)
    this.#rows = descending ? this.#rows.slice(Math.max(0, this.#rows.length - most)) : this.#rows.slice(0, most)
  }

  /**
   * @param {number} view
   * @param {import('../rows/key-range').KeyRange} range
   * @param {number} [limit]
   */
  async * pages (view, range, limit = Infinity) {
    const { low, high, descending, accepts } = range
    const first = low === undefined ? 0 : this.#find(PLACE + low)
    const end = high === undefined ? this.#rows.length : this.#find(PLACE + high)
    const rows = []
    for (let i = 0; i < end - first && rows.length < limit; i++) {
      const { key, value } = this.#rows[descending ? end - 1 - i : first + i]
      const row = readRow(pouchCollation, key, value, PLACE.length)
      if (accepts === undefined || accepts(row.key)) rows.push(row)
    }
    if (rows.length > 0) yield rows
  }

  /** How many rows are below a key. @param {string} key */
  #find (key) {
    let [low, high] = [0, this.#rows.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#rows[middle].key < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** @param {import('../rows/key-range').KeyRange} range @param {string} key */
function isIn ({ low, high }, key) {
  return (low === undefined || key >= PLACE + low) && (high === undefined || key < PLACE + high)
}

/** @param {{ key: string }} a @param {{ key: string }} b */
function byKey (a, b) { return a.key < b.key ? -1 : a.key > b.key ? 1 : 0 }

module.exports = { TemporaryView, wantedOf }
