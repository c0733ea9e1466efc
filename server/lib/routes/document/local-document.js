'use strict'

const { toObjectInTurns } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { readDocument } = require('../../http/body')
const { sendCreated, sendDocument, sendWritten, writeLater } = require('../../documents/document-response')
const { readDestination } = require('../../documents/destination')
const { prepareDocument, revisionOf } = require('../../documents/input')
const { locationOf } = require('../../documents/location')
const { copies, readQuery, revision } = require('../../documents/query')
const { limitDocuments, limitId } = require('../../documents/size-limits')
const { etagOfText, sendJson } = require('../../http/response')
const { numberOf } = require('../../stats/metrics')

const LOCAL_WRITES = numberOf('couchdb.local_document_writes')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * Local documents: they do not replicate and keep no history.
 * @see https://docs.couchdb.org/en/stable/api/local.html
 */

/** CouchDB takes a local document whatever revision it names. */
const UNCHECKED = Object.freeze({ checkLocal: false })

/**
 * `GET /{db}/_local/{doc}`; it has no revisions but the one, so none that can be asked for.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function getLocal (req, res) {
  const { open_revs: openRevs, rev, revs } = req.args
  if (Array.isArray(openRevs)) return sendJson(res, 200, openRevs.map(missing => ({ missing })))
  if (openRevs !== undefined || rev !== undefined) throw createError('MISSING')
  const local = await req.database.getLocal(req.params.local)
  const [start, hash] = local.rev.split('-')
  const revisions = revs ? { start: Number(start), ids: [hash] } : undefined
  sendDocument(res, { ...local, deleted: false, attachments: null, revisions }, etagOf(local))
}

/** Revisions of local documents count, and begin again: they say little of what is in them. @param {{ rev: string, body: any }} given */
function etagOf ({ rev, body }) { return etagOfText(`${rev} ${body}`) }

/**
 * The ETag of what was written, unless it has changed since.
 *
 * @param {import('../../databases/database-view').AnyDatabase} database
 * @param {{ id: string, rev: string }} written
 */
async function etagOfWritten (database, { id, rev }) {
  const local = await database.getLocal(id).catch(() => null)
  return local?.rev === rev ? { ETag: etagOf(local) } : {}
}

/**
 * `PUT /{db}/_local/{doc}` → 201 `{ ok, id, rev }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function putLocal (req, res) {
  req.params.doc = req.params.local
  const doc = prepareDocument(req, await readDocument(req), true)
  limitDocuments(req, [doc])
  if (req.args.batch === 'ok') return writeLater(req, res, doc, UNCHECKED)
  const location = { Location: locationOf(req, req.params.db, doc._id) }
  const result = await (doc._deleted === true ? req.database.removeLocal(doc, UNCHECKED) : req.database.putLocal(doc, UNCHECKED))
  req.service.counts.count(LOCAL_WRITES)
  if (doc._deleted === true) return sendWritten(res, 200, result, { ETag: DELETED, ...location })
  sendWritten(res, 201, result, /** @type {Record<string, string>} */ ({ ...await etagOfWritten(req.database, result), ...location }))
}

const DELETED = etagOf({ rev: '0-0', body: '{}' })

/**
 * `DELETE /{db}/_local/{doc}?rev=` → 200 `{ ok, id, rev }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function deleteLocal (req, res) {
  const { database, params: { local: id } } = req
  await database.getLocal(id)
  const rev = revisionOf(req)
  const result = await database.removeLocal({ _id: id, _rev: rev }, UNCHECKED)
  req.service.counts.count(LOCAL_WRITES)
  sendWritten(res, 200, result, { ETag: DELETED })
}

/**
 * `COPY /{db}/_local/{doc}` with `Destination: other?rev=…` → 201 `{ ok, id, rev }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function copyLocal (req, res) {
  const { database, params: { db, local: id } } = req
  const target = readDestination(req.headers.destination)
  limitId(req, target._id)
  const copy = await toObjectInTurns({ ...await database.getLocal(id), deleted: false, attachments: null }, { exact: true })
  delete copy._rev
  const result = await database.put(Object.assign(copy, target))
  sendCreated(res, 201, result, locationOf(req, db, result.id))
}

function refuseAttachment () {
  throw badRequest('_local documents do not accept attachments.')
}

function refuseId () {
  throw badRequest('Invalid _local document id.')
}

const query = { rev: revision, batch: 'string', w: copies }

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/:db/:local', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, allow: 'DELETE,GET,HEAD,POST,PUT,COPY', query: { rev: readQuery.rev, open_revs: readQuery.open_revs, revs: readQuery.revs }, threads: { parameters: [] }, anywhere: true, shards: 'document', handler: getLocal },
  { method: 'PUT', path: '/:db/:local', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query, shards: 'document', handler: putLocal },
  { method: 'DELETE', path: '/:db/:local', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query: { rev: 'string', w: copies }, shards: 'document', handler: deleteLocal },
  { method: 'COPY', path: '/:db/:local', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, shards: 'copy', handler: copyLocal },
  ...['GET', 'PUT', 'DELETE', 'POST', 'COPY'].flatMap(method => [
    { method, path: '/:db/:local/:attachment+', who: 'member', byDocument: true, shards: 'any', handler: refuseAttachment },
    { method, path: '/:db/_local', who: 'member', byDocument: true, shards: 'any', handler: refuseId },
    { method, path: '/:db/_local%2F', who: 'member', byDocument: true, shards: 'any', handler: refuseId }
  ])
]
