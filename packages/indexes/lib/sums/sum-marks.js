'use strict'

const { after } = require('@potoroo/collation')
const { compareUtf8, nextRound } = require('@potoroo/document-store')
const { rangeOf } = require('../rows/row-layout')
const { LEVELS, levelOf } = require('./sum-node')

/** Rows that are looked at, and records that are written, at once. */
const PAGE = 1024

/**
 * A view's sums in the level: the rows' keys begin with `rows`, those of nodes with `nodes`.
 * @typedef {{ rows: string, nodes: string, salt: number }} SumPlace
 *
 * A row that is put or deleted; its key without the view.
 * @typedef {{ row: string, added: boolean, removed: boolean }} RowChange
 *
 * @typedef {{ row: string, isGone: boolean }} Position a place among the nodes
 * @typedef {import('../rows/row-layout').IndexSpace} IndexSpace
 */

/**
 * Returns what has to be written together with changes of rows: nodes of new segments, the end of others, and
 * that what is above the changed rows is not known any more.
 *
 * @param {any} space the document store's
 * @param {SumPlace} place
 * @param {RowChange[]} changes in any order; each row once
 * @returns {Promise<any[]>} operations
 */
async function markSums (space, { nodes, salt }, changes) {
  const operations = new Map()
  const put = (/** @type {number} */ level, /** @type {string} */ row) => operations.set(nodes + level + row, { type: 'put', key: nodes + level + row, value: '' })
  const sorted = [...changes].sort((a, b) => compareUtf8(b.row, a.row))
  let positions = sorted.map(({ row, removed }) => ({ row, isGone: removed }))
  for (let level = 1; level <= LEVELS && positions.length > 0; level++) {
    const known = await knownAbove(space, nodes + level, positions)
    for (const row of known) put(level, row)
    positions = known.map(row => ({ row, isGone: false }))
  }
  for (const { row, added, removed } of changes) {
    if (!added && !removed) continue
    for (let level = levelOf(row, salt); level > 0; level--) {
      if (added) put(level, row)
      else operations.set(nodes + level + row, { type: 'del', key: nodes + level + row })
    }
  }
  return [...operations.values()]
}

/**
 * The known nodes of a level that positions are in. A position whose row is gone is in the node before.
 *
 * @param {any} space
 * @param {string} prefix of the level's nodes
 * @param {Position[]} positions descending
 * @returns {Promise<string[]>} descending
 */
async function knownAbove (space, prefix, positions) {
  const iterator = space.keyspace.entries({ ...rangeOf(prefix), reverse: true })
  const nodes = new NodeReader(space, iterator, prefix)
  const known = []
  let last
  try {
    for (const position of positions) {
      const [key, text] = await nodes.above(position)
      if (key !== last && text !== '') known.push(key.slice(prefix.length))
      last = key
    }
  } finally {
    await iterator.close()
  }
  return known
}

/** Reads nodes backwards: one after the other where positions are close by each other, and otherwise those alone. */
class NodeReader {
  #space
  #iterator
  #prefix
  /** @type {Array<[string, string]>} */
  #page = []
  #at = 0
  #size = 4
  #found = 0

  /** @param {IndexSpace} space @param {any} iterator @param {string} prefix */
  constructor (space, iterator, prefix) {
    this.#space = space
    this.#iterator = iterator
    this.#prefix = prefix
  }

  /** @param {Position} position @returns {Promise<[string, string]>} the record of the node that a position is in, which is before that of the last call or the same */
  async above (position) {
    this.#skip(position)
    if (this.#at === this.#page.length) await this.#seek(position)
    this.#found++
    return this.#page[this.#at]
  }

  /** @param {Position} position */
  async #seek (position) {
    if (this.#page.length > 0) this.#size = this.#found > 2 ? Math.min(this.#size * 2, PAGE) : Math.max(this.#size / 2, 1)
    this.#iterator.seek(this.#prefix + position.row)
    this.#found = 0
    // The first of them may be that of the row which is gone, and levels bring less at a time where sums are long.
    do {
      this.#page = await this.#space.nextPage(this.#iterator, this.#size + 1)
      this.#at = 0
      this.#skip(position)
    } while (this.#at === this.#page.length && this.#page.length > 0)
  }

  /**
   * Leaves out nodes that begin behind a position.
   * @param {Position} position
   */
  #skip ({ row, isGone }) {
    for (; this.#at < this.#page.length; this.#at++) {
      const order = compareUtf8(this.#page[this.#at][0].slice(this.#prefix.length), row)
      if (order < 0 || (order === 0 && !isGone)) return
    }
  }
}

/**
 * Writes the nodes of a view that has none, all of them not known, except for what is to be written last.
 *
 * @param {any} space
 * @param {SumPlace} place
 * @returns {Promise<any[]>} the last operations
 */
async function makeSums (space, { rows, nodes, salt }) {
  // A crash may have left some.
  await space.keyspace.clear(rangeOf(nodes))
  const operations = /** @type {any[]} */ ([])
  const put = (/** @type {number} */ level, /** @type {string} */ row) => operations.push({ type: 'put', key: nodes + level + row, value: '' })
  for (let level = 1; level <= LEVELS; level++) put(level, '')
  const iterator = space.keyspace.keys({ gte: rows, lt: after(rows) })
  try {
    for (let page = await space.nextPage(iterator, PAGE); page.length > 0; page = await space.nextPage(iterator, PAGE)) {
      for (const key of page) {
        const row = key.slice(rows.length)
        for (let level = levelOf(row, salt); level > 0; level--) put(level, row)
      }
      if (operations.length >= PAGE) await space.keyspace.write(operations.splice(0))
      await nextRound()
    }
  } finally {
    await iterator.close()
  }
  return operations
}

module.exports = { markSums, makeSums }
