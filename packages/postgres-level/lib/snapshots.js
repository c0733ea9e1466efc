'use strict'

const { AbstractSnapshot } = require('abstract-level')
const { failure, isLost, toLevelError } = require('./errors')

// A snapshot is a transaction, REPEATABLE READ READ ONLY, on a connection of its own. It begins with the first
// read, in the same exchange, or before the first write after it: so it shows the moment at which it was taken,
// as far as writes through this level go, and costs nothing if it is not read. Snapshots that were taken between
// two writes show the same, and those that have not begun when the second one comes begin together.

/**
 * @typedef {import('./connections').Connections} Connections
 * @typedef {import('./connections').PooledClient} PooledClient
 * @typedef {import('./wire').Step} Step
 * @typedef {import('./wire').Row} Row
 */

/** Milliseconds that a write waits for a connection of those that shall not see it. */
const PATIENCE = 2000

/** The state of the database server at one moment, for one or several readers. */
class Moment {
  #connections
  #isStale
  /** @type {Set<Moment>} */
  #fresh
  /** @type {Moment | null} the one whose transaction it shares */
  #leader = null
  /** @type {Promise<Row[][]> | null} */
  #begun = null
  /** @type {PooledClient | null} */
  #client = null
  /** @type {Promise<unknown>} */
  #last = Promise.resolve()
  #readers = 1
  /** @type {Error | null} */
  #error = null
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  #giveUp = () => {}
  /** Fulfils when it is given up. @type {Promise<void>} */
  abandoned = new Promise(resolve => { this.#giveUp = resolve })

  /**
   * @param {Connections} connections
   * @param {Set<Moment>} fresh those that the next write waits for
   * @param {boolean} isStale whether it may show an older state
   */
  constructor (connections, fresh, isStale) {
    this.#connections = connections
    this.#fresh = fresh
    this.#isStale = isStale && connections.hasReplicas
    if (!this.#isStale) fresh.add(this)
  }

  get hasBegun () { return this.#begun !== null || this.#leader !== null }
  get begun () { return this.#begun }

  /** @param {Step} step @returns {Promise<Row[]>} */
  async read (step) {
    if (this.#leader !== null) return this.#leader.read(step)
    if (this.#begun === null) return (await this.begin(step))[1]
    await this.#begun
    const result = this.#last.then(() => this.#readOn(step))
    this.#last = result.catch(() => {})
    return result
  }

  /** @param {Step} step */
  async #readOn (step) {
    if (this.#error !== null) throw this.#error
    try {
      const [rows] = await this.#connections.exchangeOn(/** @type {PooledClient} */ (this.#client), [step])
      return rows
    } catch (error) {
      this.#fail(error)
      throw this.#error
    }
  }

  /**
   * Begins the transaction, and reads.
   *
   * @param {Step} [step]
   * @returns {Promise<Row[][]>}
   */
  begin (step = { statement: this.#connections.statements.now, values: [] }) {
    this.#begun = this.#begin(step)
    this.#last = this.#begun.catch(() => {})
    return this.#begun
  }

  /** @param {Step} step */
  async #begin (step) {
    const begin = { statement: this.#connections.statements.readOnly, values: [] }
    try {
      for (let isFirst = true; ; isFirst = false) {
        this.#client = null
        this.#client = await this.#connections.hold(this.#isStale)
        if (this.#error !== null) throw this.#error
        try {
          const results = await this.#connections.exchangeOn(this.#client, [begin, step])
          if (this.#error !== null) throw this.#error
          this.#timer = setTimeout(() => this.#expire(), this.#connections.snapshotAge).unref()
          return results
        } catch (error) {
          if (!isFirst || !isLost(error)) throw error
        }
      }
    } catch (error) {
      this.#fail(error)
      throw this.#error
    } finally {
      this.#fresh.delete(this)
    }
  }

  /** Shows what another one shows, which begins. @param {Moment} leader */
  follow (leader) {
    this.#leader = leader
    leader.#readers++
    this.#fresh.delete(this)
  }

  /** Gives it up if it has not begun. */
  abandon () {
    if (!this.#fresh.delete(this)) return
    this.#error = failure('LEVEL_UNAVAILABLE', 'There is no connection for the snapshot')
    this.#giveUp()
  }

  /** @param {any} error */
  #fail (error) {
    const client = this.#client
    this.#client = null
    clearTimeout(this.#timer)
    this.#error ??= toLevelError(error)
    if (client !== null && !isLost(error)) this.#connections.giveBack(client)
  }

  #expire () {
    const seconds = this.#connections.snapshotAge / 1000
    this.#error = failure('LEVEL_SNAPSHOT_EXPIRED', `The snapshot is older than ${seconds} seconds: its connection was given back`)
    this.#giveBack()
  }

  #giveBack () {
    clearTimeout(this.#timer)
    this.#connections.later(this.#last.then(() => {
      const client = this.#client
      this.#client = null
      if (client !== null) this.#connections.later(this.#connections.exchangeOn(client, [{ statement: this.#connections.statements.commit, values: [] }], true))
    }))
  }

  close () {
    if (--this.#readers > 0) return
    this.#fresh.delete(this)
    if (this.#leader !== null) this.#leader.close()
    else if (this.#begun !== null) this.#giveBack()
  }
}

/** The moments of one level that its next write must not be seen in. */
class Moments {
  #connections
  /** @type {Set<Moment>} */
  #fresh = new Set()

  /** @param {Connections} connections */
  constructor (connections) { this.#connections = connections }

  /** @param {boolean} [isStale] */
  take (isStale = false) { return new Moment(this.#connections, this.#fresh, isStale) }

  /** Whether a write need not wait. */
  get areSettled () { return this.#fresh.size === 0 }

  /** Begins those that have not begun. One that cannot fails by itself, and no write does for it. */
  async settle () {
    const fresh = [...this.#fresh]
    const [leader, ...others] = fresh.filter(moment => !moment.hasBegun)
    leader?.begin().catch(() => {})
    for (const moment of others) moment.follow(leader)
    const timer = setTimeout(() => { for (const moment of fresh) moment.abandon() }, PATIENCE)
    await Promise.allSettled(fresh.map(moment => Promise.race([moment.begun, moment.abandoned])))
    clearTimeout(timer)
  }
}

/** An explicit snapshot: `db.snapshot()`. */
class PostgresSnapshot extends AbstractSnapshot {
  #moment

  /** @param {Moment} moment @param {any} options abstract-level's, with the owner */
  constructor (moment, options) {
    // @ts-expect-error its types leave the options out, which it needs
    super(options)
    this.#moment = moment
  }

  async _close () { this.#moment.close() }

  /** @param {unknown} snapshot @returns {Moment | undefined} */
  static momentOf (snapshot) {
    if (snapshot === undefined || snapshot === null) return undefined
    if (typeof snapshot === 'object' && #moment in snapshot) return snapshot.#moment
    throw new TypeError('The snapshot must be one of a PostgresLevel')
  }
}

module.exports = { Moments, PostgresSnapshot }
