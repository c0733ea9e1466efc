'use strict'

const { createError } = require('@potoroo/errors')
const { Group } = require('./group')

/**
 * A transaction that waits for its commit.
 *
 * @typedef {object} Entry
 * @property {() => unknown} work may be called several times
 * @property {(value: any) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {Promise<any>} ended
 * @property {unknown} value
 * @property {number} attempts
 * @property {boolean} alone whether it shares its commit with no other: one of a group was refused
 */

/** Times that a transaction is tried whose documents others change meanwhile. */
const MOST_ATTEMPTS = 100

/** Times that it is tried in one commit with others. */
const MOST_SHARED = 10

/**
 * The transactions of a database, one after another. They share a commit if they come in one turn of the event
 * loop, or while another commit is under way.
 */
class Transactions {
  #store
  /** The one whose function runs. @type {Group | null} */
  running = null
  /** The promise of the one whose function runs. @type {Promise<unknown> | null} */
  #outer = null
  /** Transactions that have done their work, and wait for the end of the turn. @type {Group | null} */
  #gathering = null
  /** Transactions that came while a commit was under way. @type {Entry[]} */
  #waiting = []
  /** @type {Promise<void> | null} */
  #committing = null

  /** @param {import('@potoroo/document-store').DocumentStore} store */
  constructor (store) { this.#store = store }

  /**
   * @template T
   * @param {() => T} work
   * @returns {Promise<T>}
   */
  run (work) {
    return this.running === null ? this.#enter(work) : this.#join(work)
  }

  /** Resolves when all that were asked for so far have ended. */
  async settled () {
    while (this.#committing !== null || this.#gathering !== null) await (this.#committing ?? Promise.resolve())
  }

  /** @param {() => any} work @returns {Promise<any>} */
  #enter (work) {
    // One that looks at no document would not notice.
    if (this.#store.closed) return Promise.reject(createError('CLOSED'))
    const { promise: ended, resolve, reject } = withResolvers()
    const entry = { work, resolve, reject, ended, value: undefined, attempts: 0, alone: false }
    if (this.#committing === null) this.#perform(entry)
    else this.#waiting.push(entry)
    return ended
  }

  /**
   * Does the work as a part of the one that runs: what it throws may be caught there.
   *
   * @param {() => any} work
   */
  #join (work) {
    const group = /** @type {Group} */ (this.running)
    const value = group.perform(work)
    const ended = /** @type {Promise<unknown>} */ (this.#outer).then(() => value)
    ended.catch(() => {})
    group.parts.add(ended)
    return ended
  }

  /** @param {Entry} entry */
  #perform (entry) {
    const group = this.#gathering ?? this.#gather()
    this.running = group
    this.#outer = entry.ended
    try {
      entry.value = group.perform(entry.work)
      group.entries.push(entry)
    } catch (error) {
      // It may have failed because it saw documents of several commits.
      if (group.isOutdated) this.#refuse([entry], createError('CONFLICT'))
      else entry.reject(error)
    } finally {
      this.running = null
      this.#outer = null
    }
  }

  #gather () {
    queueMicrotask(() => { this.#committing ??= this.#commitAll() })
    return (this.#gathering = new Group())
  }

  async #commitAll () {
    while (this.#gathering !== null) {
      const group = this.#gathering
      this.#gathering = null
      await this.#commit(group)
      for (const entry of this.#takeNext()) this.#perform(entry)
    }
    this.#committing = null
  }

  /** Takes those that share the next commit. */
  #takeNext () {
    const alone = this.#waiting.findIndex(entry => entry.alone)
    return this.#waiting.splice(0, alone === -1 ? this.#waiting.length : Math.max(alone, 1))
  }

  /** @param {Group} group */
  async #commit (group) {
    try {
      if (!group.isEmpty) await this.#write(group)
    } catch (error) {
      group.drop()
      return this.#refuse(group.entries, error)
    }
    for (const { resolve, value } of group.entries) resolve(value)
  }

  /**
   * Stores all of it, and makes it the present before anybody who is told of the commit looks at it.
   *
   * @param {Group} group
   * @throws the first refusal; one that no repetition would change before a conflict
   */
  async #write (group) {
    const { states, losers } = group.writes
    if (states.length + losers.length === 0) return group.settle(new Map())
    const committed = (/** @type {any[]} */ results) => group.settle(new Map(results.slice(0, states.length).map(({ id, rev }) => [id, rev])))
    const results = /** @type {any[]} */ (await this.#store.write([...states, ...losers], { allOrNothing: true, reads: group.reads, committed }))
    const refusals = results.filter(result => result instanceof Error && /** @type {any} */ (result).code !== 'NOT_ALL')
    if (refusals.length > 0) throw refusals.find(({ code }) => code !== 'CONFLICT') ?? refusals[0]
  }

  /**
   * Tries again what met another's change, and one by one what shared its commit with a faulty one, or often with one that
   * met another's change.
   *
   * @param {Entry[]} entries
   * @param {any} error
   */
  #refuse (entries, error) {
    const isConflict = error.code === 'CONFLICT'
    if (!isConflict && entries.length === 1) return entries[0].reject(error)
    /** @type {Entry[]} */
    const again = []
    for (const entry of entries) {
      if (++entry.attempts > MOST_ATTEMPTS) entry.reject(error)
      else again.push(isConflict && entry.attempts < MOST_SHARED ? entry : { ...entry, alone: true })
    }
    this.#waiting = [...again, ...this.#waiting]
  }
}

/** As `Promise.withResolvers`, which Node.js 20 lacks. */
function withResolvers () {
  /** @type {(value: any) => void} */
  let resolve = () => {}
  /** @type {(error: unknown) => void} */
  let reject = () => {}
  const promise = new Promise((_resolve, _reject) => {
    resolve = _resolve
    reject = _reject
  })
  return { promise, resolve, reject }
}

module.exports = { Transactions }
