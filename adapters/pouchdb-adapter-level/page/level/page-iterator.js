'use strict'

const { asBytes, Bytes } = require('../bytes')
const { beyond, bytesOf, rangeOf, upTo } = require('./key-range')
const { getRange, getRangeBackwards } = require('./read-store')
const { notOpen, toLevelError } = require('./transaction')

/**
 * @typedef {import('./key-range').Range} Range
 * @typedef {import('./page-level').PageLevel} PageLevel
 * @typedef {import('./page-snapshot').PageSnapshot} PageSnapshot
 * @typedef {import('./read-store').Entry} Entry
 * @typedef {import('./key-range').TextRange & { reverse?: boolean, limit?: number, snapshot?: PageSnapshot }} IteratorOptions
 */

/** Entries that `all` reads in one go. */
const MANY = 1000

/** Reads a range a part at a time, each in a transaction of its own. */
class PageIterator {
  #level
  #options
  #bounds
  #withValues
  #snapshot
  #left
  /** The rest of the range, which is not read yet. @type {Range | null} */
  #range
  /** Read already. @type {Entry[]} */
  #ahead = []
  /** @type {Promise<unknown>} */
  #reading = Promise.resolve()
  #isClosed = false

  /** @param {PageLevel} level @param {IteratorOptions} options @param {boolean} withValues */
  constructor (level, options, withValues) {
    this.#level = level
    this.#options = options
    this.#withValues = withValues
    this.#bounds = bytesOf(options)
    this.#range = this.#bounds
    this.#left = options.limit ?? Infinity
    this.#snapshot = options.snapshot ?? level.snapshot()
  }

  /**
   * @param {number} size
   * @returns {Promise<any[]>} the next ones, `[key, value]` or keys: at most that many, and none at the end
   * @throws LEVEL_ITERATOR_NOT_OPEN
   */
  async nextv (size) {
    if (this.#isClosed) throw notOpen('Iterator is not open', undefined, 'LEVEL_ITERATOR_NOT_OPEN')
    const reading = this.#snapshot.during(() => this.#next(Math.min(size, this.#left)))
    this.#reading = reading.catch(() => {})
    const entries = await reading
    this.#left -= entries.length
    return entries.map(this.#withValues ? entryOf : keyOf)
  }

  /** @returns {Promise<any[]>} all that is left; closes the iterator */
  async all () {
    try {
      const all = []
      for (let page; page === undefined || page.length > 0;) {
        page = await this.nextv(MANY)
        for (const entry of page) all.push(entry)
      }
      return all
    } finally {
      await this.close()
    }
  }

  async close () {
    this.#isClosed = true
    await this.#reading
    if (this.#options.snapshot === undefined) await this.#snapshot.close()
  }

  /** @param {number} size @returns {Promise<Entry[]>} */
  async #next (size) {
    if (size <= 0) return []
    while (this.#ahead.length === 0 && this.#range !== null) await this.#readAhead(size)
    return this.#ahead.splice(0, size)
  }

  /** @param {number} size */
  async #readAhead (size) {
    const range = rangeOf(/** @type {Range} */ (this.#range))
    if (range === null) {
      this.#range = null
      return
    }
    const reverse = this.#options.reverse === true
    const entries = await this.#read(range, size, reverse)
    const isLast = entries.length < size
    const read = isLast ? this.#range : upTo(/** @type {Range} */ (this.#range), entries[entries.length - 1][0], reverse)
    this.#range = isLast ? null : beyond(/** @type {Range} */ (this.#range), entries[entries.length - 1][0], reverse)
    this.#ahead = this.#snapshot.entriesOf(entries, /** @type {Range} */ (read), reverse)
  }

  /** @param {IDBKeyRange | undefined} range @param {number} size @param {boolean} reverse @returns {Promise<Entry[]>} */
  #read (range, size, reverse) {
    return new Promise((resolve, reject) => {
      const { transaction, store } = this.#level.begin('readonly')
      transaction.onabort = () => reject(toLevelError(transaction.error))
      const read = reverse ? getRangeBackwards : getRange
      read(store, range, size, this.#withValues, resolve)
    })
  }

  /** Goes to a key in the range; beyond it there is nothing. @param {string} target */
  seek (target) {
    this.#ahead = []
    const key = Bytes.from(target)
    const range = this.#bounds
    const whole = rangeOf(range)
    if (whole === null || !(whole?.includes(key) ?? true)) this.#range = null
    else this.#range = this.#options.reverse ? { ...range, lt: undefined, lte: key } : { ...range, gt: undefined, gte: key }
  }
}

/** @param {Entry} entry */
function entryOf ([key, value]) { return [asBytes(key).toString(), asBytes(/** @type {Uint8Array} */ (value)).toString()] }

/** @param {Entry} entry */
function keyOf ([key]) { return asBytes(key).toString() }

module.exports = { PageIterator }
