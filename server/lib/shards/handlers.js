'use strict'

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../dispatch/route-table').Route} Route */

/**
 * Answers requests to a database of several shards.
 *
 * @typedef {object} ShardedHandler
 * @property {(coordinator: Coordinator, res: PotorooResponse, route: Route) => any} answer may return a Change: a shard answers
 * @property {boolean} [passes] the shard decides who may, reads query and body, and counts
 * @property {boolean} [readsItself] it reads query and body for itself
 */

/** By their names in the table of routes. @type {Record<string, ShardedHandler>} */
const handlers = {
  ...require('./all-docs'),
  ...require('./bulk-docs'),
  ...require('./by-document'),
  ...require('./by-ids'),
  ...require('./changes/changes').handlers,
  ...require('./find'),
  ...require('./history'),
  ...require('./schema'),
  ...require('./search'),
  ...require('./transact'),
  ...require('./views'),
  ...require('./whole')
}

module.exports = { handlers }
