'use strict'

const { once } = require('node:events')
const net = require('node:net')

/**
 * A TCP proxy before a PostgreSQL, which cuts connections where a test wants it. `onRequest` and `onAnswer` see the
 * bytes on their way and the connection that they are of, and say what becomes of them: 'pass', 'cut' (the connection
 * ends, and they do not arrive), or 'cut after' (they arrive, and then it ends).
 */
class Proxy {
  #server
  #port
  /** @type {Set<net.Socket>} */
  #sockets = new Set()
  /** @type {(bytes: Buffer, client: net.Socket) => 'pass' | 'cut' | 'cut after'} */
  onRequest = () => 'pass'
  /** @type {(bytes: Buffer, client: net.Socket) => 'pass' | 'cut' | 'cut after'} */
  onAnswer = () => 'pass'
  isRefusing = false

  /** @param {number} port of PostgreSQL */
  constructor (port) {
    this.#port = port
    this.#server = net.createServer(socket => this.#join(socket))
  }

  /** @param {number} port */
  static async start (port) {
    const proxy = new Proxy(port)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url () { return `postgres://postgres@127.0.0.1:${/** @type {net.AddressInfo} */ (this.#server.address()).port}/postgres` }

  /** @param {net.Socket} near */
  #join (near) {
    if (this.isRefusing) return near.destroy()
    const far = net.connect(this.#port, '127.0.0.1')
    for (const socket of [near, far]) {
      this.#sockets.add(socket)
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    }
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.on('data', bytes => this.#pass(bytes, far, near, this.onRequest(bytes, near)))
    far.on('data', bytes => this.#pass(bytes, near, near, this.onAnswer(bytes, near)))
  }

  /** @param {Buffer} bytes @param {net.Socket} to @param {net.Socket} near @param {string} fate */
  #pass (bytes, to, near, fate) {
    if (fate !== 'cut') to.write(bytes)
    // PostgreSQL gets all that was sent before the end.
    if (fate === 'cut after') to.end()
    if (fate !== 'pass') near.destroy()
  }

  /** Cuts all connections. */
  cut () { for (const socket of this.#sockets) socket.destroy() }

  async stop () {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

module.exports = { Proxy }
