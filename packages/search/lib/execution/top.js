'use strict'

/** @typedef {import('./order').Hit} Hit */

/** The first hits of an order, as many as are wanted, of hits that come in any. */
class Top {
  #limit
  #compare
  #after
  /** @type {Hit[]} */
  hits = []

  /**
   * @param {number} limit
   * @param {(a: any[], b: any[]) => number} compare keys
   * @param {any[]} [after] keys: hits up to these are left out
   */
  constructor (limit, compare, after) {
    this.#limit = limit
    this.#compare = compare
    this.#after = after
  }

  /** The keys that a hit has to come before, if there are enough already. */
  get worst () { return this.hits.length < this.#limit ? undefined : this.hits.at(-1)?.keys }

  /** @param {any[]} keys whether a hit with these would be taken */
  takes (keys) {
    if (this.#limit === 0 || (this.#after !== undefined && this.#compare(keys, this.#after) <= 0)) return false
    const { worst } = this
    return worst === undefined || this.#compare(keys, worst) < 0
  }

  /** @param {Hit} hit */
  offer (hit) {
    if (!this.takes(hit.keys)) return
    let low = 0
    let high = this.hits.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(this.hits[middle].keys, hit.keys) < 0) low = middle + 1
      else high = middle
    }
    this.hits.splice(low, 0, hit)
    if (this.hits.length > this.#limit) this.hits.pop()
  }
}

module.exports = { Top }
