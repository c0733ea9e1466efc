'use strict'

const { Turn, toObjectInTurns } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { JsonQuery } = require('@potoroo/indexes')
const { accepts } = require('../../http/accept')
const { readBareDocument, readDocument } = require('../../http/body')
const { sendJsonText } = require('../../http/response')
const { readMoment } = require('../../databases/moment')
const { sendCreated, sendDocument, sendRelated, sendWritten, writeLater } = require('../../documents/document-response')
const { readDestination } = require('../../documents/destination')
const { newId, prepareDocument, requireAttachmentNames, revisionOf } = require('../../documents/input')
const { locationOf } = require('../../documents/location')
const { sendOpenRevisions } = require('../../documents/open-revisions')
const { copies, readOptions, readQuery, revision } = require('../../documents/query')
const { limitDocuments, limitId } = require('../../documents/size-limits')
const { MultipartDocument } = require('../../multipart/document-input')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../databases/database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('@potoroo/document-store').Document} Document */

/**
 * `POST /{db}` with a document → 201 `{ ok, id, rev }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function postDocument (req, res) {
  const { body: doc, database } = req
  if (typeof doc !== 'object' || doc === null || Array.isArray(doc)) throw createError('NOT_AN_OBJECT')
  requireAttachmentNames(doc)
  limitDocuments(req, [doc])
  if (req.args.batch === 'ok') {
    // A copy of a large document takes long, and carries no text.
    if (doc._id === undefined) doc._id = newId()
    return writeLater(req, res, doc)
  }
  const result = await database.put(doc)
  sendWritten(res, 201, result, { Location: locationOf(req, req.params.db, result.id) })
}

/**
 * `GET /{db}/{doc}`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function getDocument (req, res) {
  const { args, database, params: { doc: id } } = req
  requirePossible(id)
  if (args.query !== undefined) return sendQueried(req, res)
  if (args.at !== undefined) return sendDocument(res, await database.get(id, optionsAt(req)))
  if (args.open_revs !== undefined) return sendOpenRevisions(req, res)
  if (req.search === '') return sendDocument(res, await database.get(id))
  const options = readOptions(args)
  // "No matter what rev was requested", says the documentation.
  if (options.latest) delete options.rev
  if (!options.attachments || !accepts(req, 'multipart/related')) return sendDocument(res, await database.get(id, options))
  // The content is read as it is sent; which of it is sent, the history tells.
  await sendRelated(req, res, await database.get(id, { ...options, attachments: false, attsSince: undefined, revs: true }))
}

/**
 * Answers with what a JSONQuery gives of the document.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function sendQueried (req, res) {
  const { args, database, params: { doc: id } } = req
  if (args.open_revs !== undefined) throw badRequest('`query` does not go with `open_revs`')
  const query = new JsonQuery(args.query, args.args)
  const document = await database.get(id, args.at === undefined ? readOptions(args) : optionsAt(req))
  sendJsonText(res, 200, `${await query.textOf(await toObjectInTurns(document))}\n`)
}

/**
 * Asks for a document as it was. The revision tree is that of the present.
 *
 * @param {DatabaseRequest} req
 * @returns {import('@potoroo/document-store').GetOptions}
 */
function optionsAt ({ args: { meta, ...args }, database }) {
  if (args.open_revs !== undefined) throw badRequest('`at` does not go with `open_revs`')
  return { ...readOptions(args), meta, at: readMoment(database, args.at) }
}

/** To who reads, an id that cannot be is missing, not wrong. @param {string} id */
function requirePossible (id) {
  if (id.startsWith('_') && !id.startsWith('_design/')) throw createError('MISSING')
}

/**
 * `PUT /{db}/{doc}` → 201 `{ ok, id, rev }`; 200 where it deletes, as CouchDB has it
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function putDocument (req, res) {
  if (/^multipart\/related\s*;/i.test(req.headers['content-type'] ?? '')) return putMultipart(req, res)
  const newEdits = req.args.new_edits !== 'false'
  // The members of a design document are looked at.
  const sent = req.params.doc.startsWith('_') ? await readDocument(req) : await readBareDocument(req)
  const doc = prepareDocument(req, sent, newEdits)
  limitDocuments(req, [doc])
  if (req.args.batch === 'ok') return writeLater(req, res, doc, { newEdits })
  await write(req, res, doc, newEdits)
}

/** @param {DatabaseRequest} req @param {PotorooResponse} res */
async function putMultipart (req, res) {
  const newEdits = req.args.new_edits !== 'false'
  const multipart = new MultipartDocument(req)
  try {
    const { doc, bytes } = await multipart.read()
    limitDocuments(req, [doc], bytes)
    await write(req, res, prepareDocument(req, doc, newEdits), newEdits)
  } finally {
    multipart.release()
  }
}

