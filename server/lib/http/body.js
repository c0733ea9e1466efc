'use strict'

const { Readable } = require('node:stream')
const zlib = require('node:zlib')
const { parseJson, parseLargeJson, readBare: bareDocuments, readBareDocument: bareDocument } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { BodyStall } = require('./body-stall')
const { hungUp } = require('./hung-up')
const { integer } = require('../config/schema')
const { mostOfDocument } = require('../documents/size-limits')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** The most bytes of JSON that are read into memory, after decompression. */
const JSON_LIMIT = 256 * 1024 * 1024

/** The longest bodies, in bytes: `request` of any kind, `json` of JSON. */
const bodyLimits = {
  request: integer('chttpd', 'max_http_request_size'),
  /** @param {import('../config/config').Config} config */
  json: config => Math.min(config.integer('chttpd', 'max_http_request_size'), JSON_LIMIT)
}

/** Longer JSON is parsed in pieces, so that other requests get their turns: `JSON.parse` of it takes milliseconds. In bytes. */
const LARGE = 256 * 1024

/** The same limit for documents that `readBare` reads, which is faster: it does not parse their members. */
const LARGE_BARE = 1024 * 1024

/**
 * Returns the body as a stream of Buffers, as the client sent it: not decompressed.
 *
 * @param {PotorooRequest} req
 * @returns {import('node:stream').Readable}
 */
function rawStream (req) {
  const instead = bodyInstead(req)
  return instead === undefined ? req : Readable.from([instead])
}

/**
 * Returns the body as a stream of Buffers, decompressed if `Content-Encoding` is gzip.
 *
 * @param {PotorooRequest} req
 * @returns {import('node:stream').Readable}
 * @throws bad_ctype for any other `Content-Encoding`
 */
function bodyStream (req) {
  const instead = bodyInstead(req)
  if (instead !== undefined) return Readable.from([instead])
  const encoding = req.headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return req
  if (encoding !== 'gzip') throw createError('BAD_CONTENT_TYPE', { reason: `Unsupported Content-Encoding: ${encoding}`, error: 'bad_ctype' })
  const gunzip = zlib.createGunzip({ chunkSize: 65536 })
  req.on('error', error => gunzip.destroy(error))
  req.on('close', () => { if (!req.complete) gunzip.destroy(new Error('aborted')) })
  return req.pipe(gunzip)
}

/**
 * Returns a body that is in memory already, so that the connection is not read: `req.bodyInstead` if this server has read it
 * before, or `req.takenBody` if a body parser of the host's app has.
 *
 * @param {PotorooRequest} req
 * @param {'bytes' | 'json' | 'form'} [kind] the form in which the caller needs the body
 * @returns {Buffer | undefined} undefined: the body is still to be read
 * @throws body_already_read if a body parser has read it, and has not kept it in this form
 */
function bodyInstead (req, kind = 'bytes') {
  return req.bodyInstead ?? req.takenBody?.[kind]
}

/**
 * Reads the whole body into memory.
 *
 * @param {PotorooRequest} req
 * @param {number} [limit] the most bytes, after decompression
 * @returns {Promise<Buffer>}
 * @throws too_large if the body is longer; bad_request if the client hangs up, or the gzip is broken; request_timeout if
 *   the client sends nothing for too long
 */
function readBody (req, limit = JSON_LIMIT) {
  if (Number(req.headers['content-length']) > limit) return Promise.reject(createError('TOO_LARGE'))
  return new Promise((resolve, reject) => new WholeBody(req, limit, resolve, reject).read())
}

/** Collects the body of one request. */
class WholeBody {
  #req
  #limit
  #resolve
  #reject
  #stream
  #stall
  #startedAt = performance.now()
  /** @type {Buffer[]} */
  #chunks = []
  #length = 0

  /** @param {PotorooRequest} req @param {number} limit @param {(body: Buffer) => void} resolve @param {(error: Error) => void} reject */
  constructor (req, limit, resolve, reject) {
    this.#req = req
    this.#limit = limit
    this.#resolve = resolve
    this.#reject = reject
    this.#stream = bodyStream(req)
    this.#stall = new BodyStall(req, reject)
  }

