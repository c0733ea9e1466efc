'use strict'

const { nextRound } = require('@potoroo/document-store')
const { after } = require('@potoroo/collation')
const { itemReader, readRow, readRowText } = require('../rows/row')
const { groupKeyOf, headOf } = require('./group-key')

/**
 * Rows that are read at once. A group that does not end within the first of them is long; behind a long
 * one another is likely.
 */
const FIRST_PAGE = 256
const NEXT_PAGE = 64
const MOST = 1024

/**
 * A group, or a part of one: what its reducer reads of the rows, in their order. A long one has the range
 * of all its rows instead, which are not read.
 *
 * @typedef {object} Piece
 * @property {string} key JSON
 * @property {any[]} items
 * @property {{ low?: string, high?: string }} [range]
 * @property {boolean} ends the next piece is another group's
 * @property {string} [start] what the encoded keys of the group begin with; undefined where they do not tell it from others
 */

/**
 * @typedef {object} Walk
 * @property {import('../index/row-cursor').RowCursor} cursor
 * @property {import('@potoroo/collation').Collation} collation
 * @property {import('../rows/key-range').KeyRange} range what the cursor reads
 * @property {number} level how much of an array key makes a group: 0 for one group of all rows
 * @property {import('./reducer').Reducer['reads']} reads
 * @property {boolean} jumps over long groups: their ranges can be reduced
 * @property {boolean} [isLong] the first group is likely to be a long one
 */

/** Reads the groups of a range, in its direction. */
class GroupWalk {
  #walk
  #start
  #read
  /** @type {(import('./group-key').GroupKey & { items: any[] }) | undefined} */
  #group
  /** @type {Piece[]} */
  #pieces = []

  /** @param {Walk} walk */
  constructor (walk) {
    this.#walk = walk
    this.#start = walk.cursor.keyStart
    this.#read = itemReader(walk.reads, walk.collation, this.#start)
  }

  /** @returns {AsyncGenerator<Piece[]>} what a page of rows comes to */
  async * pages () {
    const { cursor, range, isLong: begins } = this.#walk
    let size = begins ? NEXT_PAGE : FIRST_PAGE
    let long = size
    for (let page = await cursor.page(size); page.length > 0; page = await cursor.page(size)) {
      for (const record of page) {
        if (range.accepts === undefined || this.#accepts(record)) this.#take(record)
      }
      if (size === MOST) await nextRound()
      size = Math.min(size * 4, MOST)
      const isLong = this.#group !== undefined && !this.#group.cut && this.#group.items.length >= long
      const jump = isLong && this.#jumps ? this.#jump() : undefined
      if (isLong && jump === undefined) this.#part()
      yield this.#pieces.splice(0)
      if (jump === undefined) continue
      if (jump.isLast) return
      size = long = NEXT_PAGE
    }
    this.#end()
    yield this.#pieces
  }

  get #jumps () { return this.#walk.jumps && this.#walk.range.accepts === undefined }

  /** @param {[string, string]} record */
  #accepts ([key, text]) {
    return /** @type {Required<import('../rows/key-range').KeyRange>} */ (this.#walk.range).accepts(readRow(this.#walk.collation, key, text, this.#start).key)
  }

  /**
   * Rows of a group that their keys alone tell from others are kept as they are.
   *
   * @param {[string, string]} record
   */
  #take (record) {
    if (this.#group === undefined || !record[0].startsWith(this.#group.prefix, this.#start)) {
      this.#end()
      this.#group = { ...groupKeyOf(this.#walk.collation, this.#walk.level, this.#start, record), items: [] }
    }
    this.#group.items.push(this.#group.cut ? record : this.#read(record[0], record[1]))
  }

  #end () {
    const group = this.#group
    this.#group = undefined
    if (group === undefined) return
    if (group.cut) this.#sortOut(group.items)
    else this.#pieces.push({ key: group.key, items: this.#inOrder(group.items), ends: true, start: group.prefix })
  }

  /** Ends a piece of a group that is too long for one, and cannot be jumped over. */
  #part () {
    const { key, prefix, items } = /** @type {import('./group-key').GroupKey & { items: any[] }} */ (this.#group)
    this.#pieces.push({ key, items: this.#inOrder(items.splice(0)), ends: false, start: prefix })
  }

  /** @template T @param {T[]} items */
  #inOrder (items) { return this.#walk.range.descending ? items.reverse() : items }

  /** @returns {{ isLast: boolean }} isLast: the range ends with the group */
  #jump () {
    const { cursor, range: { low, high, descending } } = this.#walk
    const { key, prefix } = /** @type {import('./group-key').GroupKey} */ (this.#group)
    // A group's rows that are in the range all begin alike, unless there is only one group.
    const from = low?.startsWith(prefix) ? low : prefix
    const to = prefix === '' || high?.startsWith(prefix) ? high : after(prefix)
    this.#group = undefined
    const isLast = prefix === '' || (descending ? from === low : to === high)
    if (!isLast) cursor.seek(descending ? from : /** @type {string} */ (to))
    this.#pieces.push({ key, items: [], range: { low: from, high: to }, ends: true, start: prefix })
    return { isLast }
  }

  /**
   * Rows whose keys are cut come in the order of their documents.
   *
   * @param {Array<[string, string]>} records
   */
  #sortOut (records) {
    const { collation, level, range } = this.#walk
    const compare = range.descending ? (/** @type {any} */ a, /** @type {any} */ b) => collation.compare(b, a) : collation.compare
    const rows = this.#inOrder(records).map(([key, text]) => {
      const head = headOf(readRowText(collation, key, text, this.#start).key, level)
      return { head, value: JSON.parse(head), item: this.#read(key, text) }
    })
    rows.sort((a, b) => compare(a.value, b.value))
    for (let first = 0, end; first < rows.length; first = end) {
      for (end = first + 1; end < rows.length && compare(rows[first].value, rows[end].value) === 0;) end++
      this.#pieces.push({ key: rows[first].head, items: rows.slice(first, end).map(({ item }) => item), ends: true })
    }
  }
}

module.exports = { GroupWalk }
