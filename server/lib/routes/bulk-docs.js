'use strict'

const { createError } = require('@potoroo/errors')
const { isObject, newId, requireAttachmentNames, requireObject, requireRevision } = require('../documents/input')
const { limitDocuments } = require('../documents/size-limits')
const { sendJsonText } = require('../response')
const { numberOf } = require('../stats/metrics')

const BULK_DOCS = numberOf('couchdb.httpd.bulk_docs')

/**
 * `POST /{db}/_bulk_docs` → 201 `[{ ok, id, rev } | { id, error, reason }]`; with
 * `new_edits: false` only those that failed. With `all_or_nothing: true` (which CouchDB 2 and later
 * lack) it is 417 and nothing is written where one document is refused.
 */
async function bulkDocs (req, res) {
  const { docs, new_edits: newEdits = true, all_or_nothing: allOrNothing = false } = requireObject(req.body)
  if (docs === undefined) throw createError('BAD_REQUEST', { reason: 'POST body must include `docs` parameter.' })
  if (!Array.isArray(docs)) throw createError('BAD_REQUEST', { reason: '`docs` parameter must be an array.' })
  if (typeof newEdits !== 'boolean') throw createError('BAD_REQUEST', { reason: '`new_edits` parameter must be a boolean.' })
  if (typeof allOrNothing !== 'boolean') throw createError('BAD_REQUEST', { reason: '`all_or_nothing` parameter must be a boolean.' })
  req.service.counts.note(BULK_DOCS, docs.length)
  for (const doc of docs) prepare(doc, newEdits)
  limitDocuments(req, docs)
  const results = await req.database.write(docs, { newEdits, strict: true, allOrNothing, checkLocal: false })
  const refused = allOrNothing && results.some(result => result.error !== undefined)
  const shown = newEdits ? results : results.filter(result => result.error !== undefined)
  sendJsonText(res, refused ? 417 : 201, `[${shown.map(toRow).join(',')}]\n`)
}

function prepare (doc, newEdits) {
  if (!isObject(doc)) throw createError('NOT_AN_OBJECT')
  if (doc._attachments !== undefined) requireAttachmentNames(doc)
  if (newEdits) return
  requireRevision(doc)
  if (doc._id === undefined) doc._id = newId()
}

function toRow (result) {
  if (result.error === undefined) return `{"ok":true,"id":${JSON.stringify(result.id)},"rev":"${result.rev}"}`
  const { id, rev, error, reason } = result
  return JSON.stringify({ id, rev, error, reason })
}

module.exports = [
  { method: 'POST', path: '/:db/_bulk_docs', who: 'member', body: 'typed-json', handler: bulkDocs }
]
