'use strict'

const { inTurns, mapInTurns } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { statusOfWrite } = require('../../documents/document-response')
const { newId, prepareOneOfMany, requireObject } = require('../../documents/input')
const { copies } = require('../../documents/query')
const { limitMany } = require('../../documents/size-limits')
const { sendMany, sendResults } = require('../../documents/write-results')
const { numberOf } = require('../../stats/metrics')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

const BULK_DOCS = numberOf('couchdb.httpd.bulk_docs')

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
  await inTurns(docs, doc => prepareOneOfMany(doc, newEdits))
  await limitMany(req, docs)
  if (old === true && newEdits) return sendMany(req, res, 417, await mapInTurns(docs, doc => notSupported(doc)))
  const results = await req.database.write(docs, { newEdits, strict: true, allOrNothing, checkLocal: false })
  // Once it is known that it is written here.
  req.service.counts.note(BULK_DOCS, docs.length)
  const refused = allOrNothing && results.some(result => 'error' in result)
  const shown = newEdits ? results : results.filter(result => 'error' in result)
  const status = refused ? 417 : statusOfWrite(req, 201)
  await sendResults(req, res, status, shown)
}

/** @param {{ _id: string, _rev?: string }} given */
function notSupported ({ _id: id, _rev: rev = '0-' }) {
  return { id: id ?? newId(), rev, error: 'not_implemented', reason: 'all_or_nothing is not supported' }
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db/_bulk_docs', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, body: 'typed-bare-documents', query: { w: copies }, metric: 'couchdb.httpd.bulk_requests', threads: { parameters: ['w'], prepares: true }, shards: 'bulkDocs', handler: bulkDocs }
]
