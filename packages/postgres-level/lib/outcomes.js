'use strict'

const { randomBytes } = require('node:crypto')
const { arrayOf } = require('./values')
const { isLost, isRepeatable, toLevelError } = require('./errors')

/**
 * @typedef {import('./connections').Connections} Connections
 */

/** Ids of batches whose end is known, which are removed together. */
const TOGETHER = 200

const EVERY = 10 * 60_000

/**
 * Numbers batches, and finds out whether those were done whose connection was lost. Each writes its id in its own
 * transaction. To write that id from elsewhere waits until that transaction is over, and then tells: if the id is
 * there the batch was done, and if not it can be done no longer. A look-up's own id is marked: another look-up, after
 * the answer of the first was lost or beside it, must not take it for the batch's.
 */
class Outcomes {
  #connections
  #session = randomBytes(10)
  #count = 0
  /** @type {Buffer[]} */
  #known = []
  /** Batches whose end is not known yet. @type {Map<string, Buffer>} */
  #unknown = new Map()
  #removedAt = 0

  /** @param {Connections} connections */
  constructor (connections) { this.#connections = connections }

  /** Whether the end of each batch is known: otherwise what is read may not last. */
  get areKnown () { return this.#unknown.size === 0 }

  next () {
    const id = Buffer.alloc(16)
    this.#session.copy(id)
    id.writeUIntBE(++this.#count, 10, 6)
    return id
  }

  /** Notes that a batch has ended, so that its id is of no use. @param {Buffer} id */
  ended (id) {
    this.#known.push(id)
    if (this.#known.length >= TOGETHER) this.forget()
  }

  /** Removes ids of no use: the database server would keep them. */
  forget () {
    if (this.#known.length === 0) return
    const { statements } = this.#connections
    const steps = [{ statement: statements.forget, values: [arrayOf(this.#known.splice(0))] }]
    if (Date.now() - this.#removedAt > EVERY) {
      this.#removedAt = Date.now()
      steps.push({ statement: statements.forgetOld, values: [] })
    }
    this.#connections.later(this.#connections.exchange(steps))
  }

  /**
   * Finds out whether a batch was done.
   *
   * @param {Buffer} id
   * @param {number} until when it gives up
   * @returns {Promise<boolean>} false: it was not, and never will be
   * @throws LEVEL_UNAVAILABLE whose `outcome` is 'unknown'
   */
  async find (id, until) {
    this.#unknown.set(id.toString('hex'), id)
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#look(id)
      } catch (error) {
        if (!isLost(error) && !isRepeatable(error) && !String(error.code).startsWith('5')) throw unknown(error)
        if (Date.now() > until) throw unknown(error)
        await pause(attempt)
      }
    }
  }

  /** Tries once to learn of all that is not known. @throws LEVEL_UNAVAILABLE */
  async settle () {
    try {
      for (const id of this.#unknown.values()) await this.#look(id)
    } catch (error) {
      throw toLevelError(error)
    }
  }

  /** @param {Buffer} id */
  async #look (id) {
    const { statements } = this.#connections
    const [rows] = await this.#connections.exchange([{ statement: statements.outcome, values: [id] }])
    this.#unknown.delete(id.toString('hex'))
    return String(rows[0][0]) === 'true'
  }
}

/** @param {any} cause */
function unknown (cause) {
  const error = toLevelError(cause)
  return Object.assign(new Error(`${error.message}. It is not known whether the batch was written`, { cause }), { code: 'LEVEL_UNAVAILABLE', outcome: 'unknown' })
}

/** Waits for a while, longer each time and never as long as others. @param {number} attempt */
function pause (attempt) {
  const most = Math.min(1000, 5 * 2 ** attempt)
  return new Promise(resolve => setTimeout(resolve, most / 2 + Math.random() * most / 2))
}

module.exports = { Outcomes, pause }
