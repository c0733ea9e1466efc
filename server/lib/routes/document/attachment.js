'use strict'

const { createError } = require('@potoroo/errors')
const { createBoundary } = require('@potoroo/multipart')
const { acceptsEncoding } = require('../../http/accept')
const { parseRange, contentRange } = require('../../http/byte-range')
const { rawStream } = require('../../http/body')
const { ByteSource } = require('../../http/byte-source')
const { contentSecurityPolicy } = require('../../http/content-security-policy')
const { readMoment } = require('../../databases/moment')
const { requireAttachmentName, revisionOf } = require('../../documents/input')
const { locationOf } = require('../../documents/location')
const { statusOfWrite } = require('../../documents/document-response')
const { copies, revision } = require('../../documents/query')
const { limitAttachment, limitId } = require('../../documents/size-limits')
const { notModified, sendJsonText } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {Awaited<ReturnType<import('@potoroo/document-store').DocumentStore['getAttachment']>>} Attachment */
/** @typedef {{ from: number, to: number }} Range both ends included */
/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */

const DEFAULT_TYPE = 'application/octet-stream'

/**
 * `GET /{db}/{doc}/{attachment}`: all of it, a range, or several.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function getAttachment (req, res) {
  const { database, params } = req
  const attachment = await database.getAttachment(params.doc, params.attachment, await revisionAsked(req))
  const etag = `"${attachment.digest.replace(/^md5-/, '')}"`
  if (notModified(res, etag)) return
  /** @type {Record<string, string>} */
  const headers = {
    ETag: etag,
    'Cache-Control': 'must-revalidate',
    'Accept-Ranges': attachment.encoding === undefined ? 'bytes' : 'none'
  }
  // Content comes from anybody: a browser must not run it with the rights of this origin.
  const policy = contentSecurityPolicy(req.service.config, 'attachments')
  if (policy !== undefined) headers['Content-Security-Policy'] = policy
  if (attachment.encoding !== undefined) return sendEncoded(req, res, headers, attachment)
  const ranges = unchanged(req, etag) ? parseRange(req.headers.range, attachment.length) : null
  if (ranges !== null && ranges.length > 1) return sendRanges(res, headers, attachment, ranges)
  headers['Content-Type'] = headerValue(attachment.contentType)
  if (ranges === null) headers['Content-MD5'] = etag.slice(1, -1)
  await sendRange(res, headers, attachment, ranges)
}

/** @param {DatabaseRequest} req @returns {Promise<{ rev?: string, document?: import('@potoroo/document-store').Document } | undefined>} */
async function revisionAsked ({ args: { at, rev }, database, params }) {
  if (at !== undefined) return { document: await database.get(params.doc, { at: readMoment(database, at), rev }) }
  return rev === undefined ? undefined : { rev }
}

/**
 * Sends compressed content as it is to who takes that, and decoded to the others.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {Record<string, string>} headers
 * @param {Attachment} attachment
 */
async function sendEncoded (req, res, headers, attachment) {
  const { contentType, encoding, encodedLength, length } = attachment
  const asStored = acceptsEncoding(req, /** @type {string} */ (encoding))
  headers['Content-Type'] = headerValue(contentType)
  headers.Vary = 'Accept-Encoding'
  if (asStored) headers['Content-Encoding'] = /** @type {string} */ (encoding)
  // The length of what came compressed is not known.
  if (asStored || length !== encodedLength) headers['Content-Length'] = String(asStored ? encodedLength : length)
  const out = new ResponseWriter(res, headers, true)
  if (req.method === 'HEAD') out.end()
  else await out.finish(asStored ? attachment.streamStored() : decoded(attachment))
}

/**
 * A client that sends compressed content says how long it is when it is not. Bytes beyond that would be read
 * as the next answer on the connection, so of what is not so long nothing is sent to its end.
 *
 * @param {Attachment} attachment
 */
async function * decoded ({ stream, length, encodedLength }) {
  let left = length === encodedLength ? Infinity : length
  for await (const chunk of stream()) {
    left -= chunk.length
    if (left < 0) throw wrongLength()
    yield chunk
  }
  if (left > 0 && left < Infinity) throw wrongLength()
}

function wrongLength () {
  return createError('NOT_ACCEPTABLE', { reason: 'The attachment is not as long as was said when it was sent: ask for it with Accept-Encoding: gzip' })
}

