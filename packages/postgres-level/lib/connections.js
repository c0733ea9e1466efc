'use strict'

const { Pool } = require('pg')
const { BinaryClient } = require('./wire')
const { isLost, toLevelError } = require('./errors')

/**
 * @typedef {import('./wire').Step} Step
 * @typedef {import('./wire').Row} Row
 * @typedef {import('./statements').Statements} Statements
 * @typedef {InstanceType<typeof BinaryClient> & { release (destroy?: boolean): void }} PooledClient
 *
 * @typedef {object} Limits
 * @property {number} max connections for reads and writes
 * @property {number} maxSnapshots connections that snapshots may hold, beside those
 * @property {number} connectTimeout milliseconds for a connection, new or free
 * @property {number} statementTimeout milliseconds for a statement
 * @property {number} snapshotAge milliseconds
 * @property {any} ssl
 */

/** PostgreSQL ends a statement first, unless it is gone. */
const GRACE = 2000

const IDLE = 60_000

/** The connections of a level, and of those that are fenced on it: some for short work, some for snapshots. */
class Connections {
  #short
  #held
  /** @type {Pool[]} */
  #replicas
  #limits
  /** Work that nobody waits for. @type {Set<Promise<unknown>>} */
  #background = new Set()
  #turn = 0

  /**
   * @param {string} location
   * @param {string[]} replicas
   * @param {Limits} limits
   * @param {Statements} statements
   */
  constructor (location, replicas, limits, statements) {
    this.statements = statements
    this.#limits = limits
    this.#short = this.#pool(location, limits.max)
    this.#held = this.#pool(location, limits.maxSnapshots)
    this.#replicas = replicas.map(replica => this.#pool(replica, limits.maxSnapshots))
  }

  get snapshotAge () { return this.#limits.snapshotAge }
  get connectTimeout () { return this.#limits.connectTimeout }
  get hasReplicas () { return this.#replicas.length > 0 }

  /** @param {string} location @param {number} max */
  #pool (location, max) {
    const { connectTimeout, statementTimeout, ssl } = this.#limits
    const settings = this.statements.settings(statementTimeout, statementTimeout).map(statement => ({ statement, values: [] }))
    const pool = new Pool(/** @type {any} */ ({
      connectionString: location,
      Client: BinaryClient,
      max,
      connectionTimeoutMillis: connectTimeout,
      idleTimeoutMillis: IDLE,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      fallback_application_name: 'potoroo',
      ...(ssl === undefined ? {} : { ssl }),
      onConnect: (/** @type {PooledClient} */ client) => client.exchange(settings, connectTimeout)
    }))
    // One that is lost while nobody uses it is no error: the next one is made when it is needed.
    return pool.on('error', () => {})
  }

  /**
   * Does reads, each time on any connection, again if the one that was there is dead.
   *
   * @param {Step} step
   * @returns {Promise<Row[]>}
   */
  async read (step) {
    for (let isFirst = true; ; isFirst = false) {
      try {
        const [rows] = await this.exchange([step])
        return rows
      } catch (error) {
        if (!isFirst || !isLost(error)) throw toLevelError(error)
      }
    }
  }

  /**
   * One exchange on any connection.
   *
   * @param {Step[]} steps
   * @returns {Promise<Row[][]>} errors are the driver's
   */
  async exchange (steps) {
    const client = await this.#short.connect()
    return this.exchangeOn(/** @type {any} */ (client), steps, true)
  }

  /** A connection for a transaction of several exchanges; to be released. @returns {Promise<PooledClient>} */
  borrow () { return /** @type {Promise<any>} */ (this.#short.connect()) }

  /**
   * A connection for a snapshot; to be released.
   *
   * @param {boolean} isStale whether a replica may serve it
   * @returns {Promise<PooledClient>}
   */
  hold (isStale) {
    if (!isStale || this.#replicas.length === 0) return /** @type {Promise<any>} */ (this.#held.connect())
    return /** @type {Promise<any>} */ (this.#replicas[this.#turn++ % this.#replicas.length].connect())
  }

  /**
   * @param {PooledClient} client
   * @param {Step[]} steps
   * @param {boolean} [isLast] whether the connection is given back
   */
  async exchangeOn (client, steps, isLast = false) {
    try {
      const results = await client.exchange(steps, this.#limits.statementTimeout + GRACE)
      if (isLast) client.release()
      return results
    } catch (error) {
      if (isLost(error)) client.release(true)
      else if (isLast) this.giveBack(client)
      throw error
    }
  }

  /** Gives back a connection that may be within a transaction, which is over then. @param {PooledClient} client */
  giveBack (client) {
    const end = this.exchangeOn(client, [{ statement: this.statements.rollback, values: [] }]).then(() => client.release(), error => {
      if (!isLost(error)) client.release(true)
    })
    this.later(end)
  }

  /** Lets nobody wait for it but the end. @param {Promise<unknown>} work */
  later (work) {
    const settled = work.catch(() => {}).then(() => { this.#background.delete(settled) })
    this.#background.add(settled)
  }

  async end () {
    while (this.#background.size > 0) await Promise.all(this.#background)
    await Promise.all([this.#short, this.#held, ...this.#replicas].map(pool => pool.end()))
  }
}

module.exports = { Connections }
