'use strict'

const { createError } = require('@potoroo/errors')
const { collationOf, viewNames } = require('./group')
const { libraryOf, originOf } = require('./mapper')
const { reducerFor } = require('../reduces/reducer')

/** Built-in reductions that cannot be made of reductions as they are answered, or that ask for the order of all rows. */
const WHOLE = /^_(?:approx_count_distinct|first|last)/

/**
 * A view whose rows are in several databases: their order, and how reductions are reduced again.
 *
 * @typedef {object} MergedView
 * @property {import('@potoroo/collation').Collation} collation
 * @property {boolean} reduces whether it has a reduce function
 * @property {boolean} hasDesigns whether it has rows of design documents
 * @property {boolean} partitioned whether it is asked for one partition at a time
 * @property {(groups: any[][]) => Promise<Array<{ value: any } | { error: string, reason: string }>>} rereduce each group is
 *   some reductions, as they are answered
 */

/**
 * @param {{ name: string, instanceId: string, partitioned: boolean }} database
 * @param {any} ddoc
 * @param {string} viewName
 * @param {{ queryServer: import('@potoroo/query-server').QueryServer, limit: import('../reduces/reduce-limit').ReduceLimit }} context
 * @returns {MergedView}
 * @throws not_found "missing_named_view"; not_implemented of a reduction that cannot be joined, once it is asked for
 */
function mergedView (database, ddoc, viewName, { queryServer, limit }) {
  if (!viewNames(ddoc).includes(viewName)) throw createError('MISSING', { reason: 'missing_named_view' })
  const { [viewName]: view } = ddoc.views
  const collation = collationOf(view)
  const isIndex = ddoc.language === 'query'
  return {
    collation,
    reduces: !isIndex && Boolean(view.reduce),
    hasDesigns: ddoc.options?.include_design === true,
    partitioned: database.partitioned && ddoc.options?.partitioned !== false,
    async rereduce (groups) {
      if (WHOLE.test(view.reduce)) throw createError('NOT_IMPLEMENTED', { reason: `${view.reduce} is not implemented for databases of several shards` })
      const reducer = reducerFor(view.reduce, { library: libraryOf(ddoc), language: ddoc.language, origin: originOf(database, ddoc), queryServer, collation, limit })
      return (await reducer.rereduce(groups)).map(value => reducer.finish(value))
    }
  }
}

module.exports = { mergedView }
