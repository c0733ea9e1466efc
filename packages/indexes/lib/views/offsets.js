'use strict'

/** Offsets that are remembered, and how long the keys may be that they are of. */
const MOST = 1024
const LONGEST = 512

/** @typedef {import('../index/level-index').IndexState} IndexState */
/** @typedef {import('../rows/key-range').KeyRange} KeyRange */

/** How many rows of one view lie before a range: counted once as long as its index stays as it is. */
class Offsets {
  #view
  /** The state that `#known` is true of. @type {IndexState | undefined} */
  #state
  /** @type {Map<string, number>} */
  #known = new Map()

  /** @param {number} view its number in the index */
  constructor (view) {
    this.#view = view
  }

  /**
   * @param {import('../index/index-snapshot').IndexSnapshot} snapshot
   * @param {KeyRange} range
   * @returns {Promise<number>}
   */
  async of (snapshot, range) {
    const whole = snapshot.whole(range)
    const known = this.#find(snapshot.state, whole)
    if (known !== undefined) return known
    const count = await snapshot.countBefore(this.#view, whole)
    this.#keep(snapshot.state, whole, count)
    return count
  }

  /**
   * The same now, of a range that is read forwards; undefined where the level does not tell at once.
   *
   * @param {import('../index/row-index').RowIndex} rows
   * @param {KeyRange} range
   * @returns {number | undefined}
   */
  now (rows, range) {
    const known = this.#find(rows.state, range)
    if (known !== undefined) return known
    const count = rows.tellCount(this.#view, { high: range.low })
    if (count !== undefined) this.#keep(rows.state, range, count)
    return count
  }

  /** @param {IndexState} state @param {KeyRange} range of all rows */
  #find (state, range) {
    if (edgeOf(range) === undefined) return 0
    this.#follow(state)
    return this.#known.get(nameOf(range))
  }

  /**
   * The index may have changed, and others have asked for a later moment.
   * @param {IndexState} state
   * @param {KeyRange} range
   * @param {number} count
   */
  #keep (state, range, count) {
    const name = nameOf(range)
    if (state === this.#state && name.length < LONGEST) this.#known.set(name, count)
  }

  /** @param {IndexState} state */
  #follow (state) {
    if (state === this.#state && this.#known.size < MOST) return
    this.#state = state
    this.#known.clear()
  }
}

/** @param {KeyRange} range */
function edgeOf ({ low, high, descending }) { return descending ? high : low }

/** @param {KeyRange} range */
function nameOf (range) { return (range.descending ? '<' : '>') + edgeOf(range) }

module.exports = { Offsets }
