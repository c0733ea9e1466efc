'use strict'

/** Texts of a set: one of very many grows at once, and nobody else runs meanwhile. */
const MOST = 16384

/** Remembers texts. */
class Seen {
  /** @type {Set<string>[]} */
  #sets = [new Set()]

  /** How many sets are looked into. */
  get cost () { return this.#sets.length }

  /** @param {string} text @returns {boolean} whether it is new */
  add (text) {
    if (this.#sets.some(set => set.has(text))) return false
    let last = this.#sets[this.#sets.length - 1]
    if (last.size >= MOST) this.#sets.push(last = new Set())
    last.add(text)
    return true
  }
}

module.exports = { Seen }
