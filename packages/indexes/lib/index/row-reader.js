'use strict'

const { readRow } = require('../rows/row')
const { encodeCount } = require('../rows/row-layout')
const { countRows, readFew, readPages } = require('./row-pages')

/** @typedef {import('../rows/key-range').KeyRange} KeyRange */

/** Reads rows of one index as objects: those that there are when they are read, or those of a snapshot. */
class RowReader {
  #space
  #collations
  #rows
  #snapshot

  /**
   * @param {import('../rows/row-layout').IndexSpace} space the document store's
   * @param {import('@potoroo/collation').Collation[]} collations by view
   * @param {string} rows what the keys of the index's rows begin with
   * @param {any} [snapshot]
   */
  constructor (space, collations, rows, snapshot) {
    this.#space = space
    this.#collations = collations
    this.#rows = rows
    this.#snapshot = snapshot
  }

  /** @param {number} view @param {string} partition */
  #prefixOf (view, partition) { return this.#rows + encodeCount(view) + partition }

  /**
   * The rows of a view, page by page, as they are when the first is read.
   *
   * @param {number} view
   * @param {KeyRange} range
   * @param {number} [limit] how many are wanted: no more are read
   * @param {string} [partition] `name:`, in an index of partitions
   * @returns {AsyncGenerator<Array<{ id: string, key: any, value: any }>>}
   */
  pages (view, range, limit = Infinity, partition = '') {
    const rows = this.#prefixOf(view, partition)
    const readOne = (/** @type {string} */ key, /** @type {string} */ text) => readRow(this.#collations[view], key, text, rows.length)
    const accepts = range.accepts && ((/** @type {{ key: any }} */ { key }) => /** @type {NonNullable<KeyRange['accepts']>} */ (range.accepts)(key))
    return readPages(this.#space, rows, range, { limit, readOne, accepts, snapshot: this.#snapshot })
  }

  /**
   * The same of a range, all at once, where the level reads them so and they are few.
   *
   * @param {number} view
   * @param {KeyRange} range
   * @param {number} wanted how many at most
   * @param {string} [partition]
   * @returns {Array<{ id: string, key: any, value: any }> | undefined}
   */
  few (view, range, wanted, partition = '') {
    this.#space.assertOpen()
    const rows = this.#prefixOf(view, partition)
    return readFew(this.#space, rows, range, wanted, (key, text) => readRow(this.#collations[view], key, text, rows.length), this.#snapshot)
  }

  /**
   * Counts the rows of a view that a range has, up to about that many.
   *
   * @param {number} view
   * @param {KeyRange} range
   * @param {number} most
   * @param {string} [partition]
   */
  count (view, range, most, partition = '') { return countRows(this.#space, this.#prefixOf(view, partition), range, { most, snapshot: this.#snapshot }) }
}

module.exports = { RowReader }
