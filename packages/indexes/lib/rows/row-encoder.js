'use strict'

const { couchCollation, pouchCollation, rawCollation } = require('@potoroo/collation')
const { encodeRow, sortRows } = require('./encode-row')

/** UTF-16 units of a part, and rows, except for a row that is longer. */
const PART = 256 * 1024
const MOST_ROWS = 2000

/** Whether a part of a document's rows has the first of them, and the last. */
const STARTS = 1
const ENDS = 2

const collations = Object.fromEntries([couchCollation, pouchCollation, rawCollation].map(collation => [collation.name, collation]))

/**
 * Encodes rows in a thread of the query server, so that whoever stores them need not look at them:
 * `{ documents, emits, numbers, text, faults }`. The rows of a document are sorted. `text` is of all rows, of each
 * its view and key, encoded, and its level's value; `numbers` are, for each run of rows of one document
 *
 *   count of rows, flags, { units of the key, units of the value, bytes of both,
 *   how many of the same key came before } of each
 *
 * `faults` are documents, by their place in the part, with rows that have no key, and why.
 *
 * @param {{ names: string[], places: string[] }} options names of the views' collations, and what their rows begin with
 * @returns {import('@potoroo/query-server').RowEncoder}
 */
function makeEncoder ({ names, places }) {
  return new Encoder(names.map(name => collations[name]), places)
}

/**
 * @typedef {import('./row').Row} Row
 * @typedef {import('@potoroo/query-server').RowPart} RowPart
 */
class Encoder {
  #collations
  #places
  /** The rows of the document that is read, by view; null: it has none there, whatever comes. @type {Array<Row[] | null>} */
  #views
  /** UTF-16 units of that, without places. */
  #units = 0
  #documents = 0
  /** @type {number[]} */
  #numbers = []
  /** Makes the text. @type {string[]} */
  #pieces = []
  #written = 0
  #rows = 0
  /** @type {Array<[number, string]>} */
  #faults = []

  /**
   * @param {import('@potoroo/collation').Collation[]} collations
   * @param {string[]} places
   */
  constructor (collations, places) {
    this.#collations = collations
    this.#places = places
    this.#views = collations.map(() => [])
  }

  /** @param {Array<Array<[any, any]> | null>} views */
  add (views) {
    for (let view = 0; view < views.length; view++) {
      const rows = views[view]
      if (rows === null) this.#views[view] = null
      else if (this.#views[view] !== null) this.#encode(/** @type {Row[]} */ (this.#views[view]), rows, view)
    }
  }

  /** @param {Row[]} encoded @param {Array<[any, any]>} rows @param {number} view */
  #encode (encoded, rows, view) {
    const collation = this.#collations[view]
    try {
      for (let i = 0; i < rows.length; i++) {
        const row = encodeRow(collation, rows[i][0], rows[i][1])
        this.#units += row.row.length + row.value.length
        encoded.push(row)
      }
    } catch (error) {
      // Nested too deeply: a fault of this document, as if the function had thrown.
      if (!(error instanceof RangeError)) throw error
      this.#views[view] = null
      this.#faults.push([this.#documents, error.message])
    }
  }

  /** @param {(part: RowPart) => void} send */
  end (send) {
    if (this.#documents > 0 && !this.#fits()) this.#send(send)
    let run = this.#begin(STARTS)
    for (let view = 0; view < this.#views.length; view++) {
      const rows = this.#views[view] ?? []
      sortRows(this.#collations[0].compareValues, rows)
      for (let i = 0, more = 0; i < rows.length; i++) {
        if (this.#isFull) run = this.#divide(send)
        more = i > 0 && rows[i - 1].row === rows[i].row ? more + 1 : 0
        this.#write(this.#places[view], rows[i], more)
        this.#numbers[run]++
      }
      this.#views[view] = []
    }
    this.#numbers[run + 1] |= ENDS
    this.#documents++
    this.#units = 0
    if (this.#isFull) this.#send(send)
  }

  /** Rows of one document are divided only where they are too many for any part. */
  #fits () {
    let rows = this.#rows
    for (const view of this.#views) rows += view?.length ?? 0
    return rows <= MOST_ROWS && this.#written + this.#units <= PART
  }

  get #isFull () { return this.#written >= PART || this.#rows >= MOST_ROWS }

  /** @param {number} flags @returns {number} where the numbers of the run begin */
  #begin (flags) { return this.#numbers.push(0, flags) - 2 }

  /** @param {(part: RowPart) => void} send */
  #divide (send) {
    this.#send(send)
    return this.#begin(0)
  }

  /** @param {string} place @param {Row} encoded @param {number} more */
  #write (place, { row, value }, more) {
    const units = place.length + row.length
    this.#numbers.push(units, value.length, place.length + Buffer.byteLength(row) + bytesOf(value), more)
    this.#pieces.push(place, row, value)
    this.#written += units + value.length
    this.#rows++
  }

  /** @param {(part: RowPart) => void} send */
  #send (send) { send(this.rest()) }

  rest () {
    const part = { documents: this.#documents, emits: this.#rows, numbers: new Uint32Array(this.#numbers), text: this.#pieces.join(''), faults: this.#faults }
    this.#documents = 0
    this.#numbers = []
    this.#pieces = []
    this.#written = 0
    this.#rows = 0
    this.#faults = []
    return part
  }
}

/** @param {string} text */
function bytesOf (text) { return text === '' ? 0 : Buffer.byteLength(text) }

module.exports = { ENDS, MOST_ROWS, STARTS, makeEncoder }