/** A range of what has changed meanwhile is of no use: `If-Range`. @param {PotorooRequest} req @param {string} etag */
function unchanged ({ headers }, etag) {
  return headers['if-range'] === undefined || headers['if-range'] === etag
}

/** @param {PotorooResponse} res @param {Record<string, string>} headers @param {Attachment} attachment @param {Range[] | null} ranges */
async function sendRange (res, headers, attachment, ranges) {
  const { from, to } = ranges === null ? { from: 0, to: attachment.length - 1 } : ranges[0]
  if (ranges !== null) {
    res.statusCode = 206
    headers['Content-Range'] = contentRange(ranges[0], attachment.length)
  }
  headers['Content-Length'] = String(to - from + 1)
  const out = new ResponseWriter(res, headers, true)
  if (res.req.method === 'HEAD' || from > to) out.end()
  else await out.finish(attachment.stream(from, to + 1))
}

/**
 * Several ranges as multipart/byteranges.
 *
 * @param {PotorooResponse} res
 * @param {Record<string, string>} headers
 * @param {Attachment} attachment
 * @param {Range[]} ranges
 */
async function sendRanges (res, headers, attachment, ranges) {
  const boundary = createBoundary()
  const type = headerValue(attachment.contentType)
  res.statusCode = 206
  const out = new ResponseWriter(res, { ...headers, 'Content-Type': `multipart/byteranges; boundary="${boundary}"` })
  if (res.req.method === 'HEAD') return out.end()
  out.push(`--${boundary}`)
  for (const range of ranges) {
    out.push(`\r\nContent-Type: ${type}\r\nContent-Range: ${contentRange(range, attachment.length)}\r\n\r\n`)
    await out.pipe(attachment.stream(range.from, range.to + 1))
    out.push(`\r\n--${boundary}`)
  }
  out.push('--')
  out.end()
}

/** A content type is text from a client: it must not break the header nor leave its character set. @param {string} text */
function headerValue (text) {
  return /^[\x20-\x7e\xa0-\xff]+$/.test(text) ? text : DEFAULT_TYPE
}

/**
 * `PUT /{db}/{doc}/{attachment}?rev=` → 201 `{ ok, id, rev }`; without rev it makes the document.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function putAttachment (req, res) {
  const { database, params: { db, doc: id, attachment: name } } = req
  requireAttachmentName(name)
  limitId(req, id)
  const rev = revisionOf(req)
  const encoding = encodingOf(req)
  const source = new ByteSource(req, rawStream(req))
  try {
    const data = limitAttachment(req, name, source)
    const contentType = req.headers['content-type'] ?? DEFAULT_TYPE
    const result = await database.putAttachment(id, name, { contentType, data, encoding }, rev === undefined ? undefined : { rev })
    sendResult(res, statusOfWrite(req, 201), result, locationOf(req, db, id, name))
  } finally {
    source.release()
  }
}

/** Keeps compressed what comes compressed. @param {PotorooRequest} req @returns {'gzip' | undefined} */
function encodingOf ({ headers }) {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity') return undefined
  if (encoding === 'gzip') return encoding
  throw createError('BAD_CONTENT_TYPE', { reason: 'Only gzip and identity content-encodings are supported' })
}

/**
 * `DELETE /{db}/{doc}/{attachment}?rev=` → 200 `{ ok, id, rev }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function deleteAttachment (req, res) {
  const { database, params: { doc: id, attachment: name } } = req
  requireAttachmentName(name)
  const rev = revisionOf(req)
  if (rev === undefined) {
    await database.getAttachment(id, name)
    throw createError('CONFLICT')
  }
  sendResult(res, 200, await database.removeAttachment(id, name, { rev }))
}

/**
 * @param {PotorooResponse} res
 * @param {number} status
 * @param {{ id: string, rev: string }} written
 * @param {string} [location]
 */
function sendResult (res, status, { id, rev }, location) {
  sendJsonText(res, status, `{"ok":true,"id":${JSON.stringify(id)},"rev":"${rev}"}\n`, location ? { Location: location } : undefined)
}

const path = '/:db/:doc/:attachment+'
const query = { rev: revision }

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path, who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query: { ...query, at: 'string' }, threads: { parameters: ['rev'] }, anywhere: true, shards: 'document', handler: getAttachment },
  { method: 'PUT', path, who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query: { ...query, w: copies }, shards: 'document', handler: putAttachment },
  { method: 'DELETE', path, who: 'member', byDocument: true, whoIn: { users: 'member', replications: 'member' }, query, shards: 'document', handler: deleteAttachment }
]
