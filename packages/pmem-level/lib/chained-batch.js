'use strict'

const { AbstractChainedBatch } = require('abstract-level')

/**
 * A batch that is put together bit by bit, as the pool takes it: others may run in between.
 *
 * @extends {AbstractChainedBatch<any, any, any>}
 */
class ChainedBatch extends AbstractChainedBatch {
  #gathered
  #settle

  /**
   * @param {import('./pmem-level').PmemLevel} level
   * @param {import('pmemobj').GatheredBatch} gathered
   * @param {(write: () => import('pmemobj').Written) => Promise<void>} settle
   */
  constructor (level, gathered, settle) {
    super(level)
    this.#gathered = gathered
    this.#settle = settle
  }

  /** @param {import('pmemobj').Bytes} key @param {import('pmemobj').Bytes} value */
  _put (key, value) { this.#gathered.put(key, value) }

  /** @param {import('pmemobj').Bytes} key */
  _del (key) { this.#gathered.del(key) }

  _clear () { this.#gathered.clear() }

  /** @param {import('pmemobj').BatchOptions} options @returns {Promise<void>} */
  _write (options) { return this.#settle(() => this.#gathered.writeAsync(options)) }
}

module.exports = { ChainedBatch }
