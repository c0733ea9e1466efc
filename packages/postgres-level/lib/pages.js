'use strict'

const { LAST, beginOfGroup, endOfGroup, isLong, storedFrom, storedTo, successor, wholeKey } = require('./stored-key')
const { numberOf } = require('./values')

/**
 * @typedef {import('./wire').Row} Row
 * @typedef {import('./wire').Step} Step
 * @typedef {{ key: Buffer, value: Buffer | null }} Entry
 * @typedef {{ gt?: Buffer, gte?: Buffer, lt?: Buffer, lte?: Buffer, reverse?: boolean }} Range
 */

/** Entries of the first page, and of any. */
const FIRST = 16
const FIRST_MOST = 256
const MOST = 10_000
const GROWTH = 4

/** Bytes that a page is to have, by the size of the entries before it. */
const PAGE_BYTES = 1024 * 1024

/** The entries of a range, in pages by key. */
class Pages {
  #read
  #statement
  #isReverse
  #lower
  #upper
  #from
  #to
  #next = FIRST
  #entries = 0
  #bytes = 0
  #isOver = false

  /**
   * @param {(step: Step) => Promise<Row[]>} read
   * @param {import('./statements').Statements} statements
   * @param {Range} range
   * @param {boolean} withValues
   */
  constructor (read, statements, range, withValues) {
    this.#read = read
    this.#isReverse = range.reverse === true
    this.#statement = /** @type {any} */ (statements)[`${withValues ? 'entries' : 'keys'}_${this.#isReverse ? 'reverse' : 'forward'}`]
    this.#lower = lowerOf(range)
    this.#upper = upperOf(range)
    this.#from = storedFrom(this.#lower)
    this.#to = this.#upper === null ? LAST : storedTo(this.#upper)
  }

  /** Goes on from a key, within the range. @param {Buffer} target @param {Range} range */
  seek (target, range) {
    this.#lower = lowerOf(range)
    this.#upper = upperOf(range)
    if (!this.#isReverse) this.#lower = Buffer.compare(target, this.#lower) > 0 ? target : this.#lower
    else if (this.#upper === null || Buffer.compare(successor(target), this.#upper) < 0) this.#upper = successor(target)
    this.#from = storedFrom(this.#lower)
    this.#to = this.#upper === null ? LAST : storedTo(this.#upper)
    this.#isOver = false
    this.#next = FIRST
  }

  /**
   * @param {number} wanted entries; there may be fewer, or more
   * @param {number} left entries that may still be asked for
   * @returns {Promise<Entry[]>} none at the end
   */
  async page (wanted, left) {
    while (!this.#isOver) {
      const entries = await this.#fetch(Math.min(this.#size(wanted), left))
      if (entries.length > 0) return entries
    }
    return []
  }

  /** @param {number} wanted */
  #size (wanted) {
    const fits = this.#entries === 0 ? FIRST_MOST : Math.max(1, Math.min(MOST, Math.floor(PAGE_BYTES * this.#entries / this.#bytes)))
    const size = Math.min(Math.max(wanted, this.#next), fits)
    this.#next = Math.max(this.#next, size) * GROWTH
    return size
  }

  /** @param {number} size */
  async #fetch (size) {
    if (Buffer.compare(this.#from, this.#to) >= 0) {
      this.#isOver = true
      return []
    }
    const rows = await this.#rows(this.#from, this.#to, size)
    this.#isOver = rows.length < size
    if (rows.length === 0) return []
    const last = await this.#endGroup(rows)
    if (this.#isReverse) this.#to = last
    else this.#from = successor(last)
    return this.#entriesOf(rows)
  }

  /** @param {Buffer} from @param {Buffer} to @param {number} size */
  #rows (from, to, size) {
    return this.#read({ statement: this.#statement, values: [from, to, numberOf(size)] })
  }

  /**
   * Long keys that begin alike are read together, as the database server has them in another order.
   *
   * @param {Row[]} rows those that are missing are added
   * @returns {Promise<Buffer>} the last stored key
   */
  async #endGroup (rows) {
    let last = /** @type {Buffer} */ (rows[rows.length - 1][0])
    while (!this.#isOver && isLong(last)) {
      const more = this.#isReverse
        ? await this.#rows(beginOfGroup(last), last, FIRST_MOST)
        : await this.#rows(successor(last), endOfGroup(last), FIRST_MOST)
      for (const row of more) rows.push(row)
      if (more.length > 0) last = /** @type {Buffer} */ (more[more.length - 1][0])
      if (more.length < FIRST_MOST) break
    }
    return last
  }

  /** @param {Row[]} rows */
  #entriesOf (rows) {
    const entries = new Array(rows.length)
    let group = 0
    for (let i = 0; i < rows.length; i++) {
      const [stored, tail, value = null] = /** @type {[Buffer, Buffer | null, Buffer?]} */ (rows[i])
      entries[i] = { key: wholeKey(stored, tail), value }
      this.#bytes += stored.length + (value?.length ?? 0) + 16
      if (tail !== null) group++
    }
    this.#entries += rows.length
    return group === 0 ? entries : this.#sorted(entries)
  }

  /** @param {Entry[]} entries */
  #sorted (entries) {
    const sign = this.#isReverse ? -1 : 1
    const upper = this.#upper
    return entries.sort((a, b) => sign * Buffer.compare(a.key, b.key))
      .filter(({ key }) => Buffer.compare(key, this.#lower) >= 0 && (upper === null || Buffer.compare(key, upper) < 0))
  }
}

/** The least key of a range. @param {Range} range */
function lowerOf ({ gt, gte }) {
  return gte ?? (gt === undefined ? Buffer.alloc(0) : successor(gt))
}

/** A key above those of a range; null where there is none. @param {Range} range */
function upperOf ({ lt, lte }) {
  return lte === undefined ? lt ?? null : successor(lte)
}

module.exports = { Pages, lowerOf, upperOf }
