'use strict'

/**
 * A row as JSON texts, except for its id. Rows of a reduction have no id, and where it failed the error in
 * the place of a value, and `start` says what the encoded keys of its group begin with; `doc` is there with include_docs.
 * @typedef {{ id: string, key: string, value: string, doc?: string, start?: undefined }} MappedRow
 * @typedef {MappedRow | { key: string, value: string, start?: string } | { key: string, error: string, reason: string, start?: undefined }} TextRow
 */

/**
 * The answer of a view: a header, and rows that are read as they are asked for, all of one moment.
 * Whoever does not iterate it to some end closes it.
 */
class ViewResult {
  #pages
  #close

  /**
   * @param {{ totalRows?: number, offset?: number, updateSeq?: number }} header
   * @param {AsyncIterable<TextRow[]>} pages
   * @param {() => Promise<void>} close lets go of what the pages are read from
   */
  constructor ({ totalRows, offset, updateSeq }, pages, close) {
    this.#pages = pages
    this.#close = close
    /** Rows of the whole view; undefined of a reduction, as `offset`. */
    this.totalRows = totalRows
    /** Rows before the first one of the answer. */
    this.offset = offset
    /** The update sequence of the database that the rows reflect; undefined where it would tell what others write. */
    this.updateSeq = updateSeq
  }

  /** Pages of rows, each as the JSON text of an object. @returns {AsyncGenerator<string[]>} */
  async * texts () {
    try {
      for await (const page of this.#pages) yield page.map(toText)
    } finally {
      await this.#close()
    }
  }

  /** Pages of rows as objects. @returns {AsyncGenerator<any[]>} */
  async * [Symbol.asyncIterator] () {
    for await (const page of this.texts()) yield page.map(text => JSON.parse(text))
  }

  /** All of it in CouchDB's form: `{ total_rows, offset, rows }`, or `{ rows }` of a reduction. */
  async toObject () {
    const rows = []
    for await (const page of this) {
      for (const row of page) rows.push(row)
    }
    if (this.totalRows === undefined) return { rows }
    return { total_rows: this.totalRows, offset: this.offset, rows }
  }

  async close () { await this.#close() }
}

/** @param {{ id?: string, key: string, value?: string, doc?: string, error?: string, reason?: string }} row a `TextRow` */
function toText ({ id, key, value, doc, error, reason }) {
  if (error !== undefined) return `{"key":${key},"error":${error},"reason":${reason}}`
  if (id === undefined) return `{"key":${key},"value":${value}}`
  const row = `{"id":${JSON.stringify(id)},"key":${key},"value":${value}`
  return doc === undefined ? row + '}' : `${row},"doc":${doc}}`
}

/**
 * Rows that are there as pages.
 *
 * @template {TextRow} R
 * @param {R[]} rows
 * @returns {AsyncGenerator<R[]>}
 */
async function * pagesOf (rows) { if (rows.length > 0) yield rows }

module.exports = { ViewResult, pagesOf }
