'use strict'

const { inTurns, mapInTurns } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { statusOfWrite } = require('../../documents/document-response')
const { newId, prepareOneOfMany, requireObject } = require('../../documents/input')
const { copies } = require('../../documents/query')
const { limitMany } = require('../../documents/size-limits')
const { jsonType, sendJsonText } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')
const { numberOf } = require('../../stats/metrics')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

const BULK_DOCS = numberOf('couchdb.httpd.bulk_docs')

/** Results that are answered in one piece. */
const FEW = 1000

/**
 * `POST /{db}/_bulk_docs` → 201 `[{ ok, id, rev } | { id, error, reason }]`; with
 * `new_edits: false` only those that failed. With `atomic: true`, a name of our own, it is 417 and nothing
 * is written where one document is refused. `all_or_nothing: true` is refused as in CouchDB since 2.0: what
 * it meant in 1.x was something else.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function bulkDocs (req, res) {
  const { docs, new_edits: newEdits = true, atomic: allOrNothing = false, all_or_nothing: old } = requireObject(req.body)
  if (docs === undefined) throw badRequest('POST body must include `docs` parameter.')
  if (!Array.isArray(docs)) throw badRequest('`docs` parameter must be an array.')
  if (typeof newEdits !== 'boolean') throw badRequest('`new_edits` parameter must be a boolean.')
  if (typeof allOrNothing !== 'boolean') throw badRequest('`atomic` parameter must be a boolean.')
  req.service.counts.note(BULK_DOCS, docs.length)
  await inTurns(docs, doc => prepareOneOfMany(doc, newEdits))
  await limitMany(req, docs)
  if (old === true && newEdits) return sendMany(req, res, 417, await mapInTurns(docs, doc => notSupported(doc)))
  const results = await req.database.write(docs, { newEdits, strict: true, allOrNothing, checkLocal: false })
  const refused = allOrNothing && results.some(result => 'error' in result)
  const shown = newEdits ? results : results.filter(result => 'error' in result)
  const status = refused ? 417 : statusOfWrite(req, 201)
  if (shown.length > FEW) await sendMany(req, res, status, shown)
  else sendJsonText(res, status, `[${shown.map(status === 202 ? toAcceptedRow : toRow).join(',')}]\n`)
}

/** @param {{ _id: string, _rev?: string }} given */
function notSupported ({ _id: id, _rev: rev = '0-' }) {
  return { id: id ?? newId(), rev, error: 'not_implemented', reason: 'all_or_nothing is not supported' }
}

/** @param {PotorooRequest} req @param {PotorooResponse} res @param {number} status @param {any[]} results */
async function sendMany (req, res, status, results) {
  res.statusCode = status
  const write = status === 202 ? toAcceptedRow : toRow
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  for (let i = 0; i < results.length && !out.closed; i++) {
    out.push((i === 0 ? '[' : ',') + write(results[i]))
    if (out.full) await out.flush()
  }
  out.push(']\n')
  out.end()
}

/** @param {any} result */
function toRow (result) {
  if (result.error === undefined) return `{"ok":true,"id":${JSON.stringify(result.id)},"rev":"${result.rev}"}`
  const { id, rev, error, reason } = result
  return JSON.stringify({ id, rev, error, reason })
}

/** A document that is in fewer copies than are wanted says so. @param {any} result */
function toAcceptedRow (result) {
  return result.error === undefined ? `${toRow(result).slice(0, -1)},"accepted":true}` : toRow(result)
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db/_bulk_docs', who: 'member', whoIn: { users: 'member', replications: 'member' }, body: 'typed-documents', query: { w: copies }, metric: 'couchdb.httpd.bulk_requests', shards: 'bulkDocs', handler: bulkDocs }
]
