'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { WebSocket } = require('ws')
const { server } = require('./server')

/** A WebSocket of the administrator, or of others, read message by message. */
class FeedSocket {
  #ws
  /** @type {string[]} */
  #messages = []
  pings = 0

  /** @param {WebSocket} ws */
  constructor (ws) {
    this.#ws = ws
    ws.on('message', data => this.#messages.push(String(data)))
    ws.on('ping', () => { this.pings++ })
    ws.on('error', () => {})
    /** @type {Promise<{ code: number, reason: string }>} */
    this.closed = once(ws, 'close').then(([code, reason]) => ({ code, reason: String(reason) }))
  }

  /** @param {string} path @param {Record<string, string>} headers */
  static #connect (path, headers) {
    const all = Object.entries({ Authorization: server.authorization, ...headers }).filter(([, value]) => value !== '')
    return new WebSocket(server.origin.replace('http', 'ws') + path, { headers: Object.fromEntries(all) })
  }

  /**
   * Opens one and waits until it is open.
   *
   * @param {string} path
   * @param {{ headers?: Record<string, string>, message?: any }} [options] message: sent at once, as JSON
   */
  static async open (path, { headers = {}, message } = {}) {
    const ws = FeedSocket.#connect(path, headers)
    const socket = new FeedSocket(ws)
    const [response] = await Promise.all([once(ws, 'upgrade'), once(ws, 'open')])
    socket.headers = response[0].headers
    if (message !== undefined) ws.send(JSON.stringify(message))
    return socket
  }

  /** Asks for one that is refused. @param {string} path @param {{ headers?: Record<string, string> }} [options] @returns {Promise<{ status: number, text: string, body: any }>} */
  static async refused (path, { headers = {} } = {}) {
    const ws = FeedSocket.#connect(path, headers)
    ws.on('open', () => ws.terminate()).on('error', () => {})
    const [, response] = await Promise.race([once(ws, 'unexpected-response'), once(ws, 'open').then(() => { throw new Error(`${path} was let in`) })])
    let text = ''
    for await (const part of response) text += part
    return { status: response.statusCode, text, body: JSON.parse(text) }
  }

  /** @returns {Promise<string | null>} the next message; null at the end */
  async line () {
    while (this.#messages.length === 0) {
      if (this.#ws.readyState === WebSocket.CLOSED) return null
      await Promise.race([once(this.#ws, 'message'), this.closed])
    }
    return /** @type {string} */ (this.#messages.shift())
  }

  async next () {
    const line = await this.line()
    return line === null ? null : JSON.parse(line)
  }

  /** Waits for this number of pings. @param {number} count */
  async pinged (count) { while (this.pings < count) await once(this.#ws, 'ping') }

  /** @param {string | Buffer} data @param {any} [options] */
  send (data, options) { this.#ws.send(data, options) }

  /** Sends bytes as they are. @param {Buffer} bytes */
  sendRaw (bytes) { /** @type {any} */ (this.#ws)._socket.write(bytes) }

  async close () {
    this.#ws.close()
    assert.ok(await this.closed)
  }

  /** Hangs up. */
  terminate () { this.#ws.terminate() }
}

module.exports = { FeedSocket }
