'use strict'

const net = require('node:net')
const { once } = require('node:events')
const { server } = require('./server')

/** A connection on which a test says exactly which bytes it sends, and when it hangs up. */
class RawConnection {
  #socket
  #received = ''

  static async open () {
    const { hostname, port } = new URL(server.origin)
    const connection = new RawConnection()
    connection.#socket = net.connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
    connection.#socket.on('error', () => {})
    connection.#socket.setEncoding('latin1').on('data', text => { connection.#received += text })
    await once(connection.#socket, 'connect')
    return connection
  }

  /**
   * Sends a request's head, and as much of its body as is given.
   * @param {string} method
   * @param {string} path
   * @param {Record<string, string | number>} headers
   * @param {string | Uint8Array} [body]
   */
  async request (method, path, headers, body = '') {
    const lines = Object.entries({ Host: 'localhost', Authorization: server.authorization, Accept: 'application/json', ...headers })
    await this.send(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
    if (body.length > 0) await this.send(body)
  }

  send (bytes) {
    return new Promise(resolve => { this.#socket.write(bytes, () => resolve(undefined)) })
  }

  /** Breaks the connection off, as a process that dies does. */
  async reset () {
    this.#socket.resetAndDestroy()
    await this.closed()
  }

  /** Says that no more will come, and keeps listening. */
  end () { this.#socket.end() }

  /** Waits until the server has said this. */
  async received (text) {
    while (!this.#received.includes(text)) {
      if (this.#socket.closed) throw new Error(`The server closed the connection after: ${this.#received}`)
      await this.#next('data')
    }
    return this.#received
  }

  /** Waits for an event, or the end; `once` of node:events would be told of a reset. */
  #next (event) {
    return new Promise(resolve => {
      const done = () => {
        this.#socket.off(event, done).off('close', done)
        resolve(undefined)
      }
      this.#socket.on(event, done).on('close', done)
    })
  }

  /** @returns {Promise<string>} all that came, once the server has closed the connection */
  async closed () {
    if (!this.#socket.closed) await this.#next('close')
    return this.#received
  }

  pause () { this.#socket.pause() }
  resume () { this.#socket.resume() }
}

module.exports = { RawConnection }
