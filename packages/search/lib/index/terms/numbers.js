'use strict'

/** Terms whose numbers are remembered. */
const MOST = 200_000

/** How many terms take as much memory as a field. */
const FIELD = 8

/** Numbers by places of names that are remembered. */
const MOST_PLACES = 4 * 1024 * 1024

/** The numbers of terms that batches of documents had, so that those after them need not read them. */
class TermNumbers {
  /** field → term → number @type {Map<string, Map<string, number>>} */
  #fields = new Map()
  #count = 0
  /** Names that threads have sent → field → their numbers + 1; 0: not known @type {WeakMap<string[], Map<string, Int32Array>>} */
  #byNames = new WeakMap()
  #places = 0

  /** @param {string} field @param {string} term @returns {number | undefined} */
  get (field, term) { return this.#fields.get(field)?.get(term) }

  /** @param {string} field @param {string} term @param {number} number */
  set (field, term, number) {
    if (this.#count++ >= MOST) {
      this.#fields.clear()
      this.#forgetNames()
      this.#count = 0
    }
    let terms = this.#fields.get(field)
    if (terms === undefined) {
      this.#fields.set(field, terms = new Map())
      this.#count += FIELD
    }
    terms.set(term, number)
  }

  /** @param {string} field @param {string} term */
  delete (field, term) {
    this.#fields.get(field)?.delete(term)
    this.#forgetNames()
  }

  #forgetNames () {
    this.#byNames = new WeakMap()
    this.#places = 0
  }

  /**
   * The numbers of names, by their places.
   *
   * @param {string[]} names
   * @param {string} field
   * @returns {Int32Array} numbers + 1; 0, and what is behind the end: not known
   */
  numbersOf (names, field) { return this.#byNames.get(names)?.get(field) ?? NO_NUMBERS }

  /** @param {string[]} names @param {string} field @param {Int32Array} numbers + 1 */
  remember (names, field, numbers) {
    this.#places += numbers.length
    if (this.#places > MOST_PLACES) this.#forgetNames()
    let fields = this.#byNames.get(names)
    if (fields === undefined) this.#byNames.set(names, fields = new Map())
    fields.set(field, numbers)
  }
}

const NO_NUMBERS = new Int32Array(0)

module.exports = { TermNumbers }
