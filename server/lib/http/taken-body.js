'use strict'

const { createError } = require('@potoroo/errors')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('node:http').IncomingHttpHeaders} IncomingHttpHeaders */

/**
 * The body of a request that a body parser of the host's app (`express.json()`) has read before Potoroo got the request.
 * It is taken if the parser has kept all that matters, and refused otherwise:
 *
 *   bytes (`express.raw()`)             for everything
 *   text in UTF-8 (`express.text()`)    for everything, unless bytes of it were no UTF-8
 *   JSON (`express.json()`)             where JSON is asked for, unless it has numbers that may
 *                                       have lost digits
 *   a form (`express.urlencoded()`)     for `_session`, where its fields are texts
 */
class TakenBody {
  #value
  #type

  /**
   * @param {any} value what the parser has left
   * @param {string} type the Content-Type, in lower case
   */
  constructor (value, type) {
    this.#value = value
    this.#type = type
  }

  /** @returns {Buffer} the body as it came @throws body_already_read */
  get bytes () {
    const bytes = this.#exactBytes()
    if (bytes === null) throw lost('its bytes are needed, and it kept none')
    return bytes
  }

  /** @returns {Buffer} the body as JSON @throws body_already_read */
  get json () {
    const bytes = this.#exactBytes()
    if (bytes !== null) return bytes
    if (!isJson(this.#type) || this.#value === undefined) throw lost('it kept no JSON')
    if (!keptNumbers(this.#value)) throw lost('a number of it may have lost digits')
    return Buffer.from(JSON.stringify(this.#value))
  }

  /** @returns {Buffer} the body as the text of a form @throws body_already_read */
  get form () {
    const bytes = this.#exactBytes()
    if (bytes !== null) return bytes
    const fields = isForm(this.#type) ? fieldsOf(this.#value) : null
    if (fields === null) throw lost('it kept no plain form')
    return Buffer.from(new URLSearchParams(fields).toString())
  }

  #exactBytes () {
    const value = this.#value
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    // The decoder writes U+FFFD for bytes that are not UTF-8. A client may have sent it, too: nobody can tell.
    return typeof value === 'string' && isUtf8(this.#type) && !value.includes('\ufffd') ? Buffer.from(value) : null
  }
}

/** @param {string} type */
function isJson (type) { return /^application\/(?:[\w.+-]+\+)?json\b/.test(type) }

/** @param {string} type */
function isForm (type) { return type.startsWith('application/x-www-form-urlencoded') }

/** @param {string} type */
function isUtf8 (type) {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/.exec(type)
  return charset === null || charset[1] === 'utf-8' || charset[1] === 'utf8'
}

/** Whether each number is surely the one that was sent: `JSON.parse` rounds integers above 2^53. No recursion: the value may be nested deeply. @param {any} value */
function keptNumbers (value) {
  const rest = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === 'number' ? !isKept(next) : false) return false
    if (typeof next === 'object' && next !== null) for (const name of Object.keys(next)) rest.push(next[name])
  }
  return true
}

/** @param {number} number */
function isKept (number) { return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number)) }

/** @param {any} value @returns {Array<[string, string]> | null} null if a field is neither text nor a list of texts */
function fieldsOf (value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  const fields = Object.entries(value).flatMap(([name, given]) => [given].flat().map(each => /** @type {[string, any]} */ ([name, each])))
  return fields.every(([, each]) => typeof each === 'string') ? fields : null
}

/** @param {string} why */
function lost (why) {
  return createError('BODY_ALREADY_READ', {
    reason: `A body parser has read this request before Potoroo, and ${why}. Mount Potoroo before body parsers (app.use('/db', potoroo(…)) above app.use(express.json())), or give it bytes: express.raw({ type: () => true })`
  })
}

/**
 * Takes what a body parser has left in `req.body` over to `req.takenBody`, before the request is routed. If nobody has read the
 * stream of the request, there is nothing to take: Potoroo reads the body itself.
 *
 * @param {PotorooRequest} req
 */
function takeBody (req) {
  if (req.body === undefined && req.readableDidRead !== true && req.readableEnded !== true) return
  const { body } = req
  req.body = undefined
  if (req.readableDidRead !== true && req.readableEnded !== true) return
  const { headers } = req
  // A request without a body has lost nothing, whatever the parser left.
  const isEmpty = headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)
  req.takenBody = new TakenBody(isEmpty ? Buffer.alloc(0) : body, (headers['content-type'] ?? '').toLowerCase())
  if (headers['content-encoding'] !== undefined) beDecompressed(headers)
}

/** Changes the headers to those of a body that is not compressed: parsers have decompressed it, so its length is another. @param {IncomingHttpHeaders} headers */
function beDecompressed (headers) {
  delete headers['content-encoding']
  delete headers['content-length']
  headers['transfer-encoding'] = 'chunked'
}

module.exports = { takeBody }
