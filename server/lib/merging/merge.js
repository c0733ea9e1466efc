'use strict'

/** @typedef {Pick<import('./row-stream').RowStream, 'close' | 'fill' | 'peek' | 'take'>} RowStream */

/**
 * A row that is the next one of its shard.
 * @template Row
 * @typedef {{ index: number, text: string, row: Row }} Head
 */

/**
 * Rows of several shards in one order, each shard's being in that order already. No more of them is in memory than
 * what has come.
 *
 * @template Row
 */
class Merge {
  #streams
  #read
  #compare
  /** A heap of the next rows. @type {Array<Head<Row>>} */
  #heads = []

  /**
   * @param {RowStream[]} streams
   * @param {(text: string, index: number) => Row | null} read what rows are compared by; null of a row to leave out
   * @param {(a: Row, b: Row) => number} compare rows that are equal come in the order of shards
   */
  constructor (streams, read, compare) {
    this.#streams = streams
    this.#read = read
    this.#compare = compare
  }

  /** Waits for the first row of each shard. */
  async begin () {
    await Promise.all(this.#streams.map(stream => stream.fill()))
    for (let index = 0; index < this.#streams.length; index++) {
      const head = this.#ready(index) ?? await this.#wait(index)
      if (head !== null) this.#add(head)
    }
    return this
  }

  /** The next row of all; null at the end. @returns {Head<Row> | null | Promise<Head<Row> | null>} a promise where a shard has to be waited for */
  next () {
    const first = this.#heads[0]
    if (first === undefined) return null
    const following = this.#ready(first.index)
    if (following === undefined) return this.#wait(first.index).then(head => this.#replace(first, head))
    return this.#replace(first, following)
  }

  /** The row that `next` takes. @returns {Head<Row> | undefined} */
  peek () { return this.#heads[0] }

  close () { for (const stream of this.#streams) stream.close() }

  /** A row that has come. @param {number} index @returns {Head<Row> | undefined} */
  #ready (index) {
    const stream = this.#streams[index]
    while (stream.peek() !== undefined) {
      const text = stream.take()
      const row = this.#read(text, index)
      if (row !== null) return { index, text, row }
    }
    return undefined
  }

  /** @param {number} index @returns {Promise<Head<Row> | null>} */
  async #wait (index) {
    while (await this.#streams[index].fill()) {
      const head = this.#ready(index)
      if (head !== undefined) return head
    }
    return null
  }

  /** @param {Head<Row>} first @param {Head<Row> | null} following */
  #replace (first, following) {
    const heads = this.#heads
    if (following !== null) heads[0] = following
    else {
      const last = /** @type {Head<Row>} */ (heads.pop())
      if (heads.length > 0) heads[0] = last
    }
    this.#sink(0)
    return first
  }

  /** @param {Head<Row>} head */
  #add (head) {
    const heads = this.#heads
    let at = heads.push(head) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!this.#isBefore(heads[at], heads[above])) return
      this.#swap(at, above)
      at = above
    }
  }

  /** @param {number} at */
  #sink (at) {
    const heads = this.#heads
    while (true) {
      let least = at
      for (const below of [2 * at + 1, 2 * at + 2]) if (below < heads.length && this.#isBefore(heads[below], heads[least])) least = below
      if (least === at) return
      this.#swap(at, least)
      at = least
    }
  }

  /** @param {number} a @param {number} b */
  #swap (a, b) {
    const head = this.#heads[a]
    this.#heads[a] = this.#heads[b]
    this.#heads[b] = head
  }

  /** @param {Head<Row>} a @param {Head<Row>} b */
  #isBefore (a, b) {
    const order = this.#compare(a.row, b.row)
    return order === 0 ? a.index < b.index : order < 0
  }
}

module.exports = { Merge }
