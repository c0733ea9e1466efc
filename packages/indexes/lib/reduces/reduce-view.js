'use strict'

const { GroupWalk } = require('./group-walk')

/** @typedef {import('./group-walk').Piece} Piece */

/**
 * A group, reduced: its key as JSON, and what the encoded keys of its rows begin with, where that tells it from others.
 * @typedef {{ key: string, start?: string, value?: any, error?: string, reason?: string }} Reduced
 */

/** Groups that are answered, and rows that are reduced, at once. */
const GROUPS = 256
const ROWS = 1024

/**
 * Reduces the groups of ranges, each in its direction, page by page: long groups by the view's sums,
 * where it has some, others row by row. Groups that are skipped are not reduced. A group ends with its range.
 *
 * @param {import('../index/index-snapshot').IndexSnapshot} snapshot
 * @param {number} view
 * @param {import('../views/view-options').Ranges} ranges
 * @param {{ level: number, skip?: number, limit?: number, groupKeys?: any[], isLong?: boolean }} options level: how much of an
 *   array key makes a group, 0 for one group of all rows; groupKeys: what the groups of each range go by, where that is
 *   one; isLong: the first group is likely to be long
 * @param {import('./reducer').Reducer} reducer
 * @returns {AsyncGenerator<Reduced[]>}
 */
async function * reduceView (snapshot, view, ranges, options, reducer) {
  if (options.limit !== undefined && options.limit <= 0) return
  const sums = snapshot.sums(view, reducer)
  try {
    const only = ranges.length === 1 ? ranges.at(0) : undefined
    if (sums !== undefined && options.level === 0 && only !== undefined && only.accepts === undefined) {
      if (!((options.skip ?? 0) > 0)) yield * reduceAll(only, sums, reducer)
    } else yield * reduceGroups(snapshot, view, ranges, options, reducer, sums)
  } finally {
    await sums?.close()
  }
}

/**
 * @param {import('../index/index-snapshot').IndexSnapshot} snapshot
 * @param {number} view
 * @param {import('../views/view-options').Ranges} ranges
 * @param {{ level: number, skip?: number, limit?: number, groupKeys?: any[], isLong?: boolean }} options
 * @param {import('./reducer').Reducer} reducer
 * @param {import('../index/index-snapshot').Sums} [sums]
 * @returns {AsyncGenerator<Reduced[]>}
 */
async function * reduceGroups (snapshot, view, ranges, { level, skip = 0, limit = Infinity, groupKeys, isLong }, reducer, sums) {
  const page = new GroupPage(reducer, sums, ranges.at(0)?.descending)
  for await (const pieces of readPieces(snapshot, view, ranges, groupKeys, { level, reads: reducer.reads, jumps: sums !== undefined, isLong })) {
    for (const piece of pieces) {
      if (!piece.ends && sums === undefined) snapshot.wantSums(view)
      if (skip > 0) {
        if (piece.ends) skip--
        continue
      }
      if (page.isComplete(piece)) page.push(piece)
      else await page.add(piece)
      if (piece.ends && --limit === 0) return yield await page.take()
    }
    if (page.isFull) yield await page.take()
  }
  if (page.length > 0) yield await page.take()
}

/**
 * One group of all rows, if there are some.
 *
 * @param {import('../rows/key-range').KeyRange} range
 * @param {import('../index/index-snapshot').Sums} sums
 * @param {import('./reducer').Reducer} reducer
 */
async function * reduceAll ({ low, high }, sums, reducer) {
  const { count, value } = await sums.of(low, high)
  if (count > 0) yield [{ key: 'null', ...reducer.finish(value) }]
}

/**
 * @param {import('../index/index-snapshot').IndexSnapshot} snapshot
 * @param {number} view
 * @param {import('../views/view-options').Ranges} ranges
 * @param {any[] | undefined} groupKeys
 * @param {Pick<import('./group-walk').Walk, 'level' | 'reads' | 'jumps' | 'isLong'>} walk
 * @returns {AsyncGenerator<Piece[]>}
 */
async function * readPieces (snapshot, view, ranges, groupKeys, walk) {
  let i = 0
  for (const range of ranges) {
    const groupKey = groupKeys?.[i++]
    const cursor = snapshot.cursor(view, range)
    const pages = new GroupWalk({ cursor, range, collation: snapshot.collations[view], ...walk }).pages()
    try {
      // Rows may have a key that only collates as the one that was asked for.
      if (groupKeys === undefined) yield * pages
      else for await (const pieces of pages) yield pieces.map(piece => ({ ...piece, key: JSON.stringify(groupKey) }))
    } finally {
      await cursor.close()
    }
  }
}

/** Groups that are reduced together. */
class GroupPage {
  #reducer
  #sums
  /** @type {Array<Pick<Piece, 'key' | 'items' | 'start'> & { value?: any }>} */
  #groups = []
  #rows = 0
  /** Reductions of parts of a group that is not whole yet, as they are read. */
  #parts = /** @type {any[]} */ ([])
  #backwards

  /**
   * @param {import('./reducer').Reducer} reducer
   * @param {import('../index/index-snapshot').Sums} [sums]
   * @param {boolean} [backwards] the last part of a group comes first
   */
  constructor (reducer, sums, backwards = false) {
    this.#reducer = reducer
    this.#sums = sums
    this.#backwards = backwards
  }

  get length () { return this.#groups.length }
  get isFull () { return this.#groups.length >= GROUPS || this.#rows >= ROWS }

  /** Whether a piece is a group, and nothing else is to be known. @param {Piece} piece */
  isComplete ({ range, ends }) { return ends && range === undefined && this.#parts.length === 0 }

  /** @param {Piece} piece */
  push ({ key, items, start }) {
    this.#groups.push({ key, items, start })
    this.#rows += items.length
  }

  /** Any other piece. @param {Piece} piece */
  async add ({ key, items, range, ends, start }) {
    if (range !== undefined) {
      const { value } = await /** @type {import('../index/index-snapshot').Sums} */ (this.#sums).of(range.low, range.high)
      this.#groups.push({ key, items: [], value, start })
    } else {
      if (items.length > 0) this.#parts.push(...await this.#reduce([items]))
      if (ends) this.#groups.push({ key, items: [], value: await this.#rereduce(this.#wholeParts()), start })
    }
  }

  #wholeParts () {
    const parts = this.#parts.splice(0)
    return this.#backwards ? parts.reverse() : parts
  }

  /** @param {any[][]} groups */
  async #reduce (groups) {
    if (groups.length === 0) return []
    const { reads, reduce } = this.#reducer
    return reads === 'nothing' ? groups.map(({ length }) => length) : reduce(groups)
  }

  /** @param {any[]} parts */
  async #rereduce (parts) {
    if (this.#reducer.reads === 'nothing') return parts.reduce((sum, count) => sum + count, 0)
    if (parts.length === 1) return parts[0]
    const [value] = await this.#reducer.rereduce([parts])
    return value
  }

  /** Reduces what is not reduced yet, and begins the next page. */
  async take () {
    const groups = this.#groups
    const values = await this.#reduce(groups.filter(({ items }) => items.length > 0).map(({ items }) => items))
    this.#groups = []
    this.#rows = 0
    let next = 0
    return groups.map(({ key, items, value, start }) => ({ key, start, ...this.#reducer.finish(items.length > 0 ? values[next++] : value) }))
  }
}

module.exports = { reduceView }
