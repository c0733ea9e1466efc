'use strict'

const { validateHeaderName, validateHeaderValue } = require('node:http')
const { Writable } = require('node:stream')
const { ownBytes } = require('./batched-port')

/** Bytes that may be on their way to the client's thread before the handler has to wait. */
const UNDER_WAY = 256 * 1024

/**
 * The answer to a request that another thread received, as handlers know it from node:http. Bytes that
 * are written go to that thread, at the pace of its client.
 */
class PassedResponse extends Writable {
  statusCode = 200
  statusMessage = undefined
  headersSent = false
  /** Others answer it. */
  isMoved = false
  /** Lower case → name and value. @type {Map<string, [string, any]>} */
  #headers = new Map()
  #send
  #underWay = 0
  #isWhole = false
  /** @type {(() => void) | null} */
  #goOn = null

  /**
   * @param {import('./passed-request').PassedRequest} req
   * @param {(kind: string, ...rest: any[]) => void} send to the thread
   */
  constructor (req, send) {
    super({ decodeStrings: false, highWaterMark: UNDER_WAY })
    this.req = req
    this.#send = send
  }

  get socket () { return this.req.socket }

  get connection () { return this.req.socket }

  get finished () { return this.writableEnded }

  /** @param {string} name @param {any} value */
  setHeader (name, value) {
    if (this.headersSent) throw Object.assign(new Error('Cannot set headers after they are sent to the client'), { code: 'ERR_HTTP_HEADERS_SENT' })
    validateHeaderName(name)
    validateHeaderValue(name, value)
    this.#headers.set(name.toLowerCase(), [name, value])
    return this
  }

  /** @param {string} name @param {any} value */
  appendHeader (name, value) {
    const before = this.getHeader(name)
    return this.setHeader(name, before === undefined ? value : [].concat(before, value))
  }

  /** @param {string} name */
  getHeader (name) { return this.#headers.get(name.toLowerCase())?.[1] }
  getHeaders () { return Object.fromEntries([...this.#headers].map(([key, [, value]]) => [key, value])) }
  getHeaderNames () { return [...this.#headers.keys()] }
  /** @param {string} name */
  hasHeader (name) { return this.#headers.has(name.toLowerCase()) }
  /** @param {string} name */
  removeHeader (name) { this.#headers.delete(name.toLowerCase()) }

  /** It goes with what is written first. @param {number} status @param {...any} rest */
  writeHead (status, ...rest) {
    if (!(status >= 100 && status <= 999)) throw new RangeError(`Invalid status code: ${status}`)
    const [message, headers] = typeof rest[0] === 'string' ? rest : [undefined, rest[0]]
    this.statusCode = status
    this.statusMessage = message ?? this.statusMessage
    if (Array.isArray(headers)) for (let i = 0; i < headers.length; i += 2) this.setHeader(headers[i], headers[i + 1])
    else for (const name of Object.keys(headers ?? {})) this.setHeader(name, headers[name])
    return this
  }

  flushHeaders () {
    this.#sendHead()
    this.#send('flush')
  }

  #sendHead () {
    if (this.headersSent) return
    this.headersSent = true
    this.#send('head', this.#head())
  }

  /** As JSON, because text crosses to another thread for much less than objects do. */
  #head () {
    const headers = []
    for (const [name, value] of this.#headers.values()) headers.push(name, value)
    return JSON.stringify({ status: this.statusCode, message: this.statusMessage, headers, user: this.req.isKnown ? undefined : this.req.user })
  }

  /** @param {any} chunk @param {BufferEncoding} encoding @param {(error?: Error | null) => void} done */
  _write (chunk, encoding, done) {
    this.#sendHead()
    const bytes = typeof chunk === 'string' && encoding !== 'utf8' ? Buffer.from(chunk, encoding) : chunk
    this.#underWay += bytes.length
    this.#send('data', ownBytes(bytes))
    if (this.#underWay < UNDER_WAY) done()
    else this.#goOn = done
  }

  /** The client's connection has taken so much. @param {number} length */
  taken (length) {
    this.#underWay -= length
    if (this.#goOn === null || this.#underWay >= UNDER_WAY) return
    const goOn = this.#goOn
    this.#goOn = null
    goOn()
  }

  /**
   * A body that is known to its end goes in one piece, and says how long it is.
   *
   * @param {any} [chunk]
   * @param {any} [encoding]
   * @param {any} [done]
   * @returns {any}
   */
  end (chunk, encoding, done) {
    if (this.headersSent || this.writableEnded || typeof chunk === 'function' || typeof encoding === 'string') return super.end(chunk, encoding, done)
    if (this.#lacksLength()) this.setHeader('Content-Length', chunk == null ? 0 : Buffer.byteLength(chunk))
    this.headersSent = this.#isWhole = true
    this.#send('whole', this.#head(), chunk == null ? undefined : ownBytes(chunk))
    return super.end(done)
  }

  /** Says that it is for others to answer: nothing of the request was used. */
  move () {
    this.#isWhole = this.isMoved = true
    this.#send('moved')
    super.end()
  }

  #lacksLength () {
    return !this.hasHeader('content-length') && !this.hasHeader('transfer-encoding') &&
      this.req.method !== 'HEAD' && this.statusCode !== 204 && this.statusCode !== 304
  }

  /** @param {(error?: Error | null) => void} done */
  _final (done) {
    if (!this.#isWhole) {
      this.#sendHead()
      this.#send('end')
    }
    done()
  }

  /** @param {Error | null} error @param {(error?: Error | null) => void} done */
  _destroy (error, done) {
    if (!this.writableFinished) this.#send('destroy')
    done(error)
  }

  setTimeout () { return this }
}

module.exports = { PassedResponse }
