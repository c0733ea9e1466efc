'use strict'

const { setTimeout } = require('node:timers/promises')

/** Milliseconds before a sync begins again. */
const PAUSE = 200

/**
 * Syncs live until it is ended, and begins again after a fault. PouchDB 9.0.0's own `retry` leaves changes out: see
 * docs/clients.md.
 */
class LastingSync {
  #local
  #remote
  #sync
  #ended = new AbortController()
  #running

  /** @param {any} local PouchDB @param {any} remote another one */
  constructor (local, remote) {
    this.#local = local
    this.#remote = remote
    this.#running = this.#run()
  }

  async #run () {
    while (!this.#ended.signal.aborted) {
      this.#sync = this.#local.sync(this.#remote, { live: true })
      // It cancels itself after a fault.
      await this.#sync.catch(() => {})
      await setTimeout(PAUSE, undefined, { signal: this.#ended.signal }).catch(() => {})
    }
  }

  async end () {
    this.#ended.abort()
    this.#sync.cancel()
    await this.#running
  }
}

module.exports = { LastingSync }
