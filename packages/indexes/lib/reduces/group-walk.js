'use strict'

const { setImmediate: nextRound } = require('node:timers/promises')
const { after } = require('@potoroo/collation')
const { itemReader, readRow } = require('../rows/row')
const { groupKeyOf, headOf } = require('./group-key')

/**
 * Rows that are read at once. A group that does not end within the first of them is long; behind a long
 * one another is likely.
 */
const FIRST_PAGE = 256
const NEXT_PAGE = 64
const MOST = 1024

/**
 * A group, or a part of one: what its reducer reads of the rows, in their order. Of a long one there is
 * the range of all its rows instead, which are not read.
 *
 * @typedef {object} Piece
 * @property {any} key
 * @property {any[]} items
 * @property {{ low?: string, high?: string }} [range]
 * @property {boolean} ends the next piece is another group's
 */

/**
 * @typedef {object} Walk
 * @property {import('../rows/row-cursor').RowCursor} cursor
 * @property {import('@potoroo/collation').Collation} collation
 * @property {import('../rows/key-range').KeyRange} range what the cursor reads
 * @property {number} level how much of an array key makes a group: 0 for one group of all rows
 * @property {import('./reducer').Reducer['reads']} reads
 * @property {boolean} jumps over long groups: their ranges can be reduced
 */

/** Reads the groups of a range, in its direction. */
class GroupWalk {
  #walk
  #start
  #read
  /** @type {(import('./group-key').GroupKey & { items: any[] }) | undefined} */
  #group

  /** @param {Walk} walk */
  constructor (walk) {
    this.#walk = walk
    this.#start = walk.cursor.keyStart
    this.#read = itemReader(walk.reads, walk.collation, this.#start)
  }

  /** @returns {AsyncGenerator<Piece>} */
  async * pieces () {
    const { cursor, range, jumps } = this.#walk
    let size = FIRST_PAGE
    let long = FIRST_PAGE
    for (let page = await cursor.page(size); page.length > 0; page = await cursor.page(size)) {
      for (const record of page) {
        if (range.accepts === undefined || this.#accepts(record)) yield * this.#take(record)
      }
      if (size === MOST) await nextRound()
      size = Math.min(size * 4, MOST)
      const { items, cut } = this.#group ?? { items: [], cut: false }
      if (items.length < long || cut) continue
      if (!jumps || range.accepts !== undefined) {
        yield this.#part()
        continue
      }
      const jump = this.#jump()
      yield jump.piece
      if (jump.isLast) return
      size = long = NEXT_PAGE
    }
    yield * this.#end()
  }

  #accepts ([key, text]) {
    return /** @type {any} */ (this.#walk.range).accepts(readRow(this.#walk.collation, key, text, this.#start).key)
  }

  /** Rows of a group that its key alone tells from others are kept as they are. */
  * #take (record) {
    const [key, text] = record
    if (this.#group === undefined || !key.startsWith(this.#group.prefix, this.#start)) {
      yield * this.#end()
      this.#group = { ...groupKeyOf(this.#walk.collation, this.#walk.level, this.#start, record), items: [] }
    }
    this.#group.items.push(this.#group.cut ? record : this.#read(key, text))
  }

  * #end () {
    const group = this.#group
    this.#group = undefined
    if (group === undefined) return
    if (group.cut) yield * this.#sortOut(group.items)
    else yield { key: group.key, items: this.#inOrder(group.items), ends: true }
  }

  /** Of a group that is too long for one piece, and cannot be jumped over. @returns {Piece} */
  #part () {
    const { key, items } = /** @type {{ key: any, items: any[] }} */ (this.#group)
    return { key, items: this.#inOrder(items.splice(0)), ends: false }
  }

  #inOrder (items) { return this.#walk.range.descending ? items.reverse() : items }

  /** @returns {{ piece: Piece, isLast: boolean }} isLast: the range ends with the group */
  #jump () {
    const { cursor, range: { low, high, descending } } = this.#walk
    const { key, prefix } = /** @type {{ key: any, prefix: string }} */ (this.#group)
    // A group's rows that are in the range all begin alike, unless there is only one group.
    const from = low?.startsWith(prefix) ? low : prefix
    const to = prefix === '' || high?.startsWith(prefix) ? high : after(prefix)
    this.#group = undefined
    const isLast = prefix === '' || (descending ? from === low : to === high)
    if (!isLast) cursor.seek(descending ? from : /** @type {string} */ (to))
    return { piece: { key, items: [], range: { low: from, high: to }, ends: true }, isLast }
  }

  /** Rows whose keys are cut come in the order of their documents. @returns {Generator<Piece>} */
  * #sortOut (records) {
    const { collation, level, range } = this.#walk
    const compare = range.descending ? (a, b) => collation.compare(b, a) : collation.compare
    const rows = this.#inOrder(records).map(([key, text]) => ({ head: headOf(readRow(collation, key, text, this.#start).key, level), item: this.#read(key, text) }))
    rows.sort((a, b) => compare(a.head, b.head))
    for (let first = 0, end; first < rows.length; first = end) {
      for (end = first + 1; end < rows.length && compare(rows[first].head, rows[end].head) === 0;) end++
      yield { key: rows[first].head, items: rows.slice(first, end).map(({ item }) => item), ends: true }
    }
  }
}

module.exports = { GroupWalk }
