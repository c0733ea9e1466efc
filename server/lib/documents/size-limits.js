'use strict'

const { carriedText, inTurns } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../service/request-service').RequestService} RequestService */

const schema = { document: bytes('max_document_size'), attachment: bytes('max_attachment_size'), id: bytes('max_document_id_length') }

/** Sections by service. @type {WeakMap<RequestService, { now: { document: number, attachment: number, id: number } }>} */
const known = new WeakMap()

/** Documents that are measured between two looks at the clock. */
const EVERY = 4

/** @param {{ service: RequestService }} req */
function limitsOf ({ service }) {
  let section = known.get(service)
  if (section === undefined) known.set(service, section = service.config.section(schema))
  return section.now
}

/** Reads a limit in bytes. @param {string} key @returns {(config: import('../config/config').Config) => number} */
function bytes (key) {
  return config => {
    const number = Number(config.get('couchdb', key))
    return number >= 0 ? number : Infinity
  }
}

/**
 * How many bytes the request's body has at most: a document in it is no longer.
 * @param {import('../dispatch/request').PotorooRequest} req
 */
function bodyLength (req) {
  return req.headers['content-encoding'] === undefined ? Number(req.headers['content-length'] ?? Infinity) : Infinity
}

/**
 * Refuses documents above `[couchdb] max_document_size`, which counts their JSON without
 * attachments, attachments in them above `max_attachment_size`, and ids above
 * `max_document_id_length`.
 *
 * @param {PotorooRequest} req
 * @param {any[]} docs
 * @param {number} [bytes] of the JSON that held them all
 * @throws document_too_large with the document's id as its reason, attachment_too_large with the
 *   attachment's name, illegal_docid
 */
function limitDocuments (req, docs, bytes = bodyLength(req)) {
  const limits = limitsOf(req)
  if (limits.id < Infinity) for (const doc of docs) limitId(req, doc?._id)
  if (bytes > limits.document) for (const doc of docs) limitDocument(doc, limits.document)
  if (bytes > limits.attachment) for (const doc of docs) limitInline(doc?._attachments, limits.attachment)
}

/** Bytes above which `limitDocuments` refuses each document of a request. @param {PotorooRequest} req */
function mostOfDocument (req) {
  const { document } = limitsOf(req)
  return bodyLength(req) > document ? document : Infinity
}

/**
 * The same of a list that may be long.
 *
 * @param {PotorooRequest} req
 * @param {any[]} docs
 * @returns {void | Promise<void>}
 */
function limitMany (req, docs) {
  const bytes = bodyLength(req)
  const limits = limitsOf(req)
  if (limits.id < Infinity || bytes > limits.document || bytes > limits.attachment) return inTurns(docs, doc => limitDocuments(req, [doc], bytes), EVERY)
}

/**
 * @param {PotorooRequest} req
 * @param {string} id
 * @throws illegal_docid where it is longer than `[couchdb] max_document_id_length`, which is of one that is to be written
 */
function limitId (req, id) {
  if (typeof id !== 'string' || Buffer.byteLength(id) <= limitsOf(req).id) return
  throw createError('ILLEGAL_DOCID', { reason: 'Document id is too long' })
}

/** @param {any} doc @param {number} limit */
function limitDocument (doc, limit) {
  if (lengthOf(doc ?? {}) <= limit) return
  throw createError('DOCUMENT_TOO_LARGE', { reason: String(doc._id ?? '') })
}

/** Bytes of its JSON. @param {any} doc */
function lengthOf (doc) {
  const text = carriedText(doc)
  if (text === undefined) return Buffer.byteLength(JSON.stringify(withoutAttachments(doc)))
  const special = text.special.filter(name => name !== '_attachments').map(name => [name, doc[name]])
  return text.bytes + Buffer.byteLength(JSON.stringify(Object.fromEntries(special))) - 2
}

/** A copy of a million members takes seconds: only where there is something to leave out. @param {any} doc */
function withoutAttachments (doc) {
  if (doc._attachments === undefined) return doc
  const { _attachments, ...rest } = doc
  return rest
}

/** @param {Record<string, any>} attachments @param {number} limit */
function limitInline (attachments, limit) {
  for (const name in attachments) {
    const data = attachments[name]?.data
    if ((typeof data === 'string' ? Buffer.byteLength(data, 'base64') : data?.length) > limit) throw createError('ATTACHMENT_TOO_LARGE', { reason: name })
  }
}

/**
 * Passes an attachment's content on up to `[couchdb] max_attachment_size`.
 *
 * @param {PotorooRequest} req
 * @param {string} name
 * @param {AsyncIterable<Buffer>} content
 * @throws attachment_too_large, with its name as its reason
 */
async function * limitAttachment (req, name, content) {
  const limit = limitsOf(req).attachment
  let length = 0
  for await (const chunk of content) {
    length += chunk.length
    if (length > limit) throw createError('ATTACHMENT_TOO_LARGE', { reason: name })
    yield chunk
  }
}

module.exports = { limitDocuments, limitId, limitMany, limitAttachment, mostOfDocument }
