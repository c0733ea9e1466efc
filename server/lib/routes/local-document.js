'use strict'

const { createError } = require('@potoroo/errors')
const { readJson } = require('../body')
const { sendDocument, sendWritten } = require('../documents/answer')
const { prepareDocument, revisionOf } = require('../documents/input')
const { locationOf } = require('../documents/location')
const { revision } = require('../documents/query')
const { limitDocuments } = require('../documents/size-limits')

/**
 * Local documents: they do not replicate and keep no history.
 * @see https://docs.couchdb.org/en/stable/api/local.html
 */

/** CouchDB takes a local document whatever revision it names. */
const UNCHECKED = Object.freeze({ checkLocal: false })

/** `GET /{db}/_local/{doc}` */
async function getLocal (req, res) {
  const local = await req.database.getLocal(req.params.local)
  sendDocument(res, { ...local, deleted: false, attachments: null })
}

/** `PUT /{db}/_local/{doc}` → 201 `{ ok, id, rev }` */
async function putLocal (req, res) {
  req.params.doc = req.params.local
  const doc = prepareDocument(req, await readJson(req), true)
  limitDocuments(req, [doc])
  const result = await (doc._deleted === true ? req.database.removeLocal(doc, UNCHECKED) : req.database.putLocal(doc, UNCHECKED))
  sendWritten(res, doc._deleted === true ? 200 : 201, result, locationOf(req, req.params.db, result.id))
}

/** `DELETE /{db}/_local/{doc}?rev=` → 200 `{ ok, id, rev }` */
async function deleteLocal (req, res) {
  const { database, params: { local: id } } = req
  const rev = revisionOf(req)
  await database.getLocal(id)
  sendWritten(res, 200, await database.removeLocal({ _id: id, _rev: rev }, UNCHECKED))
}

function refuseAttachment () {
  throw createError('BAD_REQUEST', { reason: '_local documents do not accept attachments.' })
}

function refuseId () {
  throw createError('BAD_REQUEST', { reason: 'Invalid _local document id.' })
}

const query = { rev: revision }

module.exports = [
  { method: 'GET', path: '/:db/:local', who: 'member', handler: getLocal },
  { method: 'PUT', path: '/:db/:local', who: 'member', query, handler: putLocal },
  { method: 'DELETE', path: '/:db/:local', who: 'member', query, handler: deleteLocal },
  ...['GET', 'PUT', 'DELETE'].flatMap(method => [
    { method, path: '/:db/:local/:attachment+', who: 'member', handler: refuseAttachment },
    { method, path: '/:db/_local', who: 'member', handler: refuseId }
  ])
]
