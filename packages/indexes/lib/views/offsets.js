'use strict'

/** Offsets that are remembered, and how long the keys may be that they are of. */
const MOST = 1024
const LONGEST = 512

/** @typedef {import('../index/row-index').IndexState} IndexState */

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
   * @param {import('../rows/key-range').KeyRange} range
   * @returns {Promise<number>}
   */
  async of (snapshot, range) {
    const whole = snapshot.whole(range)
    const { low, high, descending } = whole
    const edge = descending ? high : low
    if (edge === undefined) return 0
    const name = (descending ? '<' : '>') + edge
    this.#follow(snapshot.state)
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const count = await snapshot.countBefore(this.#view, whole)
    // The index may have changed, and others have asked for a later moment.
    if (snapshot.state === this.#state && name.length < LONGEST) this.#known.set(name, count)
    return count
  }

  /** @param {IndexState} state */
  #follow (state) {
    if (state === this.#state && this.#known.size < MOST) return
    this.#state = state
    this.#known.clear()
  }
}

module.exports = { Offsets }
