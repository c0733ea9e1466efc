'use strict'

const { Turn } = require('@potoroo/document-store')
const { MOST_ROWS } = require('../rows/row-encoder')

/** Bytes of rows that are written at once, except for a row that is longer. */
const MOST_BYTES = 512 * 1024

/**
 * Writes the rows of a batch of documents as they come, in commits that hold up nobody for long. The index
 * reaches a document's sequence once all of its rows are in.
 *
 * @typedef {{ id: string, seq?: number, isMapped: boolean }} BatchDocument those that are not mapped have no rows
 * @typedef {import('../rows/row').Row} Row
 * @typedef {import('../rows/row-runs').Run} Run
 */
class BatchWriter {
  #rows
  #documents
  #fresh
  #write
  #turn = new Turn()
  /** The rows of this document come next. */
  #next = 0
  /** How many parts of that document's rows are written. */
  #part = 0
  /** Documents with all of their rows that are not written yet. @type {import('../index/row-index').DocumentRows[]} */
  #whole = []
  #wholeRows = 0
  #wholeBytes = 0

  /**
   * @param {import('../index/row-index').RowIndex} rows
   * @param {BatchDocument[]} documents
   * @param {{ fresh: boolean, write: (task: () => Promise<void>) => Promise<void> }} options fresh: none of them has
   *   rows; write: does it, unless it is not to be done any more
   */
  constructor (rows, documents, { fresh, write }) {
    this.#rows = rows
    this.#documents = documents
    this.#fresh = fresh
    this.#write = write
  }

  /**
   * @param {Run} run of the next document that is mapped
   * @returns {void | Promise<void>} a promise where something is written
   */
  take (run) {
    this.#skip()
    return run.starts && run.ends && this.#part === 0 ? this.#takeWhole(run.rows) : this.#takePart(run)
  }

  /** @param {Run} run */
  async #takePart (run) {
    if (run.starts) await this.#begin()
    const { id, seq } = this.#documents[this.#next]
    const place = { part: this.#part, fresh: this.#fresh, isLast: run.ends, seq }
    await this.#writeNow(() => this.#rows.extend({ id, rows: run.rows }, place))
    this.#part = run.ends ? 0 : this.#part + 1
    if (run.ends) this.#next++
  }

  /** Documents without rows take part. */
  #skip () {
    while (this.#next < this.#documents.length && !this.#documents[this.#next].isMapped) this.#add([])
  }

  /** @param {Row[]} rows */
  #add (rows) {
    this.#whole.push({ id: this.#documents[this.#next].id, rows })
    this.#next++
  }

  /** @param {Row[]} rows */
  #takeWhole (rows) {
    let bytes = 0
    for (let i = 0; i < rows.length; i++) bytes += rows[i].bytes ?? rows[i].value.length
    const isMore = this.#wholeRows > 0 && (this.#wholeRows + rows.length > MOST_ROWS || this.#wholeBytes + bytes > MOST_BYTES)
    if (isMore) return this.#flush().then(() => this.#gather(rows, bytes))
    this.#gather(rows, bytes)
  }

  /** @param {Row[]} rows @param {number} bytes */
  #gather (rows, bytes) {
    this.#add(rows)
    this.#wholeRows += rows.length
    this.#wholeBytes += bytes
  }

  /** A document whose rows come in parts; it may have begun before, and failed. */
  async #begin () {
    if (this.#part > 0) this.#fresh = false
    this.#part = 0
    await this.#flush()
  }

  async #flush () {
    if (this.#whole.length === 0) return
    const { seq } = this.#documents[this.#next - 1]
    await this.#writeWhole({ seq })
  }

  /** @param {{ seq?: number }} reached */
  async #writeWhole (reached) {
    const documents = this.#whole
    this.#whole = []
    this.#wholeRows = 0
    this.#wholeBytes = 0
    await this.#writeNow(() => this.#rows.replace(documents, { ...reached, fresh: this.#fresh }))
  }

  /** @param {() => Promise<void>} task */
  async #writeNow (task) {
    await this.#write(task)
    if (this.#turn.isLong) await this.#turn.end()
  }

  /** @param {{ seq?: number }} reached with the whole batch */
  async end (reached) {
    this.#skip()
    await this.#writeWhole(reached)
  }
}

module.exports = { BatchWriter }
