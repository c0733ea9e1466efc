'use strict'

const fs = require('node:fs')
const net = require('node:net')
const { duplicateDescriptor } = require('@potoroo/storage')

/**
 * A listening socket of TCP from which several threads accept. Node.js closes a descriptor with the
 * thread that has it, so each gets one of its own; the socket lives as long as any of them.
 */
class SharedSocket {
  #address
  #descriptor

  /** @param {any} address @param {any} descriptor */
  constructor (address, descriptor) {
    this.#address = address
    this.#descriptor = descriptor
  }

  /**
   * @param {{ host?: string, port: number, backlog?: number }} options
   * @returns {Promise<SharedSocket>}
   * @throws what listening throws
   */
  static open (options) {
    return new Promise((resolve, reject) => {
      const server = net.createServer()
      server.once('error', reject)
      // At once: this thread must not accept anything.
      server.once('listening', () => {
        const socket = new SharedSocket(server.address(), duplicateDescriptor(/** @type {any} */ (server)._handle.fd))
        server.close()
        resolve(socket)
      })
      server.listen(options)
    })
  }

  address () { return this.#address }

  /** Another descriptor of it, which belongs to whoever asked. @returns {number} */
  descriptor () { return duplicateDescriptor(this.#descriptor) }

  close () { fs.closeSync(this.#descriptor) }
}

module.exports = { SharedSocket }
