'use strict'

const { indexOf } = require('./blocks')
const { countBelow } = require('./key-text')
const { readMerged } = require('./merged')

/**
 * @typedef {import('./blocks').Blocks} Blocks
 * @typedef {import('./memtable').Memtable} Memtable
 * @typedef {import('./entries').Page} Page
 */

/** The state after a commit: tables say it, the newest one first, and else blocks. */
class View {
  #blocks
  #list
  #tables
  #seq

  /** @param {Blocks} blocks @param {Memtable[]} tables the newest one first @param {number} seq the commit's */
  constructor (blocks, tables, seq) {
    this.#blocks = blocks
    this.#list = blocks.list
    this.generation = blocks.generation
    this.#tables = tables
    this.#seq = seq
  }

  /** @param {string[]} texts keys @returns {Array<Uint8Array | undefined> | Promise<Array<Uint8Array | undefined>>} a promise only where blocks have to be read */
  get (texts) {
    const list = this.#list
    /** @type {Set<import('./page-database').Block>} */
    const missing = new Set()
    const pages = new Map()
    const values = texts.map(text => {
      const said = this.#said(text)
      if (said !== undefined || list.length === 0) return said ?? undefined
      const block = list[indexOf(list, text)]
      const page = this.#blocks.pageOf(block)
      if (page === undefined) missing.add(block)
      return page && valueIn(page, text)
    })
    if (missing.size === 0) return values
    const wanted = [...missing]
    return this.#blocks.load(wanted).then(loaded => {
      wanted.forEach((block, i) => pages.set(block, loaded[i]))
      return texts.map((text, i) => {
        const page = this.#said(text) === undefined ? pages.get(list[indexOf(list, text)]) : undefined
        return page === undefined ? values[i] : valueIn(page, text)
      })
    })
  }

  /** @param {string} text @returns {Uint8Array | null | undefined} */
  #said (text) {
    for (const table of this.#tables) {
      const value = table.get(text, this.#seq)
      if (value !== undefined) return value
    }
    return undefined
  }

  /**
   * @param {import('./key-text').TextRange} range
   * @param {number} size how many at most
   * @param {boolean} reverse
   * @returns {Promise<Array<[string, Uint8Array]>>}
   */
  async read (range, size, reverse) {
    const list = this.#list
    let { from, to } = range
    /** @type {Array<[string, Uint8Array]>} */
    const found = []
    if (to !== undefined && from >= to) return found
    while (true) {
      const index = list.length === 0 ? -1 : reverse ? lastBelow(list, to) : indexOf(list, from)
      const page = index === -1 ? undefined : this.#blocks.pageOf(list[index]) ?? await this.#blocks.loadFrom(list, index, { from, to, reverse, count: size - found.length })
      const start = index <= 0 ? '' : list[index].key
      const end = list[index + 1]?.key
      const isLast = reverse ? start <= from : end === undefined || (to !== undefined && end >= to)
      readMerged(this.#sources(page), reverse ? { from: start > from ? start : from, to } : { from, to: isLast ? to : end }, size, reverse, found)
      if (isLast || found.length >= size) return found
      if (reverse) to = start
      else from = /** @type {string} */ (end)
    }
  }

  /** @param {Page | undefined} page */
  #sources (page) {
    const sources = this.#tables.map(table => {
      const keys = table.keys
      return { keys, valueAt: (/** @type {number} */ i) => table.get(keys[i], this.#seq) }
    })
    return page === undefined ? sources : [...sources, page]
  }
}

/** @param {Page} page @param {string} text @returns {Uint8Array | undefined} */
function valueIn (page, text) {
  const { keys } = page
  const index = countBelow(keys, text)
  return keys[index] === text ? /** @type {Uint8Array} */ (page.valueAt(index)) : undefined
}

/** Finds the last block that may hold a key below one. @param {import('./page-database').Block[]} list @param {string | undefined} to */
function lastBelow (list, to) {
  if (to === undefined) return list.length - 1
  const index = indexOf(list, to)
  return index > 0 && list[index].key >= to ? index - 1 : index
}

module.exports = { View }
