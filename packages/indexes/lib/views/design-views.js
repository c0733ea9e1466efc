'use strict'

const { isInert, toObjectInTurns } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { groupOf } = require('./group')
const { isBuiltIn, isKnown, namedView } = require('./named-view')
const { Catalogue } = require('../index/catalogue')
const { mangoTextsOf } = require('../mango/text/indexes')
const { vectorIndexesOf } = require('../mango/vector/indexes')
const { textIndexesOf } = require('../searches/definition')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('../reduces/reduce-limit').ReduceLimit} ReduceLimit
 */

/**
 * The views of one revision of a design document, and the index that they share.
 *
 * @typedef {import('./named-view').View} View
 */
class DesignViews {
  #ddoc
  #texts
  #queryServer
  /** @type {Map<string, View>} */
  #views = new Map()

  /**
   * @param {any} ddoc
   * @param {ReturnType<typeof groupOf>} group
   * @param {import('@potoroo/query-server').QueryServer} queryServer
   * @param {import('../index/view-index').ViewIndex[]} texts its text indexes
   */
  constructor (ddoc, group, queryServer, texts) {
    this.#ddoc = ddoc
    this.#texts = texts
    this.#queryServer = queryServer
    this.group = group
  }

  get id () { return this.#ddoc._id }

  /**
   * Lets the index work out the reductions of whole views when it has been updated. Queries do that of reductions
   * by functions, and of those that read keys, where something stands before the keys.
   *
   * @param {() => ReduceLimit} limit
   */
  sumUp (limit) {
    const { names, partitioned, byPrincipal, index, language } = this.group
    if (!isKnown(language) || language === 'query') return
    const reduced = names.filter(name => isBuiltIn(this.#ddoc.views[name].reduce))
    index.setReducers(this.id, () => reduced.flatMap(name => {
      const { number, reducer } = this.view(name)
      const made = madeOf(() => reducer(limit()))
      return made === undefined || ((partitioned || byPrincipal) && made.reads !== 'values') ? [] : [{ view: number, reducer: made }]
    }))
  }

  /** The indexes that are kept up to date in the background. */
  get updatedIndexes () {
    const { autoupdate } = this.#ddoc
    const { language, names, index } = this.group
    if (!isKnown(language) || autoupdate === false) return []
    return [...(names.length > 0 && autoupdate?.views !== false ? [index] : []), ...this.#texts]
  }

  /**
   * @param {string} name
   * @returns {View}
   * @throws not_found "missing_named_view"
   */
  view (name) {
    let view = this.#views.get(name)
    if (view === undefined) this.#views.set(name, view = namedView(this.group.database, this.#ddoc, this.group, name, this.#queryServer))
    return view
  }
}

/**
 * Returns what is made, or undefined: who asks for the view is told why.
 * @template T
 * @param {() => T} make
 */
function madeOf (make) {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** The design documents of databases, read once for each change of one of them. */
class DesignDocuments {
  #queryServer
  #limit
  /** @type {WeakMap<object, { version: string, views: Map<string, DesignViews> }>} */
  #known = new WeakMap()

  /**
   * @param {import('@potoroo/query-server').QueryServer} queryServer
   * @param {() => ReduceLimit} limit of reductions, as it is now
   */
  constructor (queryServer, limit) {
    this.#queryServer = queryServer
    this.#limit = limit
  }

  /**
   * @param {import('@potoroo/document-store').DocumentStore} database
   * @param {string} name without `_design/`
   * @returns {Promise<DesignViews>}
   * @throws not_found
   */
  async get (database, name) {
    // A change that comes meanwhile is kept with what is known of the moment before, which nobody asks any more.
    const known = this.#knownOf(database)
    const cached = known.get(name)
    if (cached !== undefined) return cached
    const ddoc = await toObjectInTurns(await database.get(`_design/${name}`))
    if (isInert(database, ddoc)) throw createError('MISSING')
    const catalogue = await Catalogue.of(database)
    const group = groupOf(catalogue, database, ddoc, this.#queryServer)
    const texts = [...textIndexesOf(catalogue, database, ddoc, this.#queryServer), ...(await mangoTextsOf(database, ddoc)).map(({ text }) => text.index), ...(await vectorIndexesOf(database, ddoc)).map(({ vector }) => vector.index)]
    const views = new DesignViews(ddoc, group, this.#queryServer, texts)
    views.sumUp(this.#limit)
    known.set(name, views)
    return views
  }

  /** @param {DocumentStore} database */
  #knownOf (database) {
    const version = `${database.designSeq} ${database.purgeSeq}`
    const known = this.#known.get(database)
    if (known?.version === version) return known.views
    const views = new Map()
    this.#known.set(database, { version, views })
    return views
  }
}

module.exports = { DesignDocuments }
