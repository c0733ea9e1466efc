'use strict'

const { setImmediate: nextRound } = require('node:timers/promises')
const { readRow, tellApart } = require('../rows/row')
const { pouchCollation } = require('@potoroo/collation')
const { mapAll } = require('./map-functions')

/** The rows of a view that is in no design document. They are made for one query, in memory. */
class TemporaryView {
  #rows = []

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('./map-functions').MapDocument} mapDocument
   * @param {import('../rows/view-index').Observer} observer
   */
  static async of (store, mapDocument, observer) {
    const view = new TemporaryView()
    try {
      await view.#read(store, mapAll(mapDocument), observer)
      observer.onEnd?.()
    } catch (error) {
      observer.onEnd?.(error)
      throw error
    }
    return view
  }

  async #read (store, map, observer) {
    const { rows, totalRows, updateSeq } = await store.allDocs({ includeDocs: true, conflicts: true })
    observer.onStart?.(totalRows)
    for await (const page of rows) {
      const documents = page.filter(({ id }) => !id.startsWith('_')).map(({ document }) => document)
      const mapped = await map(documents, observer)
      for (let i = 0; i < documents.length; i++) this.#add(documents[i].id, mapped[i])
      observer.onStep?.({ seq: updateSeq, documents: page.length })
      await nextRound()
    }
    this.#rows.sort(byKey)
    this.seq = updateSeq
    this.counts = [this.#rows.length]
  }

  #add (id, rows) {
    const more = tellApart(pouchCollation.compareValues, rows)
    for (let i = 0; i < rows.length; i++) this.#rows.push({ key: `${rows[i].row}${id}\0${more[i]}`, value: rows[i].value })
  }

  /**
   * @param {number} view
   * @param {import('../rows/key-range').KeyRange} range
   * @param {number} [limit]
   */
  async * pages (view, range, limit = Infinity) {
    const { low, high, descending, accepts } = range
    const first = low === undefined ? 0 : this.#find(low)
    const end = high === undefined ? this.#rows.length : this.#find(high)
    const rows = []
    for (let i = 0; i < end - first && rows.length < limit; i++) {
      const { key, value } = this.#rows[descending ? end - 1 - i : first + i]
      const row = readRow(pouchCollation, key, value, PLACE)
      if (accepts === undefined || accepts(row.key)) rows.push(row)
    }
    if (rows.length > 0) yield rows
  }

  /** How many rows are below a key. */
  #find (key) {
    let [low, high] = [0, this.#rows.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#rows[middle].key.slice(PLACE) < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** What stands before the key in a row: its view. */
const PLACE = 'a0'.length

function byKey (a, b) { return a.key < b.key ? -1 : a.key > b.key ? 1 : 0 }

module.exports = { TemporaryView }
