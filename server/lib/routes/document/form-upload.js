'use strict'

const { toObjectInTurns } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { JSON_LIMIT, bodyStream, parseBytes, requireContentType } = require('../../http/body')
const { ByteSource } = require('../../http/byte-source')
const { sendWritten } = require('../../documents/document-response')
const { prepareDocument, requireAttachmentName } = require('../../documents/input')
const { revision } = require('../../documents/query')
const { limitDocuments } = require('../../documents/size-limits')
const { readForm } = require('../../multipart/form')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {Awaited<ReturnType<typeof readForm>>} Form */

/**
 * `POST /{db}/{doc}` from an HTML form, as Futon had one: `_doc`, a document, or `_rev`, which names
 * one, and files as `_attachments` → 201 `{ ok, id, rev }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function uploadForm (req, res) {
  requireOwnReferer(req)
  requireContentType(req, 'multipart/form-data')
  const fields = await readFields(req)
  const doc = await documentOf(req, fields)
  for (const { fileName, contentType, content } of fields.getAll('_attachments')) {
    requireAttachmentName(fileName)
    doc._attachments = { ...doc._attachments, [fileName]: { content_type: contentType, data: content } }
  }
  limitDocuments(req, [doc])
  sendWritten(res, 201, await req.database.put(doc))
}

/** A form of another site cannot say that it is one of this. @param {PotorooRequest} req */
function requireOwnReferer ({ headers: { referer, host } }) {
  if (referer === undefined) throw badRequest('Referer header required.')
  if (!URL.canParse(referer) || new URL(referer).host !== host?.toLowerCase()) {
    throw badRequest('Referer header must match host.')
  }
}

/** @param {PotorooRequest} req */
async function readFields (req) {
  const source = new ByteSource(req, bodyStream(req))
  try {
    return await readForm(source, req.headers['content-type'] ?? '', JSON_LIMIT)
  } finally {
    source.release()
  }
}

/** @param {DatabaseRequest} req @param {Form} fields */
async function documentOf (req, fields) {
  const { database, params: { doc: id } } = req
  const text = fields.get('_doc')
  if (text !== undefined) return prepareDocument(req, await parseBytes(req, text.content, 0), true)
  const rev = revision(fields.get('_rev')?.content.toString())
  return toObjectInTurns(await database.get(id, { rev }), { exact: true })
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db/:doc', who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query: { rev: revision }, shards: 'document', handler: uploadForm }
]
