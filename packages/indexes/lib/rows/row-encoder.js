'use strict'

const { couchCollation, pouchCollation, rawCollation } = require('@potoroo/collation')
const { encodeRow, sortRows } = require('./encode-row')

/** UTF-16 units of a part, and rows, but for a row that is longer. */
const PART = 256 * 1024
const MOST_ROWS = 2000

/** Of a part of a document's rows: whether it has the first of them, and the last. */
const STARTS = 1
const ENDS = 2

const collations = Object.fromEntries([couchCollation, pouchCollation, rawCollation].map(collation => [collation.name, collation]))

/**
 * Encodes rows in a thread of the query server, so that whoever stores them need not look at them:
 * `{ documents, numbers, text, faults }`. The rows of a document are sorted. `text` is of all rows, of each
 * its encoded key and its level's value; `numbers` are, for each run of rows of one document
 *
 *   count of rows, flags, { view, units of the key, units of the value, bytes of both,
 *   how many of the same key came before } of each
 *
 * `faults` are documents, by their place in the part, with rows that have no key, and why.
 *
 * @param {{ names: string[] }} options of the views' collations
 * @returns {import('@potoroo/query-server').RowEncoder}
 */
module.exports = function rowEncoder ({ names }) {
  return new Encoder(names.map(name => collations[name]))
}

class Encoder {
  #collations
  /** Of the document that is read, by view; null: it has none there, whatever comes. @type {Array<import('./row').Row[] | null>} */
  #views
  #documents = 0
  /** @type {number[]} */
  #numbers = []
  #text = ''
  #rows = 0
  /** @type {Array<[number, string]>} */
  #faults = []

  /** @param {import('@potoroo/collation').Collation[]} collations */
  constructor (collations) {
    this.#collations = collations
    this.#views = collations.map(() => [])
  }

  add (views) {
    for (let view = 0; view < views.length; view++) {
      const rows = views[view]
      if (rows === null) this.#views[view] = null
      else if (this.#views[view] !== null) this.#encode(this.#views[view], this.#collations[view], rows, view)
    }
  }

  #encode (encoded, collation, rows, view) {
    try {
      for (const [key, value] of rows) encoded.push(encodeRow(collation, key, value))
    } catch (error) {
      // Nested too deeply: a fault of this document, as if the function had thrown.
      if (!(error instanceof RangeError)) throw error
      this.#views[view] = null
      this.#faults.push([this.#documents, error.message])
    }
  }

  end (send) {
    if (this.#documents > 0 && !this.#fits()) this.#send(send)
    let run = this.#begin(STARTS)
    for (let view = 0; view < this.#views.length; view++) {
      const rows = this.#views[view] ?? []
      sortRows(this.#collations[0].compareValues, rows)
      for (let i = 0, more = 0; i < rows.length; i++) {
        if (this.#isFull) run = this.#divide(send)
        more = i > 0 && rows[i - 1].row === rows[i].row ? more + 1 : 0
        this.#write(rows[i], view, more)
        this.#numbers[run]++
      }
      this.#views[view] = []
    }
    this.#numbers[run + 1] |= ENDS
    this.#documents++
    if (this.#isFull) this.#send(send)
  }

  /** Rows of one document are divided only where they are too many for any part. */
  #fits () {
    let rows = this.#rows
    let units = this.#text.length
    for (const view of this.#views) {
      rows += view?.length ?? 0
      for (const { row, value } of view ?? []) units += row.length + value.length
    }
    return rows <= MOST_ROWS && units <= PART
  }

  get #isFull () { return this.#text.length >= PART || this.#rows >= MOST_ROWS }

  /** @returns {number} where the numbers of the run begin */
  #begin (flags) { return this.#numbers.push(0, flags) - 2 }

  #divide (send) {
    this.#send(send)
    return this.#begin(0)
  }

  #write ({ row, value }, view, more) {
    this.#numbers.push(view, row.length, value.length, Buffer.byteLength(row) + Buffer.byteLength(value), more)
    this.#text += row + value
    this.#rows++
  }

  #send (send) { send(this.rest()) }

  rest () {
    const part = { documents: this.#documents, numbers: Uint32Array.from(this.#numbers), text: this.#text, faults: this.#faults }
    this.#documents = 0
    this.#numbers = []
    this.#text = ''
    this.#rows = 0
    this.#faults = []
    return part
  }
}

Object.assign(module.exports, { ENDS, MOST_ROWS, STARTS })
