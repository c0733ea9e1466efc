'use strict'

const { blocksOf } = require('./blocks-of')
const { Page } = require('./entries')
const { countBelow } = require('./key-text')

/**
 * @typedef {import('./page-database').Block} Block
 * @typedef {import('./entries').Entry} Entry
 */

/** Bytes of blocks that are kept in memory. */
const CACHE = 16 * 1024 * 1024

/** Blocks that are read together where a reader goes on. */
const AHEAD = 16

/** Blocks of one transaction that replaces them. */
const PART = 32

/** The blocks of a database, and those of them that are in memory. A list of blocks that somebody has is never changed. */
class Blocks {
  #database
  /** @type {Map<number, Page>} */
  #pages = new Map()
  #size = 0
  /** @type {Map<number, Promise<Page>>} */
  #coming = new Map()
  #last
  /** Blocks that others have replaced, and that are there still. @type {Array<{ block: Block, generation: number }>} */
  #replaced
  /** Grows with each change of the list. */
  generation = 0

  /** @param {import('./page-database').PageDatabase} database @param {{ blocks: Block[], replaced: Block[] }} stored */
  constructor (database, { blocks, replaced }) {
    this.#database = database
    this.list = blocks
    this.#replaced = replaced.map(block => ({ block, generation: 0 }))
    this.#last = [...blocks, ...replaced].reduce((last, { number }) => Math.max(last, number), 0)
  }

  /** The page of a block, if it is in memory. @param {Block} block */
  pageOf (block) {
    const page = this.#pages.get(block.number)
    if (page === undefined) return undefined
    // The page that was used last is at the end.
    this.#pages.delete(block.number)
    this.#pages.set(block.number, page)
    return page
  }

  /** @param {Block[]} blocks @returns {Promise<Page[]>} */
  load (blocks) {
    const missing = blocks.filter(block => !this.#pages.has(block.number) && !this.#coming.has(block.number))
    if (missing.length > 0) {
      const reading = this.#database.readBlocks(missing)
      missing.forEach((block, i) => {
        const coming = reading.then(pages => {
          this.#keep(block.number, pages[i])
          return pages[i]
        }).finally(() => this.#coming.delete(block.number))
        this.#coming.set(block.number, coming)
      })
    }
    return Promise.all(blocks.map(block => /** @type {Page | Promise<Page>} */ (this.#coming.get(block.number) ?? this.pageOf(block))))
  }

  /**
   * Loads a block, and those after it in the direction of the reader where they are in its range.
   *
   * @param {Block[]} list
   * @param {number} index
   * @param {{ from: string, to: string | undefined, reverse: boolean, count: number }} reader count: of entries that it wants
   */
  async loadFrom (list, index, { from, to, reverse, count }) {
    const blocks = [list[index]]
    for (let i = 1; i < Math.min(AHEAD, count / 50); i++) {
      const block = list[reverse ? index - i : index + i]
      if (block === undefined || (reverse ? list[index - i + 1].key <= from : to !== undefined && block.key >= to)) break
      blocks.push(block)
    }
    return (await this.load(blocks))[0]
  }

  /** @param {number} number @param {Page} page */
  #keep (number, page) {
    this.#forget(number)
    this.#pages.set(number, page)
    this.#size += page.size
    for (const oldest of this.#pages.keys()) {
      if (this.#size <= CACHE || oldest === number) break
      this.#forget(oldest)
    }
  }

  /** @param {number} number */
  #forget (number) {
    const page = this.#pages.get(number)
    if (page !== undefined) this.#size -= page.size
    this.#pages.delete(number)
  }

  /**
   * Puts what a table says into blocks, a part at a time: the log says it all until the last part is there.
   *
   * @param {import('./memtable').Memtable} table
   */
  async absorb (table) {
    const keys = table.keys
    let at = 0
    while (at < keys.length) {
      const runs = this.#nextRuns(keys, at)
      at = runs[runs.length - 1].end
      await this.load(runs.flatMap(({ first, last }) => this.list.slice(first, last + 1))).then(pages => {
        let taken = 0
        const changes = runs.map(({ first, last, start, end }) => {
          const old = pages.slice(taken, taken += Math.max(0, last - first + 1))
          return { first, last, entries: merged(old, keys.slice(start, end), table) }
        })
        return this.#replace(changes)
      })
    }
  }

  /**
   * Finds which blocks the next keys change: those side by side make one run.
   *
   * @param {string[]} keys
   * @param {number} at
   */
  #nextRuns (keys, at) {
    const { list } = this
    if (list.length === 0) return [{ first: 0, last: -1, start: at, end: keys.length }]
    const runs = []
    for (let index = indexOf(list, keys[at]), count = 0; at < keys.length && count < PART; count++) {
      const start = at
      at = Math.max(at, countBelow(keys, list[index + 1]?.key))
      const run = runs[runs.length - 1]
      if (run !== undefined && run.last === index - 1) {
        run.last = index
        run.end = at
      } else runs.push({ first: index, last: index, start, end: at })
      if (at < keys.length) index = indexOf(list, keys[at])
    }
    return runs
  }

  /** @param {Array<{ first: number, last: number, entries: Entry[] }>} changes in the order of the list */
  async #replace (changes) {
    /** @type {Block[]} */
    const list = []
    const added = []
    const removed = []
    let at = 0
    for (const { first, last, entries } of changes) {
      for (; at < first; at++) list.push(this.list[at])
      for (; at <= last; at++) removed.push(this.list[at])
      for (const { key, bytes } of blocksOf(entries)) {
        const block = { key, number: ++this.#last }
        added.push({ block, bytes })
        list.push(block)
      }
    }
    for (; at < this.list.length; at++) list.push(this.list[at])
    const generation = this.generation + 1
    const replaced = [...this.#replaced, ...removed.map(block => ({ block, generation }))]
    await this.#database.replaceBlocks(added, replaced.map(({ block }) => block))
    this.#replaced = replaced
    this.generation = generation
    this.list = list
    for (const { block, bytes } of added) this.#keep(block.number, new Page(bytes))
  }

  /**
   * Removes what was replaced and nobody reads.
   *
   * @param {number} oldest the least generation that somebody reads
   */
  async sweep (oldest) {
    const gone = this.#replaced.filter(({ generation }) => generation <= oldest)
    if (gone.length === 0) return
    const left = this.#replaced.filter(({ generation }) => generation > oldest)
    await this.#database.removeBlocks(gone.map(({ block }) => block), left.map(({ block }) => block))
    this.#replaced = left
    for (const { block } of gone) this.#forget(block.number)
  }
}

/**
 * Finds the block that may hold a key.
 *
 * @param {Block[]} list one or more
 * @param {string} text
 */
function indexOf (list, text) {
  let low = 1
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle].key <= text) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** @param {Page[]} pages in order @param {string[]} keys in order, of a table @param {import('./memtable').Memtable} table @returns {Entry[]} */
function merged (pages, keys, table) {
  /** @type {Entry[]} */
  const entries = []
  let at = 0
  const addUpTo = (/** @type {string | undefined} */ text) => {
    for (const end = countBelow(keys, text); at < end; at++) {
      const value = table.get(keys[at], Infinity)
      if (value instanceof Uint8Array) entries.push([keys[at], value])
    }
  }
  for (const page of pages) {
    page.keys.forEach((text, i) => {
      addUpTo(text)
      if (keys[at] !== text) entries.push([text, page.valueAt(i)])
    })
  }
  addUpTo(undefined)
  return entries
}

module.exports = { Blocks, indexOf }
