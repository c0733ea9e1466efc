'use strict'

const { isInert, toObjectInTurns } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { groupOf } = require('./group')
const { libraryOf, originOf } = require('./mapper')
const { Answers } = require('./answers')
const { Offsets } = require('./offsets')
const { reducerFor } = require('../reduces/reducer')
const { Catalogue } = require('../index/catalogue')

/**
 * @typedef {import('@potoroo/collation').Collation} Collation
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('../reduces/reduce-limit').ReduceLimit} ReduceLimit
 */

/** Languages that there is a query server for. */
const LANGUAGES = new Set(['javascript', 'coffeescript', 'query'])

/**
 * The views of one revision of a design document, and the index that they share.
 *
 * @typedef {object} View
 * @property {number} number in its index
 * @property {boolean} partitioned
 * @property {string | undefined} reduce source
 * @property {(limit: import('../reduces/reduce-limit').ReduceLimit) => import('../reduces/reducer').Reducer} reducer
 * @property {import('@potoroo/collation').Collation} collation
 * @property {Offsets} offsets
 * @property {Answers} answers
 */
class DesignViews {
  #ddoc
  #queryServer
  #origin
  /** @type {Map<string, View>} */
  #views = new Map()

  /**
   * @param {any} ddoc
   * @param {ReturnType<typeof groupOf>} group
   * @param {import('@potoroo/query-server').QueryServer} queryServer
   */
  constructor (ddoc, group, queryServer) {
    this.#ddoc = ddoc
    this.#queryServer = queryServer
    this.#origin = originOf(group.database, ddoc)
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
    if (!LANGUAGES.has(language) || language === 'query') return
    const reduced = names.filter(name => isBuiltIn(this.#ddoc.views[name].reduce))
    index.setReducers(this.id, () => reduced.flatMap(name => {
      const { number, reducer } = this.view(name)
      const made = madeOf(() => reducer(limit()))
      return made === undefined || ((partitioned || byPrincipal) && made.reads !== 'values') ? [] : [{ view: number, reducer: made }]
    }))
  }

  /** Whether its indexes are kept up to date in the background. */
  get autoupdate () {
    const { autoupdate } = this.#ddoc
    return LANGUAGES.has(this.group.language) && autoupdate !== false && autoupdate?.views !== false
  }

  /**
   * @param {string} name
   * @returns {View}
   * @throws not_found "missing_named_view"
   */
  view (name) {
    let view = this.#views.get(name)
    if (view === undefined) this.#views.set(name, view = this.#find(name))
    return view
  }

  /** @param {string} name @returns {View} */
  #find (name) {
    const { names, language, rows } = this.group
    const number = names.indexOf(name)
    if (number === -1) throw createError('MISSING', { reason: 'missing_named_view' })
    if (!LANGUAGES.has(language)) throw createError('FUNCTION_ERROR', { error: 'unknown_query_language', reason: language })
    const reduce = language === 'query' ? undefined : this.#ddoc.views[name].reduce
    const collation = rows.collations[number]
    return { number, partitioned: this.group.partitioned, reduce, reducer: this.#reducersOf(reduce, collation), collation, offsets: new Offsets(number), answers: new Answers() }
  }

  /**
   * One for each limit that there has been.
   *
   * @param {string | undefined} source
   * @param {Collation} collation
   * @returns {View['reducer']}
   */
  #reducersOf (source, collation) {
    const known = new Map()
    return limit => {
      if (!known.has(limit.name)) known.set(limit.name, reducerFor(/** @type {string} */ (source), this.#context(collation, limit)))
      return known.get(limit.name)
    }
  }

  /** @param {Collation} collation @param {ReduceLimit} limit */
  #context (collation, limit) {
    return { library: libraryOf(this.#ddoc), language: this.group.language, origin: this.#origin, queryServer: this.#queryServer, collation, limit }
  }
}

/** @param {any} reduce */
function isBuiltIn (reduce) { return typeof reduce === 'string' && reduce.startsWith('_') }

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
    const group = groupOf(await Catalogue.of(database), database, ddoc, this.#queryServer)
    const views = new DesignViews(ddoc, group, this.#queryServer)
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
