'use strict'

const { Coordinator, notReached } = require('./coordinator')
const { repairDesigns } = require('./design-copies')
const { handlers } = require('./handlers')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../dispatch/route-table').Route} Route */

/**
 * Answers a request to a database of several shards, or says which shard answers it.
 *
 * @param {PotorooRequest} req routed, and its user known
 * @param {PotorooResponse} res
 * @param {import('@potoroo/document-store').ShardedDatabase} database
 * @param {{ match: Route | undefined, gate: Route }} found the route; the gate alone where the path has not the method
 * @param {import('./ask').Answerer} answer
 * @returns {Promise<any>} a Change where a shard answers
 */
async function coordinate (req, res, database, { match, gate }, answer) {
  const coordinator = new Coordinator(req, database, answer)
  const repair = repairDesigns(coordinator)
  if (repair !== null) await repair
  const handler = match?.shards === undefined ? undefined : handlers[match.shards]
  // The shard itself lets in whom it answers.
  if (handler?.passes) return handler.answer(coordinator, res, /** @type {Route} */ (match))
  await coordinator.admit(gate)
  if (match === undefined) return
  if (handler === undefined) throw notReached(match)
  if (!handler.readsItself) await coordinator.read(match)
  if (match.counter !== undefined && !match.gauge) req.metric = match.counter
  return handler.answer(coordinator, res, match)
}

module.exports = { coordinate }
