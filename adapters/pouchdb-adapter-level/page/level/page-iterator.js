'use strict'

const { after, fromText, toText, toTextRange } = require('./key-text')
const { notOpen } = require('./transaction')

/**
 * @typedef {{ gt?: string, gte?: string, lt?: string, lte?: string }} TextRange
 * @typedef {TextRange & { reverse?: boolean, limit?: number, snapshot?: import('./page-snapshot').PageSnapshot }} IteratorOptions
 */

/** Entries that `all` reads in one go. */
const MANY = 1000

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

class PageIterator {
  #level
  #options
  #withValues
  #snapshot
  #left
  /** The rest of the range, which is not read yet. */
  #range
  /** @type {Promise<unknown>} */
  #reading = Promise.resolve()
  #isClosed = false

  /** @param {import('./page-level').PageLevel} level @param {IteratorOptions} options @param {boolean} withValues */
  constructor (level, options, withValues) {
    this.#level = level
    this.#options = options
    this.#withValues = withValues
    this.#range = toTextRange(options)
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
    const reading = this.#snapshot.during(view => this.#next(view, Math.min(size, this.#left)))
    this.#reading = reading.catch(() => {})
    const entries = await reading
    this.#left -= entries.length
    return entries.map(([text, value]) => this.#withValues ? [fromText(text), decoder.decode(value)] : fromText(text))
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

  /** @param {import('./view').View} view @param {number} size */
  async #next (view, size) {
    if (size <= 0) return []
    await this.#level.turn()
    const { reverse = false } = this.#options
    const entries = await view.read(this.#range, size, reverse)
    if (entries.length > 0) {
      const [last] = entries[entries.length - 1]
      const { from, to } = this.#range
      this.#range = reverse ? { from, to: last } : { from: after(last), to }
    }
    return entries
  }

  /** Goes to a key in the range; beyond it there is nothing. @param {string} target */
  seek (target) {
    const text = toText(target)
    const { from, to } = toTextRange(this.#options)
    if (text < from || (to !== undefined && text >= to)) this.#range = { from: '', to: '' }
    else this.#range = this.#options.reverse ? { from, to: after(text) } : { from: text, to }
  }
}

module.exports = { PageIterator }