/** @param {DatabaseRequest} req @param {PotorooResponse} res @param {any} doc @param {boolean} newEdits */
async function write (req, res, doc, newEdits) {
  const deletes = doc._deleted === true
  const result = await req.database.put(doc, newEdits ? undefined : { newEdits })
  sendCreated(res, deletes ? 200 : 201, result, locationOf(req, req.params.db, result.id))
}

/**
 * `DELETE /{db}/{doc}?rev=` → 200 `{ ok, id, rev }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function deleteDocument (req, res) {
  const { database, params: { doc: id } } = req
  requirePossible(id)
  await database.get(id)
  const rev = revisionOf(req)
  const result = await database.put(rev === undefined ? { _id: id, _deleted: true } : { _id: id, _rev: rev, _deleted: true })
  sendWritten(res, 200, result)
}

/**
 * `COPY /{db}/{doc}` with `Destination: other?rev=…` → 201 `{ ok, id, rev }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function copyDocument (req, res) {
  const { database, params: { db, doc: id } } = req
  const target = readDestination(req.headers.destination)
  limitId(req, target._id)
  const rev = revisionOf(req)
  const source = await database.get(id, rev === undefined ? undefined : { rev })
  // A large one is not copied member by member, which takes long, and carries its text.
  const copy = await toObjectInTurns(source, { exact: true })
  delete copy._rev
  const turn = new Turn()
  for (const name in copy._attachments) {
    if (turn.isLong) await turn.end()
    copy._attachments[name] = await copyAttachment(database, source, name, target)
  }
  const result = await database.put(Object.assign(copy, target))
  sendCreated(res, 201, result, locationOf(req, db, result.id))
}

/**
 * A new document refers to the content; in one that is there a stub would mean its own attachment, and a member's may refer to
 * none.
 *
 * @param {AnyDatabase} database
 * @param {Document} document
 * @param {string} name
 * @param {any} target
 */
async function copyAttachment (database, document, name, target) {
  const { contentType, digest, length, encoding, encodedLength } = /** @type {Record<string, any>} */ (document.attachments)[name]
  if (target._rev === undefined && !database.isOfMember) return { content_type: contentType, stub: true, digest, length, encoding: encoding ?? 'identity', encoded_length: encodedLength }
  const data = (await database.getAttachment(document.id, name, { document })).streamStored()
  return { content_type: contentType, data, length, encoding, encoded_length: encodedLength }
}

const copyQuery = { ...readQuery, rev: revision, batch: 'string', new_edits: 'string' }
const writeQuery = { ...copyQuery, w: copies }

const threads = { parameters: ['rev', 'revs', 'revs_info', 'conflicts', 'deleted_conflicts', 'meta', 'latest', 'open_revs', 'attachments'], durable: ['local_seq'] }

const writingThreads = { parameters: ['rev', 'new_edits', 'w'], prepares: true }

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, body: 'typed-document', query: { batch: 'string', w: copies }, threads: writingThreads, shards: 'new', handler: postDocument },
  { method: 'GET', path: '/:db/:doc', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query: { ...readQuery, at: 'string', query: 'string', args: 'array' }, metric: 'couchdb.database_reads', threads, anywhere: true, shards: 'document', handler: getDocument },
  { method: 'PUT', path: '/:db/:doc', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query: writeQuery, threads: writingThreads, shards: 'document', handler: putDocument },
  { method: 'DELETE', path: '/:db/:doc', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query: { rev: 'string', w: copies }, threads: writingThreads, shards: 'document', handler: deleteDocument },
  { method: 'COPY', path: '/:db/:doc', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query: copyQuery, shards: 'copy', handler: copyDocument }
]
