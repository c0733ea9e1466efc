'use strict'

const { BackwardRuns } = require('./backward-runs')
const { inPartition } = require('../rows/key-range')
const { RangeSums } = require('../sums/range-sums')
const { itemReader, readRowText } = require('../rows/row')
const { RowCursor } = require('./row-cursor')
const { countRows, readPages, tellCount } = require('./row-pages')

/** Rows that are rather counted, or reduced, one by one than by sums. */
const FEW = 256

/** Rows that are counted first where there are sums: most ranges begin close to an end. */
const CLOSE = 64

/** @type {import('../reduces/reducer').Reducer} */
const COUNT = { name: '', reads: 'nothing', reduce: () => [], rereduce: () => [], finish: value => ({ value }) }

/** @typedef {Pick<RangeSums, 'of' | 'close'>} Sums */

/**
 * @typedef {import('../rows/row-layout').IndexSpace} IndexSpace
 * @typedef {import('../rows/key-range').KeyRange} KeyRange
 * @typedef {import('../reduces/reducer').Reducer} Reducer
 *
 * @typedef {object} IndexSnapshotParts
 * @property {IndexSpace} space the document store's
 * @property {import('@potoroo/collation').Collation[]} collations by view
 * @property {import('./level-index').IndexState} state
 * @property {any} snapshot
 * @property {(view: number) => string} prefixOf what the keys of a view's rows begin with
 * @property {(view: number) => import('../sums/sum-marks').SumPlace | undefined} placeOf a view's sums
 * @property {(view: number) => void} want notes that a view's sums were missed
 * @property {(place: import('../sums/sum-marks').SumPlace, view: number, nodes: any[]) => Promise<void>} keep sums that were worked out
 * @property {() => Promise<void>} close
 */

/**
 * An index at one moment: what is read of it agrees with its counts and its sequence. It is closed once
 * nothing is read any more.
 */
class IndexSnapshot {
  #parts
  #partition

  /**
   * @param {IndexSnapshotParts} parts
   * @param {string} [partition] `name:` of the only one that is read
   */
  constructor (parts, partition = '') {
    this.#parts = parts
    this.#partition = partition
    this.state = parts.state
    this.collations = parts.collations
    this.close = parts.close
  }

