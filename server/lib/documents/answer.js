'use strict'

const { toJson } = require('@potoroo/document-store')
const { notModified, sendJson, sendJsonText } = require('../response')
const { ResponseWriter } = require('../response-writer')
const { RelatedWriter } = require('../multipart/writer')
const { attachmentsToSend, followers, toJsonFollowed } = require('./following')

/**
 * One revision never changes, but what is known about its place in the tree does.
 * @param {import('@potoroo/document-store').Document} document
 */
function etagOf ({ rev, revsInfo, conflicts, deletedConflicts, localSeq }) {
  return revsInfo ?? conflicts ?? deletedConflicts ?? localSeq ? undefined : `"${rev}"`
}

/**
 * Answers with a document as JSON, or with 304.
 *
 * @param {import('node:http').ServerResponse} res
 * @param {import('@potoroo/document-store').Document} document
 */
function sendDocument (res, document) {
  const etag = etagOf(document)
  if (etag === undefined) return sendJsonText(res, 200, toJson(document) + '\n')
  if (!notModified(res, etag)) sendJsonText(res, 200, toJson(document) + '\n', { ETag: etag })
}

/**
 * Answers with a document and the content of its attachments as multipart/related, or as JSON
 * where it has none to send.
 *
 * @param {any} req
 * @param {import('node:http').ServerResponse} res
 * @param {import('@potoroo/document-store').Document} document read with `revs`
 */
async function sendRelated (req, res, document) {
  const following = attachmentsToSend(document, req.args.atts_since)
  if (!req.args.revs) document.revisions = undefined
  if (following.size === 0) return sendDocument(res, document)
  const etag = etagOf(document)
  if (etag !== undefined && notModified(res, etag)) return
  const related = new RelatedWriter(toJsonFollowed(document, following), followers(req.database, document, following))
  const out = new ResponseWriter(res, { 'Content-Type': related.contentType, 'Content-Length': String(related.length), ...(etag && { ETag: etag }) })
  if (req.method !== 'HEAD') await related.writeTo(out)
  out.end()
}

/**
 * Answers a write.
 *
 * @param {import('node:http').ServerResponse} res
 * @param {number} status
 * @param {{ id: string, rev: string }} result
 * @param {string} [location]
 */
function sendWritten (res, status, { id, rev }, location) {
  const text = `{"ok":true,"id":${JSON.stringify(id)},"rev":"${rev}"}\n`
  sendJsonText(res, status, text, location === undefined ? { ETag: `"${rev}"` } : { ETag: `"${rev}"`, Location: location })
}

/** `batch=ok`: the answer does not wait for the write, nor learn how it went. */
function writeLater (req, res, doc) {
  req.database.put(doc).catch(error => { if (error.status === undefined) req.service.log.fault(req, error) })
  sendJson(res, 202, { ok: true, id: doc._id })
}

module.exports = { sendDocument, sendRelated, sendWritten, writeLater }
