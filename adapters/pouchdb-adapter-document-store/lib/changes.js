'use strict'

const errors = require('pouchdb-errors')

const { toPouchError } = require('./pouch-error')
const { toPouchDocument } = require('./outgoing-document')

const { createError } = errors

/**
 * @typedef {import('@potoroo/document-store').Change} Row
 * @typedef {{ id: string, changes: Array<{ rev: string }>, seq: number, deleted?: boolean, doc?: Record<string, any> }} PouchChange
 */

/**
 * One run of `db.changes`. pouchdb-core's Changes object asks for it, with everything resolved:
 * `since` is a number and `filter` a function. It is told of each change by `onChange` and of the
 * end by `complete`.
 */
class ChangesFeed {
  #store
  #options
  #abort = new AbortController()
  #documents = new WeakMap()

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {Record<string, any>} options
   */
  constructor (store, options) {
    this.#store = store
    this.#options = options
  }

  cancel () {
    this.#abort.abort()
  }

  /** Runs to the end. If it is cancelled nobody waits for an answer, so `complete` is not called. */
  async run () {
    const { complete, continuous } = this.#options
    try {
      const result = await (continuous ? this.#follow() : this.#once())
      if (!this.#abort.signal.aborted && !continuous) complete(null, result)
    } catch (error) {
      if (!this.#abort.signal.aborted) complete(toPouchError(error))
    }
  }

  async #once () {
    const { return_docs: returnDocs, limit, descending } = this.#options
    const changes = this.#store.changes({ ...this.#storeOptions(), descending, limit: limit > 0 ? limit : undefined })
    /** @type {PouchChange[]} */
    const results = []
    await this.#tell(changes, returnDocs ? (change) => results.push(change) : undefined)
    return { results, last_seq: changes.lastSeq }
  }

  #follow () {
    return this.#tell(this.#store.follow({ ...this.#storeOptions(), signal: this.#abort.signal }))
  }

  /** @param {import('@potoroo/document-store').Changes} changes @param {(change: PouchChange) => void} [keep] */
  async #tell (changes, keep) {
    for await (const page of changes) {
      for (const row of page) {
        if (this.#abort.signal.aborted) return
        const change = this.#toChange(row)
        this.#options.onChange(change)
        keep?.(change)
      }
    }
  }

  #storeOptions () {
    const options = this.#options
    return {
      since: Math.max(0, Number(options.since) || 0),
      style: options.style,
      includeDocs: Boolean(options.include_docs),
      conflicts: Boolean(options.conflicts),
      attachments: Boolean(options.include_docs && options.attachments),
      docIds: options.doc_ids,
      pending: false,
      filter: typeof options.filter === 'function' ? (/** @type {Row[]} */ page) => this.#filter(page) : undefined
    }
  }

  /** @param {Row[]} page */
  #filter (page) {
    const { filter, query_params: query } = this.#options
    const request = { query }
    return page.map((row) => {
      try {
        return Boolean(filter(this.#toDocument(row), request))
      } catch (error) {
        throw createError(errors.BAD_REQUEST, `Filter function threw: ${error}`)
      }
    })
  }

  /** @param {Row} row */
  #toChange (row) {
    /** @type {PouchChange} */
    const change = { id: row.id, changes: row.changes, seq: row.seq }
    if (row.deleted) change.deleted = true
    if (this.#options.include_docs) change.doc = this.#toDocument(row)
    return change
  }

  /**
   * The filter and the listener see one object, parsed once.
   *
   * @param {Row} row
   */
  #toDocument (row) {
    let doc = this.#documents.get(row)
    if (doc === undefined) {
      doc = toPouchDocument(/** @type {import('@potoroo/document-store').Document} */ (row.document), this.#options)
      if (this.#options.filter) this.#documents.set(row, doc)
    }
    return doc
  }
}

module.exports = { ChangesFeed }
