'use strict'

const { toJson, validateDocument } = require('@potoroo/document-store')
const { notModified, sendJson, sendJsonText } = require('../http/response')
const { ResponseWriter } = require('../http/response-writer')
const { attachmentsToSend, relatedOf } = require('./following')

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * One revision never changes, but what is known about its place in the tree does.
 * @param {import('@potoroo/document-store').Document} document
 */
function etagOf ({ rev, revsInfo, conflicts, deletedConflicts, localSeq, meta }) {
  return revsInfo ?? conflicts ?? deletedConflicts ?? localSeq ?? meta ? undefined : `"${rev}"`
}

/**
 * Answers with a document as JSON, or with 304.
 *
 * @param {PotorooResponse} res
 * @param {import('@potoroo/document-store').Document} document
 * @param {string} [etag] with its quotes
 * @param {boolean} [encodings] whether attachments say how they are stored, as far as the request can tell
 */
function sendDocument (res, document, etag = etagOf(document), encodings = res.req.args.att_encoding_info) {
  if (etag !== undefined && notModified(res, etag)) return
  const text = document.attachments === null ? toJson(document) : toJson(document, { encodings })
  sendJsonText(res, 200, text + '\n', etag === undefined ? undefined : { ETag: etag })
}

/**
 * Answers with a document and the content of its attachments as multipart/related, or as JSON
 * where it has none to send.
 *
 * @param {DatabaseRequest} req
 * @param {import('../dispatch/request').PotorooResponse} res
 * @param {import('@potoroo/document-store').Document} document read with `revs`
 */
async function sendRelated (req, res, document) {
  const following = attachmentsToSend(document, req.args.atts_since)
  if (!req.args.revs) document.revisions = undefined
  if (following.size === 0) return sendDocument(res, document, undefined, true)
  const etag = etagOf(document)
  if (etag !== undefined && notModified(res, etag)) return
  const related = await relatedOf(req.database, document, following)
  const out = new ResponseWriter(res, { 'Content-Type': related.contentType, 'Content-Length': String(related.length), ...(etag && { ETag: etag }) })
  if (req.method !== 'HEAD') await out.pipe(related)
  out.end()
}

/**
 * The status of a write: 202 where `w` wants it in more copies than the one that a database has, as a CouchDB of one node
 * answers.
 *
 * @param {any} req
 * @param {number} status where it is in all copies that are wanted
 */
function statusOfWrite ({ args: { w } }, status) { return w > 1 ? 202 : status }

/**
 * Answers a write.
 *
 * @param {PotorooResponse} res
 * @param {number} status
 * @param {{ id: string, rev: string }} result
 * @param {Record<string, string>} [headers] by default the revision as ETag
 */
function sendWritten (res, status, { id, rev }, headers = { ETag: `"${rev}"` }) {
  sendJsonText(res, statusOfWrite(res.req, status), `{"ok":true,"id":${JSON.stringify(id)},"rev":"${rev}"}\n`, headers)
}

/**
 * The same of a document that has a URL.
 *
 * @param {PotorooResponse} res
 * @param {number} status
 * @param {{ id: string, rev: string }} result
 * @param {string} location
 */
function sendCreated (res, status, result, location) {
  sendWritten(res, status, result, { ETag: `"${result.rev}"`, Location: location })
}

/**
 * `batch=ok`: the answer does not wait for the write, nor learn how it went.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 * @param {any} doc
 * @param {any} [options]
 */
async function writeLater (req, res, doc, options) {
  validateDocument(doc, options)
  await req.service.batches.add(req, () => req.database.put(doc, options))
  sendJson(res, 202, { ok: true, id: doc._id })
}

module.exports = { sendDocument, sendRelated, sendWritten, sendCreated, statusOfWrite, writeLater }
