'use strict'

const { recordsOf } = require('./row-pages')

/** Reads records of a view's rows in one direction, and may leave some out. */
class RowCursor {
  #space
  #iterator
  #rows
  #release

  /**
   * @param {import('../rows/row-layout').IndexSpace} space the document store's
   * @param {string} rows what the keys of the view's rows begin with
   * @param {import('../rows/key-range').KeyRange} range
   * @param {any} [snapshot]
   */
  constructor (space, rows, range, snapshot) {
    this.#space = space
    this.#rows = rows
    this.#iterator = space.keyspace.entries({ ...recordsOf(rows, range), snapshot })
    this.#release = space.hold(() => this.#iterator.close())
  }

  /** Returns where the encoded key begins in a record's. */
  get keyStart () { return this.#rows.length }

  /** @param {number} size @returns {Promise<Array<[string, string]>>} at most that many records; none at the end */
  page (size) { return this.#space.nextPage(this.#iterator, size) }

  /**
   * Goes to a place in the range, which is ahead.
   * @param {string} row
   */
  seek (row) { this.#iterator.seek(this.#rows + row) }

  async close () { await this.#release() }
}

module.exports = { RowCursor }
