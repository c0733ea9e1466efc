'use strict'

const { createError } = require('@potoroo/errors')
const { liveFind } = require('@potoroo/indexes')

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */

/** Marks a query that has ended. */
const DONE = () => {}

/** Opens live queries, as many as there may be, of the server and of one user. */
class LiveFinds {
  #config
  #mango
  #count = 0
  #users
  /** @type {Map<string | null, number>} */
  #byUser = new Map()

  /** @param {import('../config/config').Config} config @param {import('@potoroo/indexes').Mango} mango @param {import('../users/users').Users} users */
  constructor (config, mango, users) {
    this.#config = config
    this.#mango = mango
    this.#users = users
  }

  /** How many there are. */
  get count () { return this.#count }

  /**
   * @param {string | null} user whose rights it has: when they change, it ends
   * @param {() => void} end ends it: its user may ask again with the rights of then
   * @returns {() => void} to be called at its end
   * @throws too_many_requests
   */
  enter (user, end) {
    const ofUser = this.#byUser.get(user) ?? 0
    if (this.#count >= this.#config.integer('live_queries', 'max_queries')) throw createError('TOO_MANY_LIVE_QUERIES', { reason: 'The server has as many live queries as it may: see [live_queries] max_queries' })
    if (ofUser >= this.#config.integer('live_queries', 'max_queries_per_user')) throw createError('TOO_MANY_LIVE_QUERIES', { reason: 'This user has as many live queries as one may: see [live_queries] max_queries_per_user' })
    this.#count++
    this.#byUser.set(user, ofUser + 1)
    let stop = user === null ? () => {} : this.#users.onChange(user, end)
    return () => {
      stop()
      if (stop !== DONE) this.#leave(user)
      stop = DONE
    }
  }

  /** @param {string | null} user */
  #leave (user) {
    this.#count--
    const left = /** @type {number} */ (this.#byUser.get(user)) - 1
    if (left === 0) this.#byUser.delete(user)
    else this.#byUser.set(user, left)
  }

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store all of the database
   * @param {{ source: import('@potoroo/indexes').LiveSource, reader?: import('@potoroo/document-store').MemberStore }} seen what the user sees of it
   * @param {any} body
   * @param {AbortSignal} signal
   */
  open (store, { source, reader }, body, signal) {
    return liveFind(this.#mango, store, body, { source, reader, most: this.#config.integer('live_queries', 'max_documents'), signal })
  }
}

module.exports = { LiveFinds }
