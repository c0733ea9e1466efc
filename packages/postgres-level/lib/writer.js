'use strict'

const { Batch } = require('./batch')
const { numberOf, textOf } = require('./values')
const { failure, isLost, isRepeatable, toLevelError, unavailable } = require('./errors')
const { pause } = require('./outcomes')

/**
 * @typedef {import('./connections').Connections} Connections
 * @typedef {import('./outcomes').Outcomes} Outcomes
 * @typedef {import('./wire').Step} Step
 * @typedef {import('./wire').Row} Row
 * @typedef {{ name: string, token: number }} Fence
 */

/** Attempts at a write that others are in the way of. */
const ATTEMPTS = 12

/** Milliseconds for which a write whose connection was lost is pursued. */
const PURSUIT = 10_000

/** Entries that one step of a clear removes. */
const CLEARED = 10_000

/**
 * The writes of one level. Writes that share a key are done one after another, in the order of their calls; others at
 * a time. A fence is checked in the transaction of each write, with its row locked: who replaces its owner waits
 * for the write, or the write finds the new token.
 *
 * With a fence READ COMMITTED will do: nobody else writes, and the lock is the check. Without one, writes of several
 * processes are SERIALIZABLE, as a deletion of what is not there locks nothing.
 */
class Writer {
  #connections
  #outcomes
  #fence
  /** By key: the last write of it. @type {Map<string, Promise<void>>} */
  #busy = new Map()
  /** The last write of unknown keys. @type {Promise<void> | null} */
  #barrier = null

  /**
   * @param {Connections} connections
   * @param {Outcomes} outcomes
   * @param {Fence | null} fence
   */
  constructor (connections, outcomes, fence) {
    this.#connections = connections
    this.#outcomes = outcomes
    this.#fence = fence
  }

  /** @param {import('./batch').Operation[]} operations */
  batch (operations) {
    const batch = new Batch(operations)
    const before = new Set()
    if (this.#barrier !== null) before.add(this.#barrier)
    for (const key of batch.keys()) {
      const busy = this.#busy.get(key)
      if (busy !== undefined) before.add(busy)
    }
    const parameters = batch.parameters()
    const done = before.size === 0 ? this.#batch(parameters) : Promise.all(before).then(() => this.#batch(parameters))
    const settled = done.catch(() => {}).then(() => {
      for (const key of batch.keys()) if (this.#busy.get(key) === settled) this.#busy.delete(key)
    })
    for (const key of batch.keys()) this.#busy.set(key, settled)
    return done
  }

  /**
   * Removes the entries of a range of stored keys.
   *
   * @param {Buffer} from
   * @param {Buffer} to
   */
  clear (from, to) {
    const before = [...new Set(this.#busy.values()), this.#barrier]
    const done = Promise.all(before).then(() => this.#clear(from, to))
    const barrier = done.catch(() => {}).then(() => { if (this.#barrier === barrier) this.#barrier = null })
    this.#barrier = barrier
    return done
  }

  /** Waits for all writes. */
  async idle () {
    await Promise.all([...new Set(this.#busy.values()), this.#barrier])
  }

  /** @param {Buffer[][]} parameters */
  async #batch (parameters) {
    const { statements } = this.#connections
    const last = /** @type {Buffer[]} */ (parameters.pop())
    const parts = parameters.map(values => ({ statement: statements.part, values }))
    const statement = this.#fence === null ? statements.batch : statements.fencedBatch
    await this.#write(id => ({ statement, values: [id, ...last, ...this.#fenceValues()] }), parts)
  }

  /** @param {Buffer} from @param {Buffer} to */
  async #clear (from, to) {
    const { statements } = this.#connections
    const statement = this.#fence === null ? statements.clear : statements.fencedClear
    for (;;) {
      const rows = await this.#write(id => ({ statement, values: [id, from, to, numberOf(CLEARED), ...this.#fenceValues()] }))
      // Not known if the answer was lost: again, then.
      if (rows !== null && Number(rows[0][0]) < CLEARED) return
    }
  }

  #fenceValues () {
    return this.#fence === null ? [] : [textOf(this.#fence.name), numberOf(this.#fence.token)]
  }

  /**
   * Does a write, once.
   *
   * @param {(id: Buffer) => Step} lastOf makes the statement that checks the fence and writes the id
   * @param {Step[]} [parts] statements before it in the same transaction
   * @returns {Promise<Row[] | null>} the answer; null where it was lost
   */
  async #write (lastOf, parts = []) {
    const until = Date.now() + PURSUIT
    for (let attempt = 0; ; attempt++) {
      const id = this.#outcomes.next()
      let client
      try {
        client = await this.#connections.borrow()
      } catch (error) {
        throw toLevelError(error)
      }
      try {
        const rows = await this.#transaction(client, lastOf(id), parts)
        this.#outcomes.ended(id)
        return this.#checked(rows)
      } catch (error) {
        if (error.code === 'LEVEL_FENCED') throw error
        if (isLost(error)) {
          if (await this.#outcomes.find(id, until)) return null
          if (Date.now() > until) throw unavailable(error)
        } else if (!isRepeatable(error)) {
          throw toLevelError(error)
        } else if (attempt >= ATTEMPTS) {
          throw unavailable(error)
        }
        await pause(attempt)
      }
    }
  }

  /**
   * One transaction. A write of one statement is one exchange.
   *
   * @param {import('./connections').PooledClient} client
   * @param {Step} last
   * @param {Step[]} parts
   * @returns {Promise<Row[]>}
   */
  async #transaction (client, last, parts) {
    const { statements } = this.#connections
    const begin = { statement: this.#fence === null ? statements.serializable : statements.readCommitted, values: [] }
    const commit = { statement: statements.commit, values: [] }
    if (parts.length === 0) return (await this.#exchange(client, [begin, last, commit], true))[1]
    await this.#exchange(client, [begin, parts[0]])
    for (const part of parts.slice(1)) await this.#exchange(client, [part])
    const [rows] = await this.#exchange(client, [last])
    if (rows.length === 0) this.#connections.giveBack(client)
    else await this.#exchange(client, [commit], true)
    return rows
  }

  /**
   * @param {import('./connections').PooledClient} client
   * @param {Step[]} steps
   * @param {boolean} [isLast]
   */
  async #exchange (client, steps, isLast = false) {
    try {
      return await this.#connections.exchangeOn(client, steps, isLast)
    } catch (error) {
      if (!isLast && !isLost(error)) this.#connections.giveBack(client)
      throw error
    }
  }

  /** @param {Row[]} rows */
  #checked (rows) {
    if (rows.length > 0) return rows
    const { name, token } = /** @type {Fence} */ (this.#fence)
    throw failure('LEVEL_FENCED', `The token ${token} of ${name} is no longer the present one: nothing was written`)
  }
}

module.exports = { Writer }