  read () {
    this.#stall.moved()
    this.#stream.on('data', chunk => this.#add(chunk))
    this.#stream.on('end', () => this.#end())
    this.#stream.on('error', cause => this.#fail(hungUp(cause)))
    this.#req.on('close', () => {
      this.#stall.end()
      if (!this.#req.complete) this.#reject(hungUp())
    })
  }

  /** @param {Buffer} chunk */
  #add (chunk) {
    this.#length += chunk.length
    this.#stall.moved()
    if (this.#length > this.#limit) return this.#refuse()
    this.#chunks.push(chunk)
  }

  /** Refuses the body, and reads the rest of it without use: a client that still sends does not read the answer. */
  #refuse () {
    this.#stream.removeAllListeners('data')
    this.#req.unpipe?.()
    if (this.#stream !== this.#req) this.#stream.destroy()
    this.#req.resume()
    this.#fail(createError('TOO_LARGE'))
  }

  #end () {
    this.#stall.end()
    tellTime(this.#req, performance.now() - this.#startedAt)
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks, this.#length)
    if (this.#req.keepsBody) this.#req.bodyInstead = body
    this.#resolve(body)
  }

  /** @param {Error} error */
  #fail (error) {
    this.#stall.end()
    this.#reject(error)
  }
}

/**
 * Sets `X-CouchDB-Body-Time`, the milliseconds that it took to receive the body. Answers have 0 by default.
 *
 * @param {{ res: PotorooResponse }} given
 * @param {number} milliseconds
 */
function tellTime ({ res }, milliseconds) {
  if (milliseconds >= 1 && res?.headersSent === false) res.setHeader('X-CouchDB-Body-Time', String(Math.floor(milliseconds)))
}

/**
 * Reads the body, and parses it as JSON.
 *
 * @param {PotorooRequest} req
 * @param {number} [limit] the most bytes
 * @param {number} [documents] how deep documents lie in the JSON: 0 if the body is a document, 2 in `{ docs: [document] }`.
 *   Documents keep the text that they were sent as. undefined: there are none
 * @param {(bytes: Buffer) => any} [readBare] a faster way to read documents, which keeps their members as text. It gives
 *   undefined for JSON that it does not know how to read, and then the JSON is parsed
 * @returns {Promise<any>}
 * @throws bad_request "invalid UTF-8 JSON", "Missing request body"
 */
async function readJson (req, limit, documents, readBare) {
  const bytes = await readWhole(req, 'json', limit)
  const bare = readBare !== undefined && bytes.length <= LARGE_BARE ? readBare(bytes) : undefined
  if (bare !== undefined) return bare
  if (bytes.length === 0 && hasNone(req)) throw badRequest('Missing request body')
  return parseBytes(req, bytes, documents)
}

/**
 * Parses bytes of a request as JSON.
 *
 * @param {PotorooRequest} req
 * @param {Buffer} bytes
 * @param {number} [documents] as in `readJson`
 * @returns {any} the value; a promise of it if there are many bytes
 * @throws bad_request "invalid UTF-8 JSON"
 */
function parseBytes (req, bytes, documents) {
  if (bytes.length <= LARGE) return parseJson(bytes, documents)
  return documents === undefined ? parseLargeJson(bytes) : parseLargeJson(bytes, documents, mostOfDocument(req))
}

/** Reads a body that is one document, and parses it. @param {PotorooRequest} req @param {number} [limit] */
function readDocument (req, limit) { return readJson(req, limit, 0) }

/** @typedef {PotorooRequest & { database?: { takesBare: boolean } }} WriteRequest */

/** Reads a body that is one document. Its members are not parsed if its database does not look at them. @param {WriteRequest} req @param {number} [limit] */
function readBareDocument (req, limit) { return readJson(req, limit, 0, req.database?.takesBare === true ? bareDocument : undefined) }

/** Reads `{ docs: [document] }`, and parses the documents. @param {PotorooRequest} req @param {number} [limit] */
function readDocuments (req, limit) { return readJson(req, limit, 2) }

/** Reads `{ docs: [document] }`. Members of documents are not parsed if their database does not look at them. @param {WriteRequest} req @param {number} [limit] */
function readBareDocuments (req, limit) { return readJson(req, limit, 2, req.database?.takesBare === true ? bareDocuments : undefined) }

