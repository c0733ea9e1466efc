'use strict'

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** Writes that nobody waits for, above which those who bring more have to. */
const MOST = 10000

/** Writes of `batch=ok`, which were answered before they are done. Writes under way share commits. */
class Batches {
  #log
  /** database → its writes. @type {Map<string, Set<Promise<void>>>} */
  #pending = new Map()
  #count = 0

  /** @param {import('../log/log').Log} log */
  constructor (log) {
    this.#log = log
  }

  /**
   * Begins a write. Its error is nobody's any more, but a fault of the server is logged.
   *
   * @param {PotorooRequest} req of a database
   * @param {() => Promise<any>} write
   * @returns {Promise<void>} at once, unless far too many are under way
   */
  async add (req, write) {
    const database = req.params.db
    while (this.#count >= MOST) await Promise.race([...this.#pending.values()].flatMap(writes => [...writes].slice(0, 1)))
    const writing = write().then(() => {}, error => { if (error.status === undefined) this.#log.fault(req, error) })
    const writes = this.#pending.get(database) ?? new Set()
    this.#pending.set(database, writes.add(writing))
    this.#count++
    writing.then(() => this.#done(database, writes, writing))
  }

  /** @param {string} database @param {Set<Promise<void>>} writes @param {Promise<void>} writing */
  #done (database, writes, writing) {
    this.#count--
    writes.delete(writing)
    if (writes.size === 0 && this.#pending.get(database) === writes) this.#pending.delete(database)
  }

  /**
   * When all is written that was taken so far.
   * @param {string} [database] of this one alone
   */
  async settled (database) {
    const all = database === undefined ? [...this.#pending.values()] : [this.#pending.get(database) ?? []]
    await Promise.all(all.flatMap(writes => [...writes]))
  }
}

module.exports = { Batches }
