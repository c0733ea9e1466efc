'use strict'

/** Numbers that a seed determines (mulberry32). */
class Random {
  #state

  /** @param {number} seed */
  constructor (seed) { this.#state = seed >>> 0 }

  /** From 0 to 1, without 1. */
  next () {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** From 0 to below. */
  below (limit) { return Math.floor(this.next() * limit) }

  /** @template T @param {T[]} list @returns {T} */
  pick (list) { return list[this.below(list.length)] }

  /** Another one, for a part of its own. */
  fork () { return new Random(this.below(2 ** 32)) }

  /** @template T @param {T[]} list @returns {T[]} in another order */
  shuffle (list) {
    const left = [...list]
    return list.map(() => left.splice(this.below(left.length), 1)[0])
  }
}

module.exports = { Random }
