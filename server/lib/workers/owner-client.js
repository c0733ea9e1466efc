'use strict'

const { discardBody } = require('../safety/refused-body')
const { ownBytes } = require('./batched-port')

/** @typedef {import('node:http').IncomingHttpHeaders} IncomingHttpHeaders */

/** Bodies up to this many bytes are read here first, and go along with their request. */
const SMALL = 64 * 1024

/** Passes requests on to the thread that owns the databases, and answers with what it says. */
class OwnerClient {
  #channel
  #next = 0
  /** @type {Map<number, Passage>} */
  #passages = new Map()

  /** @param {{ send: (message: any[]) => void }} channel */
  constructor (channel) {
    this.#channel = channel
  }

  /**
   * @param {any} req of node:http
   * @param {any} res
   * @param {((user: any) => void) | null} onUser hears who the owner found to be asking; null where that is known
   */
  async passOn (req, res, onUser) {
    const id = this.#next++
    const passage = new Passage(req, res, (/** @type {string} */ kind, /** @type {any[]} */ ...rest) => this.#channel.send([kind, id, ...rest]), onUser)
    this.#passages.set(id, passage)
    res.once('close', () => {
      this.#passages.delete(id)
      if (!passage.ended) this.#channel.send(['gone', id])
    })
    try {
      await passage.begin()
    } catch {
      // The client hung up: nobody waits for an answer.
      res.destroy()
    }
  }

  /** A message of the owner's about one request. @param {any[]} message */
  receive ([kind, id, ...rest]) {
    const passage = this.#passages.get(id)
    try {
      /** @type {any} */ (passage)?.[kind](...rest)
    } catch (error) {
      // An answer that node:http refuses to send breaks off this answer, and no other.
      passage?.destroy()
      this.#channel.send(['log', `An answer could not be sent: ${error?.stack ?? error}\n`])
    }
  }
}

/** One request on its way to the owner, and its answer on the way back: methods are kinds of messages. */
class Passage {
  #req
  #res
  #send
  #onUser
  #isReading = false
  ended = false

  /** @param {any} req @param {any} res @param {(kind: string, ...rest: any[]) => void} send @param {((user: any) => void) | null} onUser */
  constructor (req, res, send, onUser) {
    this.#req = req
    this.#res = res
    this.#send = send
    this.#onUser = onUser
  }

  async begin () {
    const req = this.#req
    const { method, url, headers, rawHeaders, httpVersionMajor, httpVersionMinor, socket } = req
    const { remoteAddress, remotePort, localAddress, localPort } = socket
    // Text crosses to another thread for much less than objects do.
    const head = JSON.stringify({ method, url, headers, rawHeaders, httpVersionMajor, httpVersionMinor, connection: { remoteAddress, remotePort, localAddress, localPort }, isKnown: this.#onUser === null })
    if (isEmpty(headers)) return this.#send('request', head, null)
    if (headers.expect !== undefined || !(Number(headers['content-length']) <= SMALL)) return this.#send('request', head)
    const body = await wholeBody(req)
    // The client may have gone meanwhile. As text, a character a byte: bytes would be an ArrayBuffer
    // for the collectors of both threads to look after, which costs more than the request does.
    if (!this.#res.destroyed) this.#send('request', head, body.toString('latin1'))
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

  /** @param {string} text */
  head (text) {
    const { status, message, headers, user } = JSON.parse(text)
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
