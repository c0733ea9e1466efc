'use strict'

const binding = require('../binding/binding')
const { SpareHandles } = require('./spare-handles')

const spares = new SpareHandles()

/** A state of the whole pool that no later write changes. */
class Snapshot {
  #handle
  // Keeps the pool from being collected while only the snapshot is held.
  #pool

  /**
   * Made by `pool.snapshot()`.
   *
   * @param {unknown} pool handle
   */
  constructor (pool) {
    this.#pool = pool
    this.#handle = binding.takeSnapshot(pool, spares.take())
  }

  /** Closing twice is allowed. Iterators made from it go on. */
  close () {
    binding.closeSnapshot(this.#handle)
    this.#handle = spares.put(this.#handle)
  }

  /** @param {unknown} snapshot */
  static handleOf (snapshot) {
    if (snapshot === undefined) return undefined
    if (typeof snapshot === 'object' && snapshot !== null && #handle in snapshot) return snapshot.#handle
    throw new TypeError('The snapshot must be a Snapshot of this package')
  }
}

module.exports = { Snapshot }
