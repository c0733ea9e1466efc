'use strict'

const { toObject } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { Catalogue } = require('../index/catalogue')
const { liveSelector } = require('../live/live-selector')
const { findInAll, findInIndex } = require('./find-rows')
const { definitionOf, isEmbedded, isSaved, mapByFunction, savedDefinition } = require('./map-functions')
const { checkQuery } = require('./query-options')
const { runQuery } = require('./run-query')
const { TemporaryView, wantedOf } = require('./temporary-view')

/**
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('../index/view-index').Definition} Definition
 * @typedef {import('./find-rows').Wanted} Wanted
 * @typedef {import('./query-options').QueryOptions} QueryOptions
 */

/**
 * The views and Mango indexes of an application's own PouchDB. They are as pouchdb-mapreduce and
 * pouchdb-find say; functions run in this process.
 *
 * @typedef {import('../index/view-index').Observer} Observer
 */
class EmbeddedViews {
  #store
  /** id → `{ rev, views }` of a design document @type {Map<string, { rev: string, views: Record<string, any> }>} */
  #designs = new Map()
  /** view → the definition of its index @type {WeakMap<object, Definition | null>} */
  #definitions = new WeakMap()
  /** The design documents with Mango indexes, as they were at an update sequence. */
  #listed = { seq: -1, purgeSeq: 0, documents: /** @type {Document[]} */ ([]) }

  /** @param {import('@potoroo/document-store').DocumentStore} store */
  constructor (store) {
    this.#store = store
  }

  /**
   * @param {string} name `design/view`, or `name` for both
   * @param {QueryOptions} options of `db.query`
   * @param {Observer} observer hears of errors and of progress
   */
  async query (name, options, observer) {
    const { id, view, viewName } = await this.#view(name)
    if (typeof view.map !== 'string') {
      throw createError('MISSING', { reason: `ddoc ${id} has no string view named ${viewName}, instead found object of type: ${typeof view.map}` })
    }
    const reduce = reduceOf(view, options)
    checkQuery(options, reduce)
    return this.#run(/** @type {Definition} */ (this.#definitionOf(view)), options, reduce, observer)
  }

  /**
   * The same of a Mango index, as pouchdb-find asks for it.
   *
   * @param {string} name
   * @param {QueryOptions} options
   * @param {Observer} observer
   */
  async queryIndex (name, options, observer) {
    checkQuery(options, undefined)
    return this.#run(await this.#indexDefinition(name), options, undefined, observer)
  }

