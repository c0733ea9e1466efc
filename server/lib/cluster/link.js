'use strict'

const { once } = require('node:events')
const http2 = require('node:http2')
const { createError } = require('@potoroo/errors')
const { BatchedPort } = require('../passing/batched-port')
const { OwnerClient } = require('../passing/owner-client')
const { keepPulse } = require('./pulse')
const { isSame, nonce, proofOf } = require('./proof')
const { StreamPort } = require('./stream-port')

/** Bytes that may be under way to a server before it has read them. */
const WINDOW = 4 * 1024 * 1024

/** How long another server may take to answer a call, milliseconds. */
const PATIENCE = 2000

/**
 * A connection to another server, over which requests are passed to it: one long stream of HTTP/2. Both sides prove
 * first that they know the secret.
 */
class Link {
  #session
  #client
  #channel
  /** Questions that wait for an answer, by number. @type {Map<number, (answer: any) => void>} */
  #asked = new Map()
  #next = 0
  isOpen = true

  /** Use `open`. @param {any} session @param {any} stream @param {{ write: (text: string) => void }} options */
  constructor (session, stream, { write }) {
    this.#session = session
    this.#channel = new BatchedPort(new StreamPort(stream, { isKnown: true }), (/** @type {any[]} */ message) => this.#receive(message))
    this.#client = new OwnerClient(this.#channel, write)
    keepPulse(session)
    session.once('close', () => this.#end())
    stream.once('close', () => session.destroy())
    stream.on('error', () => {})
  }

  /**
   * @param {object} options
   * @param {string} options.address host:port, or a URL
   * @param {string} options.to the id of the server that is to be there
   * @param {string} options.from one's own
   * @param {string} options.secret
   * @param {any} [options.tls] options of TLS; undefined: none
   * @param {(text: string) => void} options.write to the log
   * @returns {Promise<Link>}
   * @throws UNAVAILABLE
   */
  static async open ({ address, to, from, secret, tls, write }) {
    const session = http2.connect(urlOf(address, tls !== undefined), { ...tls, settings: { initialWindowSize: WINDOW, enablePush: false } })
    // Others wait for what fails.
    session.on('error', () => {})
    const timer = setTimeout(() => session.destroy(), PATIENCE)
    try {
      const own = nonce()
      const stream = session.request({ ':method': 'POST', ':path': '/', 'x-from': from, 'x-to': to, 'x-nonce': own })
      stream.on('error', () => {})
      const [headers] = await Promise.race([once(stream, 'response'), once(session, 'close').then(() => { throw new Error('closed') })])
      const meeting = [from, to, own, String(headers['x-nonce'])]
      if (!isSame(headers['x-proof'], proofOf(secret, 'answerer', meeting))) throw new Error('It does not know the secret')
      session.setLocalWindowSize(WINDOW)
      const link = new Link(session, stream, { write })
      link.#channel.send(['hello', proofOf(secret, 'caller', meeting)])
      return link
    } catch (cause) {
      session.destroy()
      throw createError('UNAVAILABLE', { reason: 'Another server cannot be reached', cause })
    } finally {
      clearTimeout(timer)
    }
  }

  /** @param {any[]} message */
  #receive (message) {
    if (message[0] === 'answer') return this.#answered(message[1], message[2])
    if (message[0] === 'leave') return this.#leave()
    this.#client.receive(message)
  }

  /** The other server ends: what was sent before this is answered still. */
  #leave () {
    this.isOpen = false
    this.#channel.send(['left'])
  }

  /** @param {number} number @param {any} answer */
  #answered (number, answer) {
    this.#asked.get(number)?.(answer)
    this.#asked.delete(number)
  }

  /**
   * Passes a request on.
   *
   * @param {any} req
   * @param {any} res
   * @param {Record<string, any>} extra
   * @returns {Promise<boolean>} see OwnerClient
   */
  passOn (req, res, extra) {
    if (!this.isOpen) return Promise.resolve(false)
    return this.#client.passOn(req, res, null, extra)
  }

  /**
   * Asks the other server something that is no request.
   *
   * @param {string} what
   * @param {any} value JSON
   * @returns {Promise<any>} undefined where the link ends before the answer
   */
  ask (what, value) {
    if (!this.isOpen) return Promise.resolve(undefined)
    const number = this.#next++
    return new Promise(resolve => {
      this.#asked.set(number, resolve)
      this.#channel.send(['ask', number, what, JSON.stringify(value)])
    })
  }

  #end () {
    this.isOpen = false
    this.#client.abandon()
    for (const resolve of this.#asked.values()) resolve(undefined)
    this.#asked.clear()
  }

  close () { this.#session.destroy() }
}

/** @param {string} address @param {boolean} isSecure */
function urlOf (address, isSecure) {
  return address.includes('://') ? address : `${isSecure ? 'https' : 'http'}://${address}`
}

module.exports = { Link, WINDOW }
