'use strict'

const { EventEmitter } = require('node:events')
const { hasAllRows, pickFields } = require('@potoroo/indexes')
const errors = require('pouchdb-errors')

const { toPouchDocument } = require('./outgoing-document')
const { toQueryError } = require('./pouch-error')

const { createError } = errors

/** Members of a find that a live one does not take: all that the selector accepts is in its result, in the order of events. */
const REFUSED = ['limit', 'skip', 'sort', 'use_index']

/** @typedef {{ adapter: import('./adapter').Adapter, views: import('@potoroo/indexes').EmbeddedViews }} Opened */

/** One run of `db.find({ live: true })`: see index.d.ts. Events come after the turn in which it was made. */
class LiveFind extends EventEmitter {
  #db
  #request
  #opened
  #ending = new AbortController()

  /**
   * @param {any} db the PouchDB instance
   * @param {Record<string, any>} request
   * @param {() => Opened | null} opened asked once it is open; null where other methods than the adapter's read
   */
  constructor (db, request, opened) {
    super()
    this.#db = db
    this.#request = request
    this.#opened = opened
    this.#run()
  }

  cancel () { this.#ending.abort() }

  async #run () {
    // Not in the promise: an error that nobody listens for is thrown, as by other emitters.
    try {
      const bookmark = await this.#tell()
      process.nextTick(() => this.emit('complete', { bookmark }))
    } catch (error) {
      process.nextTick(() => this.emit('error', toQueryError(error)))
    }
  }

  /** @returns {Promise<string | undefined>} the bookmark behind all events */
  async #tell () {
    const search = await this.#search()
    const { signal } = this.#ending
    if (signal.aborted) return this.#request.bookmark
    const opened = this.#opened()
    if (opened === null) throw createError(errors.BAD_REQUEST, 'A live find reads the store, and a plugin has replaced how this database is read.')
    return opened.adapter.during(this, async () => {
      const { selector, bookmark, known } = this.#request
      const live = await opened.views.follow(selector, { search, bookmark, known, signal })
      let last = bookmark
      for await (const page of live) {
        for (const event of page) {
          if (signal.aborted) return last
          last = event.bookmark
          this.emit(event.type, this.#show(event))
        }
      }
      return live.bookmark
    })
  }

  /**
   * pouchdb-find says what is wrong with the request, and plans no more than it can: not all its plans find all documents.
   *
   * @returns {Promise<(() => Promise<any[]>) | undefined>}
   */
  async #search () {
    const { selector, fields } = this.#request
    const refused = REFUSED.find((name) => this.#request[name] !== undefined)
    if (refused !== undefined) throw createError(errors.BAD_REQUEST, `A live find takes no ${refused}.`)
    if (fields !== undefined && !Array.isArray(fields)) throw createError(errors.BAD_REQUEST, 'fields must be an array')
    await this.#db.find({ selector, fields, limit: 0 })
    const { indexes } = await this.#db.getIndexes()
    const [index] = indexes.filter((/** @type {any} */ { type, def }) => type === 'json' && hasAllRows(selector, def))
      .toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.def.fields.length - a.def.fields.length)
    if (index === undefined) return
    const request = { selector, use_index: [index.ddoc, index.name], limit: Number.MAX_SAFE_INTEGER }
    return async () => (await this.#db.find(request)).docs
  }

  /** @param {import('@potoroo/indexes').SelectorEvent} event */
  #show ({ type, document, doc, ...event }) {
    const { fields } = this.#request
    const shown = document === undefined ? doc : toPouchDocument(document)
    if (shown === undefined) return event
    return { ...event, doc: fields === undefined ? shown : pickFields(shown, fields) }
  }
}

module.exports = { LiveFind }
