'use strict'

const { once } = require('node:events')
const net = require('node:net')

/**
 * A connection that sends one request after another and looks at no more of an answer than where it ends: the client's own
 * work is little beside that of the servers, which share the machine with it.
 */
class Connection {
  #socket
  #head
  /** @type {Buffer[]} */
  #chunks = []
  /** @type {((status: number) => void) | null} */
  #answered = null
  /** @type {(error: Error) => void} */
  #failed = () => {}

  /** @param {string} url of the server @param {string} authorization */
  constructor (url, authorization) {
    const { hostname, port, host } = new URL(url)
    this.#head = `HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: `
    this.#socket = net.connect({ host: hostname, port: Number(port), noDelay: true })
    this.#socket.on('data', chunk => this.#take(chunk))
    this.#socket.on('error', error => this.#failed(error))
    this.#socket.on('close', () => this.#failed(new Error('The server has closed the connection')))
  }

  /** @param {string} method @param {string} target @param {string} [body] JSON @returns {Promise<number>} the status */
  ask (method, target, body = '') {
    this.#socket.write(`${method} ${target} ${this.#head}${Buffer.byteLength(body)}\r\n\r\n${body}`)
    return new Promise((resolve, reject) => {
      this.#answered = resolve
      this.#failed = reject
    })
  }

  /** @param {Buffer} chunk */
  #take (chunk) {
    this.#chunks.push(chunk)
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    if (!isWhole(bytes)) return
    this.#chunks = []
    this.#answered?.(Number(bytes.toString('latin1', 9, 12)))
  }

  async close () {
    this.#failed = () => {}
    const closed = once(this.#socket, 'close')
    this.#socket.destroy()
    await closed
  }
}

/** Whether an answer has come to its end. @param {Buffer} bytes */
function isWhole (bytes) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))
  return length === null ? bytes.subarray(-5).equals(LAST) : bytes.length >= end + 4 + Number(length[1])
}

/** The last chunk of an answer that came in chunks. */
const LAST = Buffer.from('0\r\n\r\n')

module.exports = { Connection }
