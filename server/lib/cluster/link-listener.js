'use strict'

const { once } = require('node:events')
const http2 = require('node:http2')
const { setTimeout: wait } = require('node:timers/promises')
const { BatchedPort } = require('../passing/batched-port')
const { PassedRequests } = require('../passing/passed-requests')
const { WINDOW } = require('./link')
const { keepPulse } = require('./pulse')
const { isSame, nonce, proofOf } = require('./proof')
const { StreamPort } = require('./stream-port')

/** How long who calls has to prove that they know the secret, milliseconds. */
const PATIENCE = 5000

/** How long other servers may take to hear that this one ends, milliseconds. */
const FAREWELL = 1000

/** Answers other servers at an address of its own, and nobody who does not know the secret. */
class LinkListener {
  #server
  #options
  /** Each with the timer that ends it unless the caller has proved who it is. @type {Map<any, NodeJS.Timeout>} */
  #sessions = new Map()
  /** Tells each caller that this server ends. @type {Set<() => Promise<any>>} */
  #farewells = new Set()
  #isLeaving = false

  /**
   * @param {object} options
   * @param {() => string} options.id of this server
   * @param {string} options.secret
   * @param {(req: any, res: any) => void} options.handle answers requests that are passed on
   * @param {(what: string, value: any) => Promise<any>} options.answer answers what is asked besides
   * @param {any} [options.tls] options of TLS; undefined: none
   */
  constructor (options) {
    const { tls } = options
    const settings = { initialWindowSize: WINDOW, maxConcurrentStreams: 1 }
    this.#options = options
    this.#server = tls === undefined ? http2.createServer({ settings }) : http2.createSecureServer({ ...tls, settings, handshakeTimeout: PATIENCE })
    this.#server.on('session', session => {
      this.#sessions.set(session, setTimeout(() => session.destroy(), PATIENCE).unref())
      session.on('error', () => {})
      session.once('close', () => this.#forget(session))
    })
    this.#server.on('stream', (stream, headers) => this.#meet(stream, headers))
    this.#server.on('error', () => {})
  }

  /** @param {{ host: string, port: number }} where @returns {Promise<import('node:net').AddressInfo>} */
  async listen (where) {
    this.#server.listen(where)
    await once(this.#server, 'listening')
    return /** @type {any} */ (this.#server.address())
  }

  /** @param {any} session that is closed */
  #forget (session) {
    clearTimeout(this.#sessions.get(session))
    this.#sessions.delete(session)
  }

  /** @param {any} stream @param {any} headers */
  #meet (stream, headers) {
    const { session } = stream
    const { secret, id } = this.#options
    stream.on('error', () => {})
    stream.once('close', () => session.destroy())
    const { 'x-from': from, 'x-to': to, 'x-nonce': theirs } = headers
    if (headers[':method'] !== 'POST' || !from || !theirs || to !== id() || secret === '' || this.#isLeaving) return session.destroy()
    const own = nonce()
    const meeting = [String(from), to, String(theirs), own]
    stream.respond({ ':status': 200, 'x-nonce': own, 'x-proof': proofOf(secret, 'answerer', meeting) })
    this.#hear(stream, proofOf(secret, 'caller', meeting))
  }

  /** @param {any} stream @param {string} expected */
  #hear (stream, expected) {
    const { handle, answer } = this.#options
    const { session } = stream
    let isKnown = false
    const port = new StreamPort(stream, { isKnown: false })
    const channel = new BatchedPort(port, (/** @type {any[]} */ message) => {
      // It was hung up on in the midst of what it said.
      if (session.destroyed) return
      if (isKnown && message[0] === 'left') return left()
      if (isKnown) return message[0] === 'ask' ? reply(message) : requests.receive(message)
      isKnown = message[0] === 'hello' && isSame(message[1], expected)
      if (!isKnown) return session.destroy()
      clearTimeout(this.#sessions.get(session))
      port.know()
      keepPulse(session)
      this.#farewells.add(leave)
      session.setLocalWindowSize(WINDOW)
    })
    const requests = new PassedRequests(channel, handle)
    let left = () => {}
    const leave = () => new Promise(resolve => {
      left = () => resolve(undefined)
      channel.send(['leave'])
    })
    stream.once('close', () => {
      this.#farewells.delete(leave)
      left()
      requests.abandon()
    })
    /** @param {any[]} message */
    const reply = async ([, number, what, text]) => {
      const value = await answer(what, JSON.parse(text)).catch(() => undefined)
      channel.send(['answer', number, value ?? null])
    }
  }

  /** Hears no more requests, once all callers know it. */
  async leave () {
    this.#isLeaving = true
    const left = Promise.all([...this.#farewells].map(leave => leave()))
    await Promise.race([left, wait(FAREWELL, undefined, { ref: false })])
  }

  /** @returns {Promise<void>} */
  close () {
    for (const session of this.#sessions.keys()) session.destroy()
    return new Promise(resolve => this.#server.close(() => resolve()))
  }
}

module.exports = { LinkListener }
