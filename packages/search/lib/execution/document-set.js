'use strict'

const { Matches } = require('./matches')

/** Documents of a part, and words of 32 bits in it. */
const PART = 65536
const WORDS = PART / 32

/** Documents that come in any order, perhaps more than once: a bit for each, in parts that are there where one came. */
class DocumentSet {
  /** @type {Map<number, Uint32Array>} */
  #parts = new Map()

  /** @param {Matches} matches */
  addAll ({ docs, length }) {
    for (let i = 0; i < length; i++) this.add(docs[i])
  }

  /** @param {number} doc */
  add (doc) {
    const number = Math.floor(doc / PART)
    let part = this.#parts.get(number)
    if (part === undefined) this.#parts.set(number, part = new Uint32Array(WORDS))
    const bit = doc % PART
    part[bit >>> 5] |= 1 << (bit & 31)
  }

  /**
   * All of them with one score.
   *
   * @param {number} score
   * @param {import('./work').Work} work
   * @returns {Promise<Matches>}
   */
  async matches (score, work) {
    const matches = new Matches()
    for (const number of [...this.#parts.keys()].sort((a, b) => a - b)) {
      const part = /** @type {Uint32Array} */ (this.#parts.get(number))
      for (let word = 0; word < WORDS; word++) {
        for (let bits = part[word]; bits !== 0; bits &= bits - 1) matches.add(number * PART + word * 32 + 31 - Math.clz32(bits & -bits), score)
      }
      await work.spend(0)
    }
    return matches
  }
}

module.exports = { DocumentSet }
