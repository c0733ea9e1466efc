'use strict'

const crypto = require('node:crypto')
const { parseExact } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { readDocument } = require('../body')
const { sendCreated, sendDocument, sendWritten, writeLater } = require('../documents/answer')
const { readDestination } = require('../documents/destination')
const { prepareDocument, revisionOf } = require('../documents/input')
const { locationOf } = require('../documents/location')
const { revision } = require('../documents/query')
const { limitDocuments, limitId } = require('../documents/size-limits')

/**
 * Local documents: they do not replicate and keep no history.
 * @see https://docs.couchdb.org/en/stable/api/local.html
 */

/** CouchDB takes a local document whatever revision it names. */
const UNCHECKED = Object.freeze({ checkLocal: false })

/** `GET /{db}/_local/{doc}` */
async function getLocal (req, res) {
  const local = await req.database.getLocal(req.params.local)
  // Revisions of local documents count, and begin again: they say little of what is in them.
  const etag = `"${crypto.hash('md5', `${local.rev} ${local.body}`, 'base64url')}"`
  sendDocument(res, { ...local, deleted: false, attachments: null }, etag)
}

/** `PUT /{db}/_local/{doc}` → 201 `{ ok, id, rev }` */
async function putLocal (req, res) {
  req.params.doc = req.params.local
  const doc = prepareDocument(req, await readDocument(req), true)
  limitDocuments(req, [doc])
  if (req.args.batch === 'ok') return writeLater(req, res, doc, UNCHECKED)
  const result = await (doc._deleted === true ? req.database.removeLocal(doc, UNCHECKED) : req.database.putLocal(doc, UNCHECKED))
  sendWritten(res, doc._deleted === true ? 200 : 201, result, { Location: locationOf(req, req.params.db, result.id) })
}

/** `DELETE /{db}/_local/{doc}?rev=` → 200 `{ ok, id, rev }` */
async function deleteLocal (req, res) {
  const { database, params: { local: id } } = req
  await database.getLocal(id)
  const rev = revisionOf(req)
  sendWritten(res, 200, await database.removeLocal({ _id: id, _rev: rev }, UNCHECKED))
}

/** `COPY /{db}/_local/{doc}` with `Destination: other?rev=…` → 201 `{ ok, id, rev }` */
async function copyLocal (req, res) {
  const { database, params: { db, local: id } } = req
  const target = readDestination(req.headers.destination)
  limitId(req, target._id)
  const { body } = await database.getLocal(id)
  const result = await database.put({ ...parseExact(body), ...target })
  sendCreated(res, 201, result, locationOf(req, db, result.id))
}

function refuseAttachment () {
  throw createError('BAD_REQUEST', { reason: '_local documents do not accept attachments.' })
}

function refuseId () {
  throw createError('BAD_REQUEST', { reason: 'Invalid _local document id.' })
}

const query = { rev: revision, batch: 'string' }

module.exports = [
  { method: 'GET', path: '/:db/:local', who: 'member', handler: getLocal },
  { method: 'PUT', path: '/:db/:local', who: 'member', query, handler: putLocal },
  { method: 'DELETE', path: '/:db/:local', who: 'member', query: { rev: 'string' }, handler: deleteLocal },
  { method: 'COPY', path: '/:db/:local', who: 'member', handler: copyLocal },
  ...['GET', 'PUT', 'DELETE', 'POST', 'COPY'].flatMap(method => [
    { method, path: '/:db/:local/:attachment+', who: 'member', handler: refuseAttachment },
    { method, path: '/:db/_local', who: 'member', handler: refuseId }
  ])
]
