'use strict'

/** @typedef {import('./row-stream').RowStream} RowStream */

/** The rows of one shard, of which the next page is asked for when one was taken whole: see RowStream. */
class PagedRows {
  #first
  #current
  #size
  #next
  /** Rows that were taken of the current page. */
  #taken = 0
  #last = ''
  #isClosed = false

  /**
   * @param {RowStream} first
   * @param {number} size rows of the first page; infinite where no other is needed
   * @param {(row: string, size: number) => Promise<RowStream>} next opens the page behind a row, at its first row
   */
  constructor (first, size, next) {
    this.#first = this.#current = first
    this.#size = size
    this.#next = next
  }

  get members () { return this.#first.members }

  peek () { return this.#current.peek() }

  take () {
    this.#taken++
    this.#last = this.#current.take()
    return this.#last
  }

  /** @returns {Promise<boolean>} whether there is a row */
  async fill () {
    while (!await this.#current.fill()) {
      if (this.#taken < this.#size || this.#isClosed) return false
      this.#size *= 2
      this.#taken = 0
      this.#current = await this.#next(this.#last, this.#size)
      if (this.#isClosed) this.#current.close()
    }
    return true
  }

  close () {
    this.#isClosed = true
    this.#current.close()
  }
}

/** The rows that a shard is asked for first. @param {number} limit of all shards @param {number} q */
function pageOf (limit, q) {
  const mean = limit / q
  // Most shards have no more than this of them.
  return Math.min(limit, Math.ceil(mean + 3 * Math.sqrt(mean)) + 4)
}

module.exports = { PagedRows, pageOf }