  /** The same moment, of the rows of one partition. @param {string} partition `name:` */
  within (partition) { return new IndexSnapshot(this.#parts, partition) }

  /** A range that is read here, as one of all rows of a view. @param {import('../rows/key-range').KeyRange} range */
  whole (range) { return this.#partition === '' ? range : inPartition(range, this.#partition) }

  /** @param {number} view */
  #prefixOf (view) { return this.#parts.prefixOf(view) + this.#partition }

  /**
   * Rows of a view, page by page, with the keys and values as JSON; backwards as CouchDB reads.
   *
   * @param {number} view
   * @param {import('../rows/key-range').KeyRange} range
   * @param {number} [limit] how many are wanted: no more are read
   * @param {number} [skip] how many are left out before
   * @returns {AsyncGenerator<Array<{ id: string, key: string, value: string }>>}
   */
  texts (view, range, limit = Infinity, skip = 0) {
    const accepts = range.accepts && ((/** @type {{ key: string }} */ { key }) => /** @type {NonNullable<KeyRange['accepts']>} */ (range.accepts)(JSON.parse(key)))
    const { space, collations, snapshot } = this.#parts
    const rows = this.#prefixOf(view)
    const runs = range.descending ? new BackwardRuns() : undefined
    return readPages(space, rows, range, { limit, skip, accepts, runs, snapshot, readOne: (key, text) => readRowText(collations[view], key, text, rows.length) })
  }

  /**
   * Counts the rows of a view that a range has here, where the level tells that in logarithmic time; undefined elsewhere.
   * @param {number} view
   * @param {KeyRange} range
   */
  tellCount (view, range) {
    if (range.accepts !== undefined) return undefined
    return tellCount(this.#parts.space, this.#prefixOf(view), range, this.#parts.snapshot)
  }

  /** Whether a range has many rows, so that sums would tell what they come to. @param {number} view @param {KeyRange} range */
  async isLong (view, range) {
    const { space, snapshot } = this.#parts
    return await countRows(space, this.#prefixOf(view), range, { most: FEW, snapshot }) === FEW
  }

  /** Counts the rows of a view that are read here. @param {number} view @param {{ low?: string, high?: string }} [range] */
  async count (view, range = {}) {
    const { space, snapshot } = this.#parts
    const known = tellCount(space, this.#prefixOf(view), range, snapshot)
    if (known !== undefined) return known
    const sums = this.sums(view, COUNT)
    if (sums === undefined) {
      const count = await countRows(space, this.#prefixOf(view), { ...range, descending: false }, { snapshot })
      if (count >= FEW) this.wantSums(view)
      return count
    }
    try {
      return (await sums.of(range.low, range.high)).count
    } finally {
      await sums.close()
    }
  }

  /** @param {number} view @param {KeyRange} range @returns {RowCursor} over records of a view */
  cursor (view, range) {
    const { space, snapshot } = this.#parts
    return new RowCursor(space, this.#prefixOf(view), range, snapshot)
  }

  /**
   * How many rows are outside of a range on the side it is read from, those of other partitions too.
   *
   * @param {number} view
   * @param {import('../rows/key-range').KeyRange} range of all rows
   * @returns {Promise<number>}
   */
  async countBefore (view, { low, high, descending }) {
    if ((descending ? high : low) === undefined) return 0
    const { space, snapshot, prefixOf } = this.#parts
    const outside = descending ? { low: high, descending } : { high: low, descending }
    const known = tellCount(space, prefixOf(view), outside, snapshot)
    if (known !== undefined) return known
    const hasSums = this.#parts.placeOf(view) !== undefined
    const count = await countRows(space, prefixOf(view), outside, { most: hasSums ? CLOSE : Infinity, snapshot })
    if (hasSums) return count < CLOSE ? count : this.#countBySums(view, outside)
    if (count >= FEW) this.wantSums(view)
    return count
  }

  /** @param {number} view @param {{ low?: string, high?: string }} range */
  async #countBySums (view, { low, high }) {
    const sums = /** @type {RangeSums} */ (this.#allSums(view, COUNT))
    try {
      return (await sums.of(low, high)).count
    } finally {
      await sums.close()
    }
  }

  /**
   * Returns what reduces ranges of a view in logarithmic time. It has to be closed.
   *
   * @param {number} view
   * @param {import('../reduces/reducer').Reducer} reducer
   * @returns {Sums | undefined} undefined: the view has no sums yet
   */
  sums (view, reducer) {
    const counts = reducer.reads === 'nothing' ? this.#counts(view) : undefined
    if (counts !== undefined) return counts
    const sums = this.#allSums(view, reducer)
    if (sums === undefined || this.#partition === '') return sums
    return {
      of: (from, to) => {
        const { low, high } = inPartition({ low: from, high: to }, this.#partition)
        return sums.of(low, high)
      },
      close: () => sums.close()
    }
  }

  /** Returns what counts ranges of a view, where the level does. @param {number} view @returns {Sums | undefined} */
  #counts (view) {
    const { space, snapshot } = this.#parts
    const rows = this.#prefixOf(view)
    // One that can count a range can do so with any.
    if (tellCount(space, rows, {}, snapshot) === undefined) return undefined
    return {
      async of (low, high) {
        const count = /** @type {number} */ (await countRows(space, rows, { low, high, descending: false }, { snapshot }))
        return { count, value: count }
      },
      async close () {}
    }
  }

  /** @param {number} view @param {Reducer} reducer @returns {RangeSums | undefined} */
  #allSums (view, reducer) {
    const { space, collations, snapshot, placeOf, keep } = this.#parts
    const place = placeOf(view)
    if (place === undefined) return undefined
    const start = place.rows.length
    // A sum may be of several partitions, with names of different lengths.
    const readItem = this.#partition === ''
      ? itemReader(reducer.reads, collations[view], start)
      : (/** @type {string} */ key, /** @type {string} */ text) => itemReader(reducer.reads, collations[view], key.indexOf(':', start) + 1)(key, text)
    return new RangeSums(space, place, { snapshot, reducer, readItem, keep: nodes => keep(place, view, nodes) })
  }

  /**
   * Notes that sums would have told what many rows were read for.
   * @param {number} view
   */
  wantSums (view) { this.#parts.want(view) }
}

module.exports = { IndexSnapshot, FEW }
