'use strict'

const { EventEmitter } = require('node:events')
const { SharedSocket } = require('./shared-socket')

/** A server of HTTP/1.1 whose connections threads accept: what listeners know of an http.Server. */
class ThreadedServer extends EventEmitter {
  #threads
  /** @type {SharedSocket | null} */
  #socket = null

  /** @param {import('./http-threads').HttpThreads} threads not listening yet */
  constructor (threads) {
    super()
    this.#threads = threads
  }

  /** Emits `listening` when all threads do, or `error`. @param {any} options */
  listen (options) {
    this.#listen(options).then(() => this.emit('listening'), error => this.emit('error', error))
    return this
  }

  /** @param {any} options */
  async #listen (options) {
    try {
      this.#socket = await SharedSocket.open(options)
      await this.#threads.listen(this.#socket)
    } catch (error) {
      await this.#threads.close()
      throw error
    }
  }

  /** The threads that are there now. @returns {import('node:worker_threads').Worker[]} */
  get workers () { return this.#threads.workers }

  /** Resolves when the last thread that died has one in its place. @returns {Promise<void>} */
  get replaced () { return this.#threads.replaced }

  address () { return this.#socket === null ? null : this.#socket.address() }

  /** Threads let their requests finish; `done` is called when they have ended. @param {(error?: Error) => void} [done] */
  close (done) {
    this.#threads.close().then(() => done?.(), done)
  }

  /** Each thread closes its own. */
  closeIdleConnections () {}
}

module.exports = { ThreadedServer }
