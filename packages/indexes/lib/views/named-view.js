'use strict'

const { createError } = require('@potoroo/errors')
const { Answers } = require('./answers')
const { libraryOf, originOf } = require('./mapper')
const { Offsets } = require('./offsets')
const { reducerFor } = require('../reduces/reducer')

/**
 * @typedef {import('@potoroo/collation').Collation} Collation
 * @typedef {import('../reduces/reduce-limit').ReduceLimit} ReduceLimit
 * @typedef {import('@potoroo/query-server').QueryServer} QueryServer
 *
 * A view of one revision of a design document.
 *
 * @typedef {object} View
 * @property {number} number in its index
 * @property {boolean} partitioned
 * @property {string | undefined} reduce source
 * @property {(limit: ReduceLimit) => import('../reduces/reducer').Reducer} reducer
 * @property {Collation} collation
 * @property {Offsets} offsets
 * @property {Answers} answers
 */

/** Languages that there is a query server for. */
const LANGUAGES = new Set(['javascript', 'coffeescript', 'query'])

/** @param {string} language */
function isKnown (language) { return LANGUAGES.has(language) }

/**
 * @param {import('./mapper').OriginDatabase} database
 * @param {any} ddoc
 * @param {import('./group').DescribedGroup} group its views
 * @param {string} name
 * @param {QueryServer} queryServer
 * @returns {View}
 * @throws not_found "missing_named_view"
 */
function namedView (database, ddoc, { names, language, collations, partitioned }, name, queryServer) {
  const number = names.indexOf(name)
  if (number === -1) throw createError('MISSING', { reason: 'missing_named_view' })
  if (!isKnown(language)) throw createError('FUNCTION_ERROR', { error: 'unknown_query_language', reason: language })
  const reduce = language === 'query' ? undefined : ddoc.views[name].reduce
  const context = { library: libraryOf(ddoc), language, origin: originOf(database, ddoc), queryServer, collation: collations[number] }
  return { number, partitioned, reduce, reducer: reducersOf(reduce, context), collation: collations[number], offsets: new Offsets(number), answers: new Answers(number) }
}

/**
 * One for each limit that there has been.
 *
 * @param {string | undefined} source
 * @param {Omit<Parameters<typeof reducerFor>[1], 'limit'>} context
 * @returns {View['reducer']}
 */
function reducersOf (source, context) {
  const known = new Map()
  return limit => {
    if (!known.has(limit.name)) known.set(limit.name, reducerFor(/** @type {string} */ (source), { ...context, limit }))
    return known.get(limit.name)
  }
}

/** @param {any} reduce */
function isBuiltIn (reduce) { return typeof reduce === 'string' && reduce.startsWith('_') }

module.exports = { isBuiltIn, isKnown, namedView }
