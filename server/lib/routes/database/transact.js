'use strict'

const { inTurns, transact } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { statusOfWrite } = require('../../documents/document-response')
const { prepareOneOfMany, requireObject } = require('../../documents/input')
const { copies } = require('../../documents/query')
const { limitMany } = require('../../documents/size-limits')
const { sendResults } = require('../../documents/write-results')
const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `POST /{db}/_transact` with `{ reads: [{ id, rev }], writes: [document] }` → 201 `[{ ok, id, rev }]`, aligned with the writes;
 * 409 `{ error, reason, conflicts: [{ id, rev }] }` with what has changed; another refusal says with `id` which document
 * it is of. Nothing is written then.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function transactHere (req, res) {
  const { reads = [], writes = [] } = requireObject(req.body)
  if (!Array.isArray(reads)) throw badRequest('`reads` must be an array.')
  if (!Array.isArray(writes)) throw badRequest('`writes` must be an array.')
  const most = req.service.config.integer('transactions', 'max_documents')
  if (reads.length + writes.length > most) throw createError('TOO_LARGE', { reason: `A transaction reads and writes ${most} documents at most` })
  await inTurns(writes, doc => prepareOneOfMany(doc, true))
  await limitMany(req, writes)
  let results
  try {
    results = await transact(req.database, req.body)
  } catch (error) {
    if (typeof error.id !== 'string' || error.status === 401 || error.status >= 500) throw error
    return sendJson(res, error.status, { ...error.toJSON(), id: error.id })
  }
  await sendResults(req, res, statusOfWrite(req, 201), results)
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db/_transact', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, body: 'typed-documents', section: 'transactions', query: { w: copies }, shards: 'transact', handler: transactHere }
]