  /**
   * The rows of a Mango index, with their documents, that pouchdb-find would keep of its query.
   *
   * @param {string} name
   * @param {QueryOptions} options of its query
   * @param {import('./find-rows').Wanted} wanted
   * @param {Observer} observer
   */
  async findInIndex (name, options, wanted, observer) {
    const index = (await Catalogue.of(this.#store)).open(await this.#indexDefinition(name))
    await index.update(observer)
    return findInIndex(this.#store, index.rows, options, wanted)
  }

  /**
   * The same where all documents have to be looked at: options are those of `allDocs`.
   *
   * @param {QueryOptions} options
   * @param {Wanted} wanted
   */
  findInAll (options, wanted) { return findInAll(this.#store, options, wanted) }

  /**
   * Follows what a selector accepts: see index.d.ts.
   *
   * @param {Record<string, any>} selector
   * @param {Parameters<typeof liveSelector>[2]} options
   */
  follow (selector, options) { return liveSelector(this.#store, selector, options) }

  /** @param {string} name @returns {Promise<Definition>} */
  async #indexDefinition (name) {
    const { id, view, viewName } = await this.#view(name)
    const definition = typeof view.map === 'string' ? null : this.#definitionOf(view)
    if (definition !== null) return definition
    throw badRequest(`ddoc ${id} with view ${viewName} doesn't have map.fields defined. maybe it wasn't created by this plugin?`)
  }

  /** The design documents that may have Mango indexes, parsed for each caller, who may change them. */
  async indexDocuments () {
    const { updateSeq: seq, purgeSeq } = this.#store
    if (this.#listed.seq !== seq || this.#listed.purgeSeq !== purgeSeq) {
      const documents = []
      // Most design documents are none; that is seen without parsing them.
      for await (const document of this.#designDocuments()) if (document.body.includes('"query"')) documents.push(document)
      this.#listed = { seq, purgeSeq, documents }
    }
    return this.#listed.documents.map(document => toObject(document))
  }

  async * #designDocuments () {
    const { rows } = await this.#store.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
    for await (const page of rows) {
      for (const { document } of /** @type {Array<{ document: Document }>} */ (page)) yield document
    }
  }

  /**
   * A query of a view that is in no design document.
   *
   * @param {{ map: any, reduce?: any }} view functions or their source
   * @param {QueryOptions} options
   * @param {Observer} observer
   */
  async queryTemporary (view, options, observer) {
    const reduce = reduceOf(view, options)
    checkQuery(options, reduce)
    const wanted = wantedOf(options, Boolean(reduce) && options.reduce !== false)
    const source = await TemporaryView.of(this.#store, mapByFunction(view.map), observer, wanted)
    return runQuery(this.#store, source, options, { reduce, onError: observer.onError })
  }

  /**
   * The same, with rows that are kept under a name and follow the database.
   *
   * @param {{ map: any, reduce?: any }} view functions or their source
   * @param {QueryOptions} options
   * @param {Observer} observer
   */
  async querySaved (view, options, observer) {
    const reduce = reduceOf(view, options)
    checkQuery(options, reduce)
    return this.#run(savedDefinition(/** @type {string} */ (options.saveAs), view.map), options, reduce, observer)
  }

  /** @param {string} saveAs the name */
  async dropSaved (saveAs) {
    const catalogue = await Catalogue.of(this.#store)
    for (const signature of catalogue.signatures()) if (isSaved(signature, saveAs)) await catalogue.drop(signature)
  }

  /** @param {any} view @returns {Definition | null} */
  #definitionOf (view) {
    let definition = this.#definitions.get(view)
    if (definition === undefined) this.#definitions.set(view, definition = definitionOf(view.map))
    return definition
  }

  /**
   * @param {Definition} definition
   * @param {QueryOptions} options
   * @param {any} reduce
   * @param {Observer} observer
   */
  async #run (definition, options, reduce, observer) {
    const index = (await Catalogue.of(this.#store)).open(definition)
    const { stale } = options
    if (stale !== 'ok' && stale !== 'update_after') await index.update(observer)
    // The update has no caller who waits; the next query that does not want it stale is told what is wrong.
    else if (stale === 'update_after') setImmediate(() => index.update(observer).catch(() => {}))
    return runQuery(this.#store, index.rows, options, { reduce, onError: observer.onError })
  }

  /** @param {string} name @returns {Promise<{ id: string, view: any, viewName: string }>} */
  async #view (name) {
    const [design, viewName] = name.includes('/') ? name.split('/') : [name, name]
    const id = `_design/${design}`
    const views = await this.#viewsOf(id)
    if (!Object.hasOwn(views, viewName) || !views[viewName]) throw createError('MISSING', { reason: `ddoc ${id} has no view named ${viewName}` })
    return { id, view: views[viewName], viewName }
  }

  /**
   * Parsed once a revision.
   *
   * @param {string} id
   * @returns {Promise<Record<string, any>>}
   */
  async #viewsOf (id) {
    const document = await this.#store.get(id)
    const known = this.#designs.get(id)
    if (known?.rev === document.rev) return known.views
    const views = JSON.parse(document.body).views ?? {}
    this.#designs.set(id, { rev: document.rev, views })
    return views
  }

  /** Drops the rows of indexes that no design document has any more. */
  async cleanup () {
    const wanted = new Set()
    for await (const document of this.#designDocuments()) {
      for (const view of Object.values(toObject(document).views ?? {})) wanted.add(definitionOf(view?.map)?.signature)
    }
    const catalogue = await Catalogue.of(this.#store)
    for (const signature of catalogue.signatures()) {
      if (isEmbedded(signature) && !isSaved(signature) && !wanted.has(signature)) await catalogue.drop(signature)
    }
  }
}

/**
 * The view's reduce function, or another that the query brings: a function, or the name of a built-in
 * one. PouchDB documents that and does not do it.
 *
 * @param {{ reduce?: any }} view
 * @param {QueryOptions} options
 * @see https://pouchdb.com/api.html#query_database
 */
function reduceOf (view, options) {
  const { reduce } = options
  return typeof reduce === 'function' || (typeof reduce === 'string' && reduce.startsWith('_')) ? reduce : view.reduce
}

module.exports = { EmbeddedViews }
