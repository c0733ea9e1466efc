'use strict'

const { hasAllRows, pickFields } = require('@potoroo/indexes/lib/live/find-form')
const { load } = require('./load')

/** The part of @potoroo/indexes that the adapter uses. */

/** Stands for the views of a database until they are loaded. */
class EmbeddedViews {
  #store
  /** @type {any} */
  #views

  /** @param {import('@potoroo/document-store').DocumentStore} store */
  constructor (store) { this.#store = store }

  /** @param {string} method @param {any[]} args */
  async #ask (method, args) {
    const { EmbeddedViews } = await load()
    this.#views ??= new EmbeddedViews(this.#store)
    return this.#views[method](...args)
  }

  static {
    for (const method of ['query', 'queryIndex', 'findInIndex', 'findInAll', 'follow', 'indexDocuments', 'queryTemporary', 'querySaved', 'dropSaved', 'cleanup']) {
      /** @type {any} */ (this.prototype)[method] = /** @this {EmbeddedViews} @param {any[]} args */ function (...args) { return this.#ask(method, args) }
    }
  }
}

module.exports = { EmbeddedViews, hasAllRows, pickFields }
