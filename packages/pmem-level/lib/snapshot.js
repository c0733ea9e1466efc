'use strict'

const { AbstractSnapshot } = require('abstract-level')

/** An explicit snapshot: `db.snapshot()`. */
class PmemSnapshot extends AbstractSnapshot {
  #inner

  /**
   * @param {import('pmemobj').Pool} pool
   * @param {any} options abstract-level's, with the owner
   */
  constructor (pool, options) {
    // First: one that cannot be taken must not be attached to the database, which would wait for its end.
    const inner = pool.snapshot()
    // @ts-expect-error its types leave the options out, which it needs
    super(options)
    this.#inner = inner
  }

  async _close () {
    this.#inner.close()
  }

  /**
   * pmemobj's snapshot of an option, or undefined where there is none.
   *
   * @param {unknown} snapshot
   */
  static inner (snapshot) {
    if (snapshot === undefined || snapshot === null) return undefined
    if (typeof snapshot === 'object' && #inner in snapshot) return snapshot.#inner
    throw new TypeError('The snapshot must be one of a PmemLevel')
  }
}

module.exports = { PmemSnapshot }
