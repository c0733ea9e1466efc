'use strict'

const crypto = require('node:crypto')
const { CouchError, createError } = require('@potoroo/errors')
const { challenge } = require('../auth/challenge')
const { callbackOf, wrapped } = require('./jsonp')
const { discardBody } = require('./refused-body')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** UTF-16 units of a text that Node.js is given as bytes: it would go through it three times. */
const LONG = 64 * 1024

/** The type of JSON, whatever a client says that it takes: CouchDB asks nobody. @param {PotorooRequest} req */
function jsonType (req) { return callbackOf(req) === '' ? 'application/json' : 'application/javascript' }

/**
 * Answers with JSON. HEAD gets the same headers and no body.
 *
 * @param {import('../dispatch/request').PotorooResponse} res
 * @param {number} status
 * @param {any} value what JSON.stringify takes
 * @param {Record<string, string | string[]>} [headers]
 */
function sendJson (res, status, value, headers) {
  sendJsonText(res, status, JSON.stringify(value) + '\n', headers)
}

/**
 * The same with JSON that is text (or bytes) already.
 *
 * @param {PotorooResponse} res
 * @param {number} status
 * @param {string} text
 * @param {Record<string, string | string[]>} [headers]
 */
function sendJsonText (res, status, text, headers) {
  const callback = callbackOf(res.req)
  if (callback !== '') text = wrapped(text.toString(), callback)
  const body = typeof text === 'string' && text.length > LONG ? Buffer.from(text) : text
  const list = ['Content-Length', String(Buffer.byteLength(body))]
  if (headers?.['Cache-Control'] === undefined) list.push('Cache-Control', 'must-revalidate')
  if (headers?.['Content-Type'] === undefined) list.push('Content-Type', jsonType(res.req))
  for (const name in headers) list.push(name, /** @type {any} */ (headers[name]))
  res.writeHead(status, list)
  res.end(res.req.method === 'HEAD' ? undefined : body)
}

/**
 * Whether the client has this already (`If-None-Match`); if so it was answered with 304, and the headers of
 * CouchDB's. `*` names no ETag, as in CouchDB.
 *
 * @param {import('../dispatch/request').PotorooResponse} res
 * @param {string} etag with its quotes
 * @returns {boolean}
 */
function notModified (res, etag) {
  const known = res.req.headers['if-none-match']
  if (known === undefined || !(known === etag || known.split(/[, ]+/).some(tag => weak(tag) === weak(etag)))) return false
  res.writeHead(304, ['ETag', etag, 'Content-Length', '0'])
  res.end()
  return true
}

/** An ETag of an answer that is text: equal texts have equal ones. @param {string} text */
function etagOfText (text) {
  return `"${crypto.hash('md5', text, 'base64url')}"`
}

/** @param {string} etag */
function weak (etag) {
  return etag.startsWith('W/') ? etag.slice(2) : etag
}

/**
 * The one way from an error to an answer. An error that is no CouchError, and `INTERNAL`, is a fault of ours or of the
 * storage: it is logged with its cause, which the client does not learn.
 *
 * @param {import('../dispatch/request').PotorooResponse} res
 * @param {unknown} failure
 * @param {(error: unknown) => void} logFault
 */
function sendError (res, failure, logFault) {
  const error = refusalOfCallback(res.req) ?? failure
  const known = error instanceof CouchError ? error : fromFault(error)
  if (known.code === 'INTERNAL' && known.status === 500) logFault(known.cause ?? known)
  if (res.headersSent) {
    // The status is gone; breaking the body off is the only way left to say that it failed.
    res.destroy()
    return
  }
  for (const name of res.getHeaderNames()) if (name === 'etag' || name.startsWith('content-')) res.removeHeader(name)
  discardBody(res.req, res)
  const headers = /** @type {any} */ (known).headers ?? (isPassing(known) ? RETRY : undefined)
  if (known.status !== 401 || /** @type {any} */ (res).req?.service === undefined) return sendJson(res, known.status, known.toJSON(), headers)
  const asked = challenge(res.req, known.reason)
  sendJson(res, asked.status, known.toJSON(), { ...asked.headers, ...headers })
}

/** Whether it will be over in a moment. @param {CouchError} error */
function isPassing ({ code }) { return code === 'UNAVAILABLE' || code === 'NOT_OWNER' }

const RETRY = { 'Retry-After': '1' }

/** Refuses a callback that is none before an error that it would wrap. @param {PotorooRequest} req */
function refusalOfCallback (req) {
  try {
    callbackOf(req)
    return undefined
  } catch (refusal) {
    return refusal instanceof CouchError ? refusal : undefined
  }
}

/** @param {any} error */
function fromFault (error) {
  // JSON.parse knows no depth, but whoever walks or writes what it gives has a stack that ends.
  if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded') {
    return createError('BAD_REQUEST', { reason: 'JSON is nested too deeply', cause: error })
  }
  return createError('INTERNAL', { cause: error })
}

module.exports = { sendJson, sendJsonText, sendError, notModified, etagOfText, jsonType }