/** Reads the text of a form, still URL-encoded. @param {PotorooRequest} req @param {number} [limit] @returns {Promise<string>} */
async function readFormText (req, limit) {
  return (await readWhole(req, 'form', limit)).toString('utf8')
}

/**
 * Reads the whole body, from memory if it is there.
 *
 * @param {PotorooRequest} req
 * @param {'bytes' | 'json' | 'form'} kind the form in which the caller needs it: a body parser may not have kept each byte
 * @throws too_large, body_already_read
 */
async function readWhole (req, kind, limit = JSON_LIMIT) {
  const instead = bodyInstead(req, kind)
  if (instead === undefined) return readBody(req, limit)
  if (instead.length > limit) throw createError('TOO_LARGE')
  return instead
}

/** Throws bad_content_type unless `Content-Type` is this type. @param {PotorooRequest} req @param {string} type */
function requireContentType (req, type) {
  const given = req.headers['content-type']
  if (given === undefined || given.split(';', 1)[0].trim().toLowerCase() !== type) {
    throw createError('BAD_CONTENT_TYPE', { reason: `Content-Type must be ${type}` })
  }
}

/** Whether the request has no body at all, which CouchDB tells from a body of 0 bytes: that is invalid JSON. @param {PotorooRequest} req */
function hasNone ({ headers }) { return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined }

/** Whether the request has no body, or one of 0 bytes. @param {PotorooRequest} req */
function isEmpty (req) {
  return req.headers['transfer-encoding'] === undefined && !(Number(req.headers['content-length']) > 0)
}

/**
 * Returns the longest body that a route takes, in bytes: that of JSON, or `max_bytes` of the section of the configuration that the route names, if that is less.
 *
 * @param {Pick<import('../dispatch/route-table').Route, 'section'>} route
 * @param {Pick<import('../service/request-service').RequestService, 'config' | 'jsonLimit'>} service
 */
function bytesOf ({ section }, { config, jsonLimit }) {
  return section === undefined ? jsonLimit : Math.min(jsonLimit, config.integer(section, 'max_bytes'))
}

/** The kinds of bodies that a row of the route table may name. Each reads a body as the dispatcher puts it into `req.body`. */
const readers = {
  /** JSON. `Content-Type` does not matter. */
  json: readJson,
  /** JSON. `Content-Type` must be that of JSON. @param {PotorooRequest} req @param {number} [limit] */
  'typed-json' (req, limit) {
    requireContentType(req, 'application/json')
    return readJson(req, limit)
  },
  /** @param {PotorooRequest} req @param {number} [limit] */
  'typed-document' (req, limit) {
    requireContentType(req, 'application/json')
    return readBareDocument(req, limit)
  },
  /** @param {PotorooRequest} req @param {number} [limit] */
  'typed-documents' (req, limit) {
    requireContentType(req, 'application/json')
    return readDocuments(req, limit)
  },
  /** @param {PotorooRequest} req @param {number} [limit] */
  'typed-bare-documents' (req, limit) {
    requireContentType(req, 'application/json')
    return readBareDocuments(req, limit)
  },
  /**
   * No body is needed, and one that comes is not used. `Content-Type` must be that of JSON, as for CouchDB.
   *
   * @param {PotorooRequest} req
   * @param {number} [limit]
   */
  async 'typed-nothing' (req, limit) {
    requireContentType(req, 'application/json')
    if (req.takenBody === undefined) await readBody(req, limit)
  },
  /**
   * JSON, or undefined if there is no body. `Content-Type` must be that of JSON. In HTTP/1 `Content-Length: 0` must say that
   * there is no body, as for CouchDB.
   *
   * @param {PotorooRequest} req
   * @param {number} [limit]
   */
  'typed-optional-json' (req, limit) {
    requireContentType(req, 'application/json')
    return isEmpty(req) && (req.httpVersionMajor === 2 || req.headers['content-length'] !== undefined) ? undefined : readJson(req, limit)
  }
}

module.exports = { bytesOf, parseBytes, readBody, readBareDocument, readDocument, readJson, readFormText, bodyStream, rawStream, requireContentType, isEmpty, readers, bodyLimits, JSON_LIMIT }
