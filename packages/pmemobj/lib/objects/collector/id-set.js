'use strict'

const PAGE_BITS = 12
const PAGE = 2 ** PAGE_BITS

/**
 * A set of ids, as bitmaps of 4096 each. Only what exists is in it and only once, so it takes a bit an
 * object and not more, whatever a pool may claim to refer to.
 */
class IdSet {
  /** @type {Map<number, Uint32Array>} */
  #pages = new Map()
  #number = -1
  /** @type {Uint32Array | undefined} that of the number, if there is one */
  #page

  /** @param {number} id */
  add (id) {
    const number = Math.floor(id / PAGE)
    let page = this.#turnTo(number)
    if (page === undefined) {
      page = this.#page = new Uint32Array(PAGE / 32)
      this.#pages.set(number, page)
    }
    const at = id % PAGE
    page[at >> 5] |= 1 << (at & 31)
  }

  /**
   * Takes an id out; false where it is not, or not any more, in the set.
   *
   * @param {number} id
   */
  remove (id) {
    const page = this.#turnTo(Math.floor(id / PAGE))
    if (page === undefined) return false
    const at = id % PAGE
    const bit = 1 << (at & 31)
    if ((page[at >> 5] & bit) === 0) return false
    page[at >> 5] &= ~bit
    return true
  }

  /** A set of the same ids, which later changes of this one leave as it is. */
  copy () {
    const copy = new IdSet()
    for (const [number, page] of this.#pages) copy.#pages.set(number, page.slice())
    return copy
  }

  /** Gives the memory of bitmaps back that have no id any more. */
  trim () {
    for (const [number, page] of this.#pages) {
      if (page.every(word => word === 0)) this.#pages.delete(number)
    }
    this.#number = -1
    this.#page = undefined
  }

  // Ids that are asked for one after the other lie near each other.
  /** @param {number} number */
  #turnTo (number) {
    if (number !== this.#number) {
      this.#page = this.#pages.get(number)
      this.#number = number
    }
    return this.#page
  }

  /** The rest, ascending. */
  * [Symbol.iterator] () {
    for (const number of [...this.#pages.keys()].sort((a, b) => a - b)) {
      const page = /** @type {Uint32Array} */ (this.#pages.get(number))
      for (let word = 0; word < page.length; word++) {
        for (let bits = page[word]; bits !== 0; bits &= bits - 1) {
          yield number * PAGE + word * 32 + 31 - Math.clz32(bits & -bits)
        }
      }
    }
  }
}

module.exports = { IdSet }
