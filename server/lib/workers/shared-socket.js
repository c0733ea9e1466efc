'use strict'

const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const { duplicateDescriptor } = require('@potoroo/storage')

/**
 * A listening socket of TCP from which several threads accept. Node.js closes a descriptor with the
 * thread that has it, so each duplicates this one; the socket lives as long as any of them.
 */
class SharedSocket {
  #address

  /** @param {any} address @param {number} descriptor */
  constructor (address, descriptor) {
    this.#address = address
    this.descriptor = descriptor
  }

  /**
   * @param {{ host?: string, port: number, backlog?: number }} options
   * @returns {Promise<SharedSocket>}
   * @throws what listening throws
   */
  static async open (options) {
    const server = net.createServer().listen(options)
    await once(server, 'listening')
    try {
      return new SharedSocket(server.address(), duplicateDescriptor(/** @type {any} */ (server)._handle.fd))
    } finally {
      // At once: this thread must not accept anything.
      server.close()
    }
  }

  address () { return this.#address }

  close () { fs.closeSync(this.descriptor) }
}

module.exports = { SharedSocket }
