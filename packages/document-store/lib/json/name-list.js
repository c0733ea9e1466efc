'use strict'

/** Names of open objects, and of one, that are compared with each other: of more, a parser is faster. */
const MOST = 512
const MOST_OF_ONE = 64

/** Names that are compared byte by byte: somebody may send those that have all else in common. */
const MOST_COMPARED = 1000

/** The names of the objects that a reader is in, by where they stand in its bytes. */
class NameList {
  #bytes
  #starts = new Int32Array(MOST)
  /** Marks of names, which equal ones have in common: made of the length and some of the bytes. */
  #marks = new Int32Array(MOST)
  #length = 0
  #compared = 0

  /** @param {Uint8Array} bytes */
  constructor (bytes) {
    this.#bytes = bytes
  }

  get length () { return this.#length }

  /** Forgets those of an object that ends. @param {number} first of its names */
  cut (first) { this.#length = first }

  /**
   * @param {number} first of the names of the same object
   * @param {number} start
   * @param {number} end
   * @returns {boolean} whether it was added: the object has no other one like it, and there is room
   */
  add (first, start, end) {
    const bytes = this.#bytes
    const length = end - start
    const count = this.#length
    if (count === MOST || count - first === MOST_OF_ONE) return false
    const mark = length << 16 ^ bytes[start] ^ bytes[end - 1] << 8 ^ bytes[start + (length >> 1)] << 4
    for (let i = first; i < count; i++) {
      if (this.#marks[i] === mark && (++this.#compared > MOST_COMPARED || this.#areEqual(this.#starts[i], start, length))) return false
    }
    this.#marks[count] = mark
    this.#starts[count] = start
    this.#length = count + 1
    return true
  }

  /** @param {number} one @param {number} other @param {number} length of one of them, behind which there is a quote */
  #areEqual (one, other, length) {
    const bytes = this.#bytes
    for (let i = 0; i <= length; i++) if (bytes[one + i] !== bytes[other + i]) return false
    return true
  }
}

module.exports = { NameList }
