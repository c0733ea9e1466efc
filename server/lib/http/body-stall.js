'use strict'

const { createError } = require('@potoroo/errors')
const { WATCHED } = require('../transport/current')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/**
 * Ends the wait for a body if its client sends nothing for `[chttpd] stall_timeout` milliseconds. It is for servers of a
 * host's app: those of our own watch all of their connections (transport/connections.js).
 */
class BodyStall {
  #req
  #onStall
  #timeout
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {PotorooRequest} req
   * @param {(error: Error) => void} onStall is called once, with request_timeout
   */
  constructor (req, onStall) {
    this.#req = req
    this.#onStall = onStall
    this.#timeout = isWatched(req) ? 0 : req.service?.config.integer('chttpd', 'stall_timeout') ?? 0
  }

  /** Begins the time-out, or begins it again: to be called before the wait, and whenever bytes have come. */
  moved () {
    if (this.#timeout === 0) return
    // The timer does not keep the process alive.
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#stalled(), this.#timeout).unref()
    else this.#timer.refresh()
  }

  /** Stops the time-out until `moved` is called: what the server does with the bytes may take long. */
  pause () {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Stops the time-out for good. */
  end () {
    this.pause()
    this.#timeout = 0
  }

  #stalled () {
    this.end()
    const headers = this.#req.httpVersionMajor === 1 ? { Connection: 'close' } : {}
    this.#onStall(Object.assign(createError('REQUEST_TIMEOUT'), { headers }))
  }
}

/** Whether the server watches this connection. A request of another thread has no server here: that thread watches it. @param {PotorooRequest} req */
function isWatched (req) {
  const server = req.socket?.server
  return server === undefined || server === null || server[WATCHED] === true
}

module.exports = { BodyStall }
