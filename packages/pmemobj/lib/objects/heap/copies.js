'use strict'

const { Generated } = require('./generated')

/** More copies get an index. */
const FEW = 16

/**
 * The copies that are made of plain values, by those.
 *
 * @template Copy
 */
class Copies {
  /** In the order in which they came. @type {object[]} */
  values = []
  /** @type {Copy[]} */
  #copies = []
  /** @type {Map<object, Copy> | undefined} */
  #index
  #generated = new Generated()

  /** @param {number} number */
  copy (number) { return this.#copies[number] }

  /** @param {object} value @returns {Copy | undefined} */
  get (value) {
    if (this.#index !== undefined) return this.#index.get(value)
    const number = this.values.indexOf(value)
    return number < 0 ? undefined : this.#copies[number]
  }

  /**
   * @param {object} value
   * @param {Copy} copy
   * @throws TypeError where Proxies and getters seem to give new values without end
   */
  add (value, copy) {
    this.values.push(value)
    if (Generated.looksAt(this.values.length)) this.#generated.count(value)
    this.#copies.push(copy)
    if (this.#index !== undefined) this.#index.set(value, copy)
    else if (this.values.length > FEW) this.#index = new Map(this.values.map((each, i) => [each, this.#copies[i]]))
  }
}

module.exports = { Copies }
