'use strict'

const crypto = require('node:crypto')
const { compareUtf8 } = require('@potoroo/document-store')
const { encodeCount } = require('../rows/row-layout')
const { makeSums, markSums } = require('./sum-marks')

/** Changes that are remembered for a query: one that lasts through more of them keeps nothing it works out. */
const REMEMBERED = 10_000

/**
 * Rows that have changed since a moment, so that what was worked out of it is not taken for the present:
 * they begin with their view. null: more than can be told.
 * @typedef {{ changed: string[] | null }} Watch
 */

/** The partial sums of an index's views: see sum-node.js. A view has them once one was wanted. */
class IndexSums {
  #space
  #layout
  /** @type {Set<Watch>} */
  #watches = new Set()

  /**
   * @param {import('../rows/row-layout').IndexSpace} space the document store's
   * @param {import('../rows/row-layout').RowLayout} layout
   */
  constructor (space, layout) {
    this.#space = space
    this.#layout = layout
  }

  /**
   * @param {import('../index/level-index').IndexState} state
   * @param {number} view
   * @returns {import('./sum-marks').SumPlace | undefined} undefined: it has none
   */
  place (state, view) { return sumPlace(this.#layout, state, view) }

  /**
   * @param {import('../index/level-index').IndexState} state
   * @param {import('./sum-marks').RowChange[]} changes their rows begin with the view
   * @returns {Promise<any[]>} operations that belong to those of the rows
   */
  async mark (state, changes) {
    const operations = []
    for (const view of Object.keys(state.sums ?? {}).map(Number)) {
      const head = encodeCount(view)
      const own = changes.filter(({ row }) => row.startsWith(head)).map(change => ({ ...change, row: change.row.slice(head.length) }))
      const place = /** @type {import('./sum-marks').SumPlace} */ (this.place(state, view))
      for (const operation of await markSums(this.#space, place, own)) operations.push(operation)
    }
    return operations
  }

  /**
   * @param {import('../index/level-index').IndexState} state
   * @param {number} view
   * @returns {Promise<{ operations: any[], sums: Record<string, number> }>} what makes a view's sums stand
   */
  async make ({ index, sums: others }, view) {
    const sums = { ...others, [view]: crypto.randomInt(2 ** 32) }
    const place = /** @type {import('./sum-marks').SumPlace} */ (sumPlace(this.#layout, { index, sums }, view))
    return { operations: await makeSums(this.#space, place), sums }
  }

  /** From before a moment is taken to when it is closed. @returns {Watch} */
  watch () {
    const watch = { changed: [] }
    this.#watches.add(watch)
    return watch
  }

  /** @param {Watch} watch */
  unwatch (watch) {
    this.#watches.delete(watch)
    watch.changed = null
  }

  /**
   * Notes changes that were written.
   * @param {import('./sum-marks').RowChange[]} changes
   */
  changed (changes) {
    for (const watch of this.#watches) {
      if (watch.changed === null) continue
      if (watch.changed.length + changes.length > REMEMBERED) watch.changed = null
      else for (const { row } of changes) watch.changed.push(row)
    }
  }

  /** Nothing is as it was. */
  reset () {
    for (const watch of this.#watches) watch.changed = null
  }

  /**
   * Writes sums that were worked out of a moment, except for those that rows have changed in since. If there
   * is no room, they are worked out again another time.
   *
   * @param {import('./sum-marks').SumPlace} place
   * @param {number} view
   * @param {Watch} watch
   * @param {Array<{ level: number, from: string, to?: string, text: string }>} nodes
   */
  async keep ({ nodes: prefix }, view, { changed }, nodes) {
    if (changed === null) return
    const head = encodeCount(view)
    const rows = changed.filter(row => row.startsWith(head)).map(row => row.slice(head.length)).sort(compareUtf8)
    const operations = nodes.filter(node => !holdsAny(rows, node))
      .map(({ level, from, text }) => ({ type: 'put', key: prefix + level + from, value: text }))
    if (operations.length === 0) return
    try {
      await this.#space.keyspace.write(operations)
    } catch (error) {
      if (error.code !== 'NO_SPACE') throw error
    }
  }
}

/**
 * Returns where the sums of a view stand; undefined: it has none.
 *
 * @param {import('../rows/row-layout').RowLayout} layout
 * @param {Pick<import('../index/level-index').IndexState, 'index' | 'sums'>} state
 * @param {number} view
 * @returns {import('./sum-marks').SumPlace | undefined}
 */
function sumPlace (layout, { index, sums }, view) {
  const salt = sums?.[view]
  return salt === undefined ? undefined : { rows: layout.rowsOf(index) + encodeCount(view), nodes: layout.sumsOf(index) + encodeCount(view), salt }
}

/**
 * Whether one of some sorted rows is in a segment, or begins the next one, which it may do no more.
 *
 * @param {string[]} rows
 * @param {{ from: string, to?: string }} segment
 */
function holdsAny (rows, { from, to }) {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareUtf8(rows[middle], from) < 0) low = middle + 1
    else high = middle
  }
  return low < rows.length && (to === undefined || compareUtf8(rows[low], to) <= 0)
}

module.exports = { IndexSums, sumPlace }
