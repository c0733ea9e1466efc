'use strict'

const { badRequest, createError } = require('@potoroo/errors')
const { requireObject } = require('../documents/input')
const { bytesOf, parseBytes, readBody, requireContentType } = require('../http/body')
const { isDesign } = require('./design-copies')

/** @typedef {import('./coordinator').Coordinator} Coordinator */

/**
 * `POST /{db}/_transact`: one shard has a commit for itself, and nothing commits in several at once.
 *
 * @param {Coordinator} coordinator
 * @param {unknown} res
 * @param {import('../dispatch/route-table').Route} route
 */
async function transact (coordinator, res, route) {
  const { req, service } = coordinator
  requireContentType(req, 'application/json')
  const bytes = await readBody(req, bytesOf(route, service))
  const { reads = [], writes = [] } = requireObject(await parseBytes(req, bytes, 2))
  // Any shard refuses a malformed one.
  if (!Array.isArray(reads) || !Array.isArray(writes)) return coordinator.pass(0, { body: bytes })
  const ids = [...reads.map(read => read?.id), ...writes.map(idOf)].filter(id => typeof id === 'string')
  if (writes.some(doc => isDesign(doc?._id))) throw createError('NOT_IMPLEMENTED', { reason: 'Transactions of design documents are not implemented for databases of several shards' })
  const shards = new Set(ids.map(id => coordinator.shardOf(id)))
  if (shards.size > 1) throw createError('NOT_IMPLEMENTED', { reason: 'Transactions of documents of several shards are not implemented' })
  const [shard = 0] = shards
  return coordinator.pass(shard, { body: bytes })
}

/** @param {any} doc */
function idOf (doc) {
  if (doc?._id === undefined) throw badRequest('Documents of a transaction need an `_id` in databases of several shards')
  return doc._id
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = { transact: { answer: transact, readsItself: true } }
