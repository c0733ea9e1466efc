'use strict'

const { compareUtf8 } = require('@potoroo/document-store')

/** Records of one cursor that are read at once. */
const PAGE = 256

/**
 * @typedef {{ keyStart: number, page (size: number): Promise<Array<[string, string]>>, close (): Promise<void> }} Cursor
 * @typedef {{ cursor: Cursor, page: Array<[string, string]>, next: number, ended: boolean }} Head
 */

/**
 * Records of several ranges of one view in one order, each once: a document that two principals may see has its rows in
 * the ranges of both. Keys begin with the encoded key of the row.
 */
class MergedCursor {
  /** @type {Head[]} */
  #heads
  #sign

  /** @param {Cursor[]} cursors @param {boolean} descending */
  constructor (cursors, descending) {
    this.#heads = cursors.map(cursor => ({ cursor, page: [], next: 0, ended: false }))
    this.#sign = descending ? -1 : 1
  }

  get keyStart () { return 0 }

  /** @param {number} size @returns {Promise<Array<[string, string]>>} none at the end */
  async page (size) {
    /** @type {Array<[string, string]>} */
    const records = []
    while (records.length < size) {
      for (const head of this.#heads) if (!head.ended && head.next === head.page.length) await fill(head)
      const open = this.#heads.filter(({ ended }) => !ended)
      if (open.length === 0) break
      do records.push(this.#take(open))
      while (records.length < size && open.every(({ next, page }) => next < page.length))
    }
    return records
  }

  /** @param {Head[]} heads @returns {[string, string]} */
  #take (heads) {
    let first = keyOf(heads[0])
    for (let i = 1; i < heads.length; i++) {
      const key = keyOf(heads[i])
      if (this.#sign * compareUtf8(key, first) < 0) first = key
    }
    let text = ''
    for (const head of heads) if (keyOf(head) === first) text = head.page[head.next++][1]
    return [first, text]
  }

  async close () { for (const { cursor } of this.#heads) await cursor.close() }
}

/** @param {Head} head */
async function fill (head) {
  head.page = await head.cursor.page(PAGE)
  head.next = 0
  head.ended = head.page.length === 0
}

/** @param {Head} head */
function keyOf ({ cursor, page, next }) { return page[next][0].slice(cursor.keyStart) }

module.exports = { MergedCursor }
