'use strict'

/** Numbers that look random and are the same for the same seed (Mulberry32). */
class Random {
  #state

  /** @param {number} seed */
  constructor (seed) {
    this.#state = seed | 0
  }

  /**
   * @param {number} least
   * @param {number} most
   * @returns {number} a whole number from `least` to `most`
   */
  between (least, most) {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return least + ((mixed ^ (mixed >>> 14)) >>> 0) % (most - least + 1)
  }
}

module.exports = { Random }
