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

/** Bytes of JSON that are read into memory at most, decompressed. */
const JSON_LIMIT = 256 * 1024 * 1024

/** Bytes that a request may bring, and bytes of JSON. */
const bodyLimits = {
  request: integer('chttpd', 'max_http_request_size'),
  /** @param {import('../config/config').Config} config */
  json: config => Math.min(config.integer('chttpd', 'max_http_request_size'), JSON_LIMIT)
}

/** Bytes of JSON that are parsed at once: it takes some milliseconds. */
const LARGE = 256 * 1024

/** The same of documents whose members are not looked at. */
const LARGE_BARE = 1024 * 1024

/**
 * The body as a stream of Buffers, as it came.
 * @param {PotorooRequest} req
 * @returns {import('node:stream').Readable}
 */
function rawStream (req) {
  const instead = bodyInstead(req)
  return instead === undefined ? req : Readable.from([instead])
}

/**
 * The body as a stream of Buffers, decompressed where `Content-Encoding` says gzip.
 * @param {PotorooRequest} req an IncomingMessage; `bodyInstead` of a request that was forwarded, `takenBody` of one whose body
 *   a parser has read before
 * @returns {import('node:stream').Readable}
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
 * The body, where it does not come over the connection any more.
 *
 * @param {PotorooRequest} req
 * @param {'bytes' | 'json' | 'form'} [kind] what is needed of it
 * @returns {Buffer | undefined}
 * @throws body_already_read where a parser has it and has not kept that
 */
function bodyInstead (req, kind = 'bytes') {
  return req.bodyInstead ?? req.takenBody?.[kind]
}

/**
 * The whole body in memory.
 *
 * @param {PotorooRequest} req
 * @param {number} [limit] bytes, after decompression
 * @returns {Promise<Buffer>}
 * @throws too_large over the limit; bad_request when the client hangs up or its gzip is broken
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

  /** Throws the rest away, so that the client gets to read the answer; the rest is not even decompressed. */
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
 * Says how long a body was on its way, if it was long: every answer has 0 by itself.
 *
 * @param {{ res: PotorooResponse }} given
 * @param {number} milliseconds
 */
function tellTime ({ res }, milliseconds) {
  if (milliseconds >= 1 && res?.headersSent === false) res.setHeader('X-CouchDB-Body-Time', String(Math.floor(milliseconds)))
}

/**
 * The body as JSON.
 *
 * @param {PotorooRequest} req
 * @param {number} [limit] bytes
 * @param {number} [documents] containers around documents: see `parseLargeJson`
 * @param {(bytes: Buffer) => any} [readBare] takes what is written like most JSON without parsing it
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
 * The same of bytes that came in the request.
 *
 * @param {PotorooRequest} req
 * @param {Buffer} bytes
 * @param {number} [documents]
 * @returns {any} a promise where they are many
 */
function parseBytes (req, bytes, documents) {
  if (bytes.length <= LARGE) return parseJson(bytes, documents)
  return documents === undefined ? parseLargeJson(bytes) : parseLargeJson(bytes, documents, mostOfDocument(req))
}

/** A document, with its members. @param {PotorooRequest} req @param {number} [limit] */
function readDocument (req, limit) { return readJson(req, limit, 0) }

/** @typedef {PotorooRequest & { database?: { takesBare: boolean } }} WriteRequest */

/** The same, without its members if its database takes it so. @param {WriteRequest} req @param {number} [limit] */
function readBareDocument (req, limit) { return readJson(req, limit, 0, req.database?.takesBare === true ? bareDocument : undefined) }

/** `{ docs: [document] }` @param {PotorooRequest} req @param {number} [limit] */
function readDocuments (req, limit) { return readJson(req, limit, 2) }

/** The same, without their members if their database takes them so. @param {WriteRequest} req @param {number} [limit] */
function readBareDocuments (req, limit) { return readJson(req, limit, 2, req.database?.takesBare === true ? bareDocuments : undefined) }

/** The text of a form, urlencoded. @param {PotorooRequest} req @param {number} [limit] @returns {Promise<string>} */
async function readFormText (req, limit) {
  return (await readWhole(req, 'form', limit)).toString('utf8')
}

/**
 * A parser that has read before need not have kept it byte for byte.
 *
 * @param {PotorooRequest} req
 * @param {'bytes' | 'json' | 'form'} kind
 */
async function readWhole (req, kind, limit = JSON_LIMIT) {
  const instead = bodyInstead(req, kind)
  if (instead === undefined) return readBody(req, limit)
  if (instead.length > limit) throw createError('TOO_LARGE')
  return instead
}

/** bad_content_type unless the request says that its body is of this type. @param {PotorooRequest} req @param {string} type */
function requireContentType (req, type) {
  const given = req.headers['content-type']
  if (given === undefined || given.split(';', 1)[0].trim().toLowerCase() !== type) {
    throw createError('BAD_CONTENT_TYPE', { reason: `Content-Type must be ${type}` })
  }
}

/** Whether no body was announced: one of no bytes is no JSON. @param {PotorooRequest} req */
function hasNone ({ headers }) { return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined }

/** @param {PotorooRequest} req */
function isEmpty (req) {
  return req.headers['transfer-encoding'] === undefined && !(Number(req.headers['content-length']) > 0)
}

/**
 * The bytes that a route's body may have.
 *
 * @param {Pick<import('../dispatch/route-table').Route, 'section'>} route
 * @param {Pick<import('../service/request-service').RequestService, 'config' | 'jsonLimit'>} service
 */
function bytesOf ({ section }, { config, jsonLimit }) {
  return section === undefined ? jsonLimit : Math.min(jsonLimit, config.integer(section, 'max_bytes'))
}

/** How a route may declare its body: what the dispatcher puts into `req.body`. */
const readers = {
  /** JSON, whatever Content-Type says. */
  json: readJson,
  /** JSON, and Content-Type must say so. @param {PotorooRequest} req @param {number} [limit] */
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
   * Nothing is expected, but Content-Type must say JSON all the same; what comes is thrown away.
   *
   * @param {PotorooRequest} req
   * @param {number} [limit]
   */
  async 'typed-nothing' (req, limit) {
    requireContentType(req, 'application/json')
    if (req.takenBody === undefined) await readBody(req, limit)
  },
  /**
   * The same, or nothing, which is undefined: in HTTP/1 its length has to say so, as for CouchDB.
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
