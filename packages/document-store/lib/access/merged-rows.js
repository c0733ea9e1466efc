'use strict'

const { after } = require('../media/layout')
const { nextPage } = require('../reading/cursor')

/**
 * @import { Core } from '../store/core'
 * @import { Snapshot } from '../media/keyspace'
 *
 * @typedef {object} Source rows of one principal
 * @property {string} principal
 * @property {string} prefix of their keys
 * @property {{ gt?: string, gte?: string, lt?: string, lte?: string }} range of them, after the prefix
 *
 * @typedef {{ key: string, at: Array<{ principal: string, value: string }> }} MergedRow key: without the prefix
 *
 * @typedef {object} Head
 * @property {string} principal
 * @property {number} cut
 * @property {ReturnType<Core['keyspace']['entries']>} iterator
 * @property {MergedRow[]} page
 * @property {number} next
 * @property {boolean} ended
 */

/** As `lt`: to the end of a principal's rows. No id is this: it is no UTF-8. */
const END = '\ud800'

const FIRST = 16
const PAGE = 256

/** The rows of several principals in the order of what follows their prefixes, each place once. */
class MergedRows {
  #core
  #compare
  /** @type {Head[]} */
  #heads

  /**
   * @param {Core} core
   * @param {Source[]} sources
   * @param {{ snapshot: Snapshot, reverse?: boolean, compare: (a: string, b: string) => number }} options compare: the level's order
   */
  constructor (core, sources, { snapshot, reverse = false, compare }) {
    this.#core = core
    this.#compare = reverse ? (/** @type {string} */ a, /** @type {string} */ b) => compare(b, a) : compare
    this.#heads = sources.map(({ principal, prefix, range }) => ({
      principal,
      cut: prefix.length,
      iterator: core.keyspace.entries({ ...prefixed(prefix, range), reverse, snapshot }),
      page: [],
      next: 0,
      ended: false
    }))
  }

  /**
   * @param {number} size
   * @returns {Promise<MergedRow[]>} none at the end
   */
  async next (size) {
    /** @type {MergedRow[]} */
    const rows = []
    while (rows.length < size) {
      for (const head of this.#heads) if (head.next === head.page.length) await this.#fill(head, size - rows.length)
      this.#heads = this.#heads.filter(head => !head.ended)
      if (this.#heads.length === 0) break
      do rows.push(this.#take())
      while (rows.length < size && this.#heads.every(head => head.next < head.page.length))
    }
    return rows
  }

  /** @param {Head} head @param {number} size */
  async #fill (head, size) {
    const { principal, cut } = head
    const page = await nextPage(this.#core, head.iterator, Math.min(PAGE, Math.max(FIRST, size)))
    head.page = page.map(([key, value]) => ({ key: key.slice(cut), at: [{ principal, value }] }))
    head.next = 0
    if (page.length > 0) return
    head.ended = true
    await head.iterator.close()
  }

  /** @returns {MergedRow} the first row, of all who have it */
  #take () {
    const [first, ...others] = this.#heads
    let row = first.page[first.next]
    for (const { page, next } of others) if (this.#compare(page[next].key, row.key) < 0) row = page[next]
    for (const head of this.#heads) {
      const own = head.page[head.next]
      if (own.key !== row.key) continue
      if (own !== row) row.at.push(...own.at)
      head.next++
    }
    return row
  }

  async close () {
    await Promise.all(this.#heads.map(({ iterator }) => iterator.close()))
  }
}

/** @param {string} prefix @param {Source['range']} range */
function prefixed (prefix, range) {
  return Object.fromEntries(Object.entries(range).map(([name, bound]) => [name, bound === END ? after(prefix) : prefix + bound]))
}

module.exports = { END, MergedRows }
