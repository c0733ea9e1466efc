'use strict'

const fs = require('node:fs')
const { duplicateDescriptor } = require('@potoroo/storage')

/**
 * Stands for the handle of a server that accepts no connections for now: those that come wait in the
 * kernel's queue. Node.js can only close what it listens on, so another descriptor keeps the socket.
 */
class PausedListening {
  #server
  #descriptor
  #address

  /**
   * Call it where a connection came, and no other is accepted.
   *
   * @param {any} server that listens on TCP
   * @returns {PausedListening | null} null where that cannot be: on other sockets, and without the addon
   */
  static begin (server) {
    const address = server.address()
    // Closing a Unix socket removes its file, too.
    if (address === null || typeof address === 'string' || !(server._handle.fd >= 0)) return null
    try {
      return new PausedListening(server, address, duplicateDescriptor(server._handle.fd))
    } catch {
      return null
    }
  }

  /** @param {any} server @param {any} address @param {number} descriptor */
  constructor (server, address, descriptor) {
    this.#server = server
    this.#address = address
    this.#descriptor = descriptor
    server._handle.close()
    server._handle = this
  }

  /** Whether it is this server that waits. @param {any} server */
  isOf (server) { return this.#server === server }

  /** Accepts those that wait, and others. @param {number} [backlog] */
  resume (backlog) {
    const server = this.#server
    if (server._handle !== this) return
    server._handle = null
    server.listen({ fd: this.#descriptor, backlog })
  }

  // node:net asks this of a handle.

  close () { fs.closeSync(this.#descriptor) }

  /** @param {object} address */
  getsockname (address) {
    Object.assign(address, this.#address)
    return 0
  }

  ref () {}
  unref () {}
}

module.exports = { PausedListening }
