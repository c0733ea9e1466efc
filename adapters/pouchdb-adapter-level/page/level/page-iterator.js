'use strict'

const { AbstractIterator } = require('abstract-level')
const { beyond, boundsOf, rangeOf, upTo } = require('./key-range')
const { getRange, getRangeBackwards } = require('./read-store')
const { toLevelError } = require('./transaction')

/**
 * @typedef {import('./key-range').Range} Range
 * @typedef {import('./page-level').PageLevel} PageLevel
 * @typedef {import('./page-snapshot').PageSnapshot} PageSnapshot
 * @typedef {import('./read-store').Entry} Entry
 */

/** Reads a range a part at a time, each in a transaction of its own. */
class PageIterator extends AbstractIterator {
  #level
  #options
  #snapshot
  /** The rest of the range, which is not read yet. @type {Range | null} */
  #range
  /** Read already. @type {Array<[any, any]>} */
  #ahead = []

  /** @param {PageLevel} level @param {Range & { keys: boolean, values: boolean, reverse: boolean, snapshot?: PageSnapshot }} options */
  constructor (level, options) {
    super(level, options)
    this.#level = level
    this.#options = options
    this.#range = boundsOf(options)
    this.#snapshot = options.snapshot ?? level._snapshot()
  }

  async _close () {
    if (this.#options.snapshot === undefined) await this.#snapshot.close()
  }

  async _next () { return (await this._nextv(1))[0] }

  /** @param {number} size */
  async _nextv (size) {
    while (this.#ahead.length === 0 && this.#range !== null) await this.#readAhead(size)
    if (this.#ahead.length <= size) return this.#ahead.splice(0)
    return this.#ahead.splice(0, size)
  }

  /** @param {number} size */
  async #readAhead (size) {
    const range = rangeOf(/** @type {Range} */ (this.#range))
    if (range === null) {
      this.#range = null
      return
    }
    const { reverse } = this.#options
    const entries = await this.#read(range, size)
    const isLast = entries.length < size
    const read = isLast ? this.#range : upTo(/** @type {Range} */ (this.#range), entries[entries.length - 1][0], reverse)
    this.#range = isLast ? null : beyond(/** @type {Range} */ (this.#range), entries[entries.length - 1][0], reverse)
    this.#ahead = this.#snapshot.entriesOf(entries, /** @type {Range} */ (read), reverse)
  }

  /** @param {IDBKeyRange | undefined} range @param {number} size @returns {Promise<Entry[]>} */
  #read (range, size) {
    return new Promise((resolve, reject) => {
      const { transaction, store } = this.#level.begin('readonly')
      transaction.onabort = () => reject(toLevelError(transaction.error))
      const read = this.#options.reverse ? getRangeBackwards : getRange
      read(store, range, size, this.#options.values, resolve)
    })
  }

  /** @param {Uint8Array} target */
  _seek (target) {
    this.#ahead = []
    const { reverse } = this.#options
    const range = boundsOf(this.#options)
    const whole = rangeOf(range)
    if (whole === null || !(whole?.includes(target) ?? true)) this.#range = null
    else this.#range = reverse ? { ...range, lt: undefined, lte: target } : { ...range, gt: undefined, gte: target }
  }
}

module.exports = { PageIterator }
