'use strict'

const { createError } = require('@potoroo/errors')
const { sendError } = require('../http/response')
const { dropStandingHeaders } = require('../http/standing-headers')
const { discardBody } = require('../http/refused-body')
const { ownBytes } = require('./batched-port')

/** @typedef {import('node:http').IncomingHttpHeaders} IncomingHttpHeaders */

/** Bodies up to this many bytes are read here first, and go along with their request. */
const SMALL = 64 * 1024

/** Messages of an owner about a request. */
const KINDS = new Set(['pull', 'moved', 'head', 'whole', 'flush', 'data', 'end', 'destroy'])

/** Passes requests on to the thread or server that owns the databases, and answers with what it says. */
class OwnerClient {
  #channel
  #log
  #next = 0
  /** @type {Map<number, Passage>} */
  #passages = new Map()

  /**
   * @param {{ send: (message: any[]) => void }} channel
   * @param {(text: string) => void} [log] by default the owner's
   */
  constructor (channel, log = text => channel.send(['log', text])) {
    this.#channel = channel
    this.#log = log
  }

  /**
   * @param {any} req of node:http
   * @param {any} res
   * @param {((user: any) => void) | null} onUser hears who the owner found to be asking; null where that is known
   * @param {Record<string, any>} [extra] members of the request at the owner
   * @returns {Promise<boolean>} false: the owner did not take it, and it can be passed to another. Waits for the end
   *   of the answer otherwise
   */
  async passOn (req, res, onUser, extra) {
    const id = this.#next++
    const passage = new Passage(req, res, (/** @type {string} */ kind, /** @type {any[]} */ ...rest) => this.#channel.send([kind, id, ...rest]), onUser, extra)
    this.#passages.set(id, passage)
    const leave = () => {
      this.#passages.delete(id)
      if (!passage.ended) this.#channel.send(['gone', id])
      passage.settle(true)
    }
    res.once('close', leave)
    try {
      await passage.begin()
    } catch {
      // The client hung up: nobody waits for an answer.
      res.destroy()
    }
    const isTaken = await passage.settled
    if (!isTaken) {
      this.#passages.delete(id)
      res.off('close', leave)
    }
    return isTaken
  }

  /** The owner is gone. Requests of which it may have seen nothing yet can go to another one. */
  abandon () {
    for (const passage of [...this.#passages.values()]) passage.lose()
  }

  /** A message of the owner's about one request. @param {any[]} message */
  receive ([kind, id, ...rest]) {
    /** @type {any} */
    const passage = this.#passages.get(id)
    try {
      if (!KINDS.has(kind)) throw new Error(`There is no message ${kind}`)
      passage?.[kind](...rest)
    } catch (error) {
      // An answer that node:http refuses to send breaks off this answer, and no other.
      passage?.destroy()
      this.#log(`An answer could not be sent: ${error?.stack ?? error}\n`)
    }
  }
}

/** One request on its way to the owner, and its answer on the way back: messages of the owner's are methods. */
class Passage {
  #req
  #res
  #send
  #onUser
  #extra
  #isReading = false
  #isSent = false
  ended = false

  /**
   * @param {any} req
   * @param {any} res
   * @param {(kind: string, ...rest: any[]) => void} send
   * @param {((user: any) => void) | null} onUser
   * @param {Record<string, any>} [extra]
   */
  constructor (req, res, send, onUser, extra) {
    this.#req = req
    this.#res = res
    this.#send = send
    this.#onUser = onUser
    this.#extra = extra
    /** @type {(isTaken: boolean) => void} */
    this.settle = () => {}
    /** @type {Promise<boolean>} */
    this.settled = new Promise(resolve => { this.settle = resolve })
  }

  async begin () {
    const req = this.#req
    const { method, url, headers, rawHeaders, httpVersionMajor, httpVersionMinor, socket } = req
    const { remoteAddress, remotePort, localAddress, localPort } = socket
    // Text crosses to another thread for much less than objects do.
    const head = JSON.stringify({ method, url, headers, rawHeaders, httpVersionMajor, httpVersionMinor, connection: { remoteAddress, remotePort, localAddress, localPort, encrypted: socket.encrypted === true }, isKnown: this.#onUser === null, extra: this.#extra })
    if (req.bodyInstead !== undefined) return this.#sendRequest(head, req.bodyInstead.toString('latin1'))
    if (isEmpty(headers)) return this.#sendRequest(head, null)
    if (headers.expect !== undefined || !(Number(headers['content-length']) <= SMALL)) return this.#sendRequest(head)
    const body = await wholeBody(req)
    if (this.#extra !== undefined) req.bodyInstead = body
    // The client may have gone meanwhile. As text, a character a byte: bytes would be an ArrayBuffer
    // for the collectors of both threads to look after, which costs more than the request does.
    if (this.ended) this.settle(false)
    else if (!this.#res.destroyed) this.#sendRequest(head, body.toString('latin1'))
  }

  /** @param {string} head @param {(string | null)[]} body */
  #sendRequest (head, ...body) {
    this.#isSent = true
    this.#send('request', head, ...body)
  }

  /** The owner wants more of the body. */
  pull () {
    const req = this.#req
    if (this.#isReading) return req.resume()
    this.#isReading = true
    req.on('data', (/** @type {Buffer} */ chunk) => {
      if (this.ended) return
      req.pause()
      this.#send('body', ownBytes(chunk))
    })
    req.on('end', () => this.#send('body', null))
  }

  /** The owner is another one now, and has used nothing of the request. */
  moved () {
    this.ended = true
    this.settle(false)
  }

  /** The owner is gone: what it has not begun to answer may be asked again where that changes nothing. */
  lose () {
    this.ended = true
    // Its body is still being read.
    if (!this.#isSent) return
    const isUnused = !this.#isReading && (this.#req.method === 'GET' || this.#req.method === 'HEAD')
    if (isUnused && !this.#res.headersSent) this.settle(false)
    else if (this.#res.headersSent) this.#res.destroy()
    else this.#refuse()
  }

  /** It may have been done, or not. */
  #refuse () {
    sendError(this.#res, createError('UNAVAILABLE', { reason: 'The server that had the request is gone: it may have been done' }), () => {})
  }

  /** @param {string} text */
  head (text) {
    const { status, message, headers, user } = JSON.parse(text)
    // The owner says them, unless it is another server.
    if (this.#extra === undefined) dropStandingHeaders(this.#res)
    if (user !== undefined) this.#onUser?.(user)
    if (this.#res.destroyed) return
    if (message === undefined) this.#res.writeHead(status, headers)
    else this.#res.writeHead(status, message, headers)
  }

  /** All of a short answer. @param {string} text @param {any} body */
  whole (text, body) {
    this.head(text)
    this.end(body)
  }

  flush () { this.#res.flushHeaders() }

  /** @param {Buffer} chunk */
  data (chunk) { this.#res.write(chunk, () => this.#send('taken', chunk.length)) }

  /** @param {any} body */
  end (body) {
    this.ended = true
    // A body that the owner did not want to read is thrown away, so that the connection can go on.
    discardBody(this.#req, this.#res)
    this.#res.end(body)
    if (!this.#req.complete) this.#req.resume()
  }

  destroy () {
    this.ended = true
    this.#res.destroy()
  }
}

/** @param {IncomingHttpHeaders} headers */
function isEmpty (headers) {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)
}

/** @param {any} req @returns {Promise<Buffer>} */
function wholeBody (req) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = []
    req.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk))
    req.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    req.on('error', reject)
    req.on('close', () => { if (!req.complete) reject(new Error('aborted')) })
  })
}

module.exports = { OwnerClient }
