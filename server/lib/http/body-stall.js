'use strict'

const { createError } = require('@potoroo/errors')
const { WATCHED } = require('../transport/current')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/**
 * Ends the wait for a body of which nothing comes for `[chttpd] stall_timeout`. Servers of our own
 * see to that for their connections (transport/connections.js); a host's app may have none that
 * does, or a listener of its own that has taken the body.
 */
class BodyStall {
  #req
  #onStall
  #timeout
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {PotorooRequest} req
   * @param {(error: Error) => void} onStall is told request_timeout, once
   */
  constructor (req, onStall) {
    this.#req = req
    this.#onStall = onStall
    this.#timeout = isWatched(req) ? 0 : req.service?.config.integer('chttpd', 'stall_timeout') ?? 0
  }

  /** Something came, or the wait begins. */
  moved () {
    if (this.#timeout === 0) return
    // The process may end meanwhile.
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#stalled(), this.#timeout).unref()
    else this.#timer.refresh()
  }

  /** Stops waiting for the client. */
  pause () {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** The wait is over for good. */
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

/** A request that another thread has received has no server here, and that thread sees to it. @param {PotorooRequest} req */
function isWatched (req) {
  const server = req.socket?.server
  return server === undefined || server === null || server[WATCHED] === true
}

module.exports = { BodyStall }
